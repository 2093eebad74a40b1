/* Plots as SVG text, made by gnuplot. A subject has the same colour in every plot. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/results.h"
#include "report/table.h"

/* What a plot shows. */
enum plot_kind {
    PLOT_MEAN,        /* ns per operation: lines over timers where there are several, else bars */
    PLOT_PERCENTILES, /* p50 to max of single operations, at the largest number of timers */
    PLOT_LATENESS,    /* p50 and p99 */
    PLOT_KINDS
};

/* Is gnuplot here? */
bool plot_available(void);

/* The colour of a backend or peer, as #rrggbb: fixed for the known ones, by name for others. */
const char *plot_colour(const char *subject);

/* One plot of one workload. NULL: its rows have nothing of that kind, or gnuplot failed (then
 * *failed is set). Free it. */
char *plot_table(const table *t, enum plot_kind kind, bool *failed);

#endif
