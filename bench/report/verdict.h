/* Which backend is the fastest, by how much, and how sure that is: from the repeats that rows carry.
 *
 * Repeat k of two rows of one run was played side by side, so their ratios are taken pair by pair; the
 * margin is the median of the ratios, with an interval (report/interval.h). Where the interval
 * includes 1, no difference was seen. Rows without repeats are not judged. Backends with their locks
 * are compared with each other; the fastest other library with the fastest backend that takes no
 * lock, where there is one, since those libraries take none.
 *
 * The order changes between two sizes where none of those that were first at the smaller one, or no
 * different from the first, is so at the larger one. The number of timers there is interpolated on
 * log-log scales between the two. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "report/interval.h"
#include "report/row.h"

#include <stdio.h>

#define VERDICT_CONTENDERS 32
#define VERDICT_POINTS 16

/* Those of a group at one size, of one run. */
typedef struct verdict_field {
    const row *members[VERDICT_CONTENDERS]; /* the fastest first */
    interval ratios[VERDICT_CONTENDERS];    /* of each to the first */
    size_t count;
} verdict_field;

typedef struct verdict_point {
    int64_t timers;
    int64_t replicate; /* of a replay: what makes its points; ROW_NONE elsewhere */
    size_t run;        /* of results that have a size twice: the later */
    verdict_field locked, unlocked, peers;
} verdict_point;

/* One workload with a number of threads, and a speed. */
typedef struct verdict {
    const char *workload;
    int64_t threads;
    double speed;
    verdict_point points[VERDICT_POINTS]; /* by size, the smallest first */
    size_t count;
} verdict;

/* What changes between points `before` and `before + 1`. */
typedef struct verdict_change {
    size_t before;
    const char *from, *to;
    double timers; /* NAN: not to be told, one of the two is missing at one of the sizes */
} verdict_change;

/* The verdict of the first rows at or after *next that had none yet; moves *next on. False: none. */
bool verdict_next(verdict *v, const rows *list, size_t *next);
/* Is the i-th as good as the first, as far as was seen? */
bool verdict_ties(const verdict_field *f, size_t i);
/* The first change at or after point *from; moves *from behind it. False: no more. Begin with 0. */
bool verdict_find_change(verdict_change *out, const verdict *v, size_t *from);
/* Where a ratio that is r1 at n1 and r2 at n2 is 1; NAN: not between them. */
double verdict_crossing(double n1, double r1, double n2, double r2);

/* One line, without its end. */
void verdict_write(const verdict *v, FILE *file);
/* How often each backend is first, or no different from the first, over all; a line without its end.
 * False, nothing written: there are less than two verdicts. */
bool verdict_write_all(const rows *list, FILE *file);
/* A line for each, then the line over all; nothing where nothing can be judged. */
void verdict_print(const rows *list, FILE *file);

#endif
