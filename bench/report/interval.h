/* How sure a median is. The interval is of order statistics: it takes no shape of the noise for
 * granted, only that the repeats are independent of each other, and it is as wide as two of the
 * values themselves. Of n values the k-th least and the k-th largest enclose the median with the
 * probability 1 - 2 P(B < k), B binomial (n, 1/2); k is the largest that leaves 95 %. Below six values no
 * two enclose it so surely: then they are the least and the largest, and coverage says how sure. */
#ifndef REPORT_INTERVAL_H
#define REPORT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#define INTERVAL_WANTED 0.95
#define INTERVAL_LEAST 0.90 /* below it nothing is claimed: fewer than five values */

typedef struct interval {
    double median, low, high;
    double coverage; /* the probability; 0 of one value */
    size_t count;
} interval;

/* count > 0; sorts the values. */
interval interval_of(double *values, size_t count);
/* Of a[k] / b[k], k = 0 .. count - 1: what was played side by side is compared. */
interval interval_of_ratios(const double *a, const double *b, size_t count);
/* Sure enough to claim something? */
bool interval_tells(const interval *i);
/* The same, and all of it above 1. */
bool interval_is_above_one(const interval *i);

#endif
