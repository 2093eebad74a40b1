/* Which pictures a report has, and their SVG text, made by gnuplot. For each workload: time of an
 * operation against the number of timers (bars where there is but one size), percentiles of single
 * operations, and where there are several numbers of threads, the rate over them; lateness; and once,
 * the longest single calls and the memory for each timer. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/results.h"

typedef struct picture {
    char file[96];        /* its name: of the workload and what it shows, .svg */
    const char *workload; /* NULL: of all together */
    char *svg;
} picture;

typedef struct pictures {
    picture *items;
    size_t count;
    bool failed; /* gnuplot did; some are missing */
} pictures;

void pictures_make(pictures *p, const results *r);
void pictures_free(pictures *p);

#endif
