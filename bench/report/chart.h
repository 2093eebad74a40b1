/* The figures of a picture: of each contender, points in order of x. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/colours.h"
#include "report/row.h"

#define CHART_SERIES 48
#define CHART_POINTS 24
#define CHART_VALUES 4

typedef struct series {
    const char *name;
    bool is_peer;
    look look;
    double x[CHART_POINTS], y[CHART_POINTS];
    double values[CHART_VALUES]; /* of a chart of rows: percentiles; NAN: not measured */
    size_t count;
} series;

typedef struct chart {
    series items[CHART_SERIES];
    size_t count;
} chart;

/* What a row adds to a picture. False: nothing. */
typedef bool chart_pick(const row *r, double *x, double *y);

/* Points of one workload (NULL: of all), from rows with that many threads (0: with any). Where two rows say the
 * same x, the later run counts. */
void chart_collect(chart *c, const rows *list, const char *workload, int64_t threads,
                   chart_pick *pick);
/* How many different x there are; the largest and the smallest. */
size_t chart_count_x(const chart *c);
double chart_max_x(const chart *c);
double chart_min_x(const chart *c);
/* Adds the line of the floor: as a contender, of the rows that have one. */
void chart_add_floor(chart *c, const rows *list, const char *workload, int64_t threads);
/* Each contender's y at x becomes values[0]; others leave. */
void chart_keep_x(chart *c, double x);
/* Those that have but one point leave. */
void chart_drop_points(chart *c);
/* By values[0], the least first. */
void chart_sort(chart *c);

/* A number of timers or the like: 950, 2.71k, 1M. Returns text. */
const char *chart_count_text(char *text, size_t size, double count);

#endif
