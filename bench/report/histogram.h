/* A log-linear histogram of int64 values with three significant digits: values below 2048 are
 * exact, others within 1/1024. Of one thread; merge those of several at the end. */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include <stdint.h>

typedef struct histogram {
    int64_t count;
    int64_t min, max; /* exact; both 0 while count is 0 */
    double sum;
    uint64_t *buckets;
} histogram;

/* 0 or -ENOMEM. About 440 KB of address space, of which only what is used is touched. */
int histogram_init(histogram *h);
void histogram_free(histogram *h);
void histogram_clear(histogram *h);
/* Negative values count as 0. */
void histogram_add(histogram *h, int64_t value);
void histogram_merge(histogram *into, const histogram *from);
/* 0 where nothing was added. */
double histogram_mean(const histogram *h);
/* The smallest value v (to three digits, never below the truth by more, never above the maximum)
 * so that at least fraction * count values are <= v; fraction 0..1: 0.5, 0.99, 0.9999. */
int64_t histogram_percentile(const histogram *h, double fraction);

#endif
