#include "report/histogram.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Values below 2 * HALF have a bucket each. Above, each power of two has HALF buckets. */
#define HALF_BITS 10
#define HALF ((int64_t)1 << HALF_BITS)
/* int64 has 63 value bits: HALF_BITS + 1 of them in the exact part, HALF buckets for each other. */
#define BUCKETS ((size_t)(2 * HALF + (63 - HALF_BITS - 1) * HALF))

static size_t bucket_of(int64_t value) {
    if (value < 2 * HALF) return (size_t)value;
    const int shift = 63 - HALF_BITS - __builtin_clzll((unsigned long long)value);
    return (size_t)(shift * HALF + (value >> shift));
}

/* The largest value of a bucket. */
static int64_t bucket_top(size_t bucket) {
    const int64_t index = (int64_t)bucket;
    if (index < 2 * HALF) return index;
    const int shift = (int)(index / HALF) - 1;
    const int64_t head = index - shift * HALF;
    return (int64_t)((((uint64_t)head + 1) << shift) - 1);
}

int histogram_init(histogram *h) {
    *h = (histogram){ 0 };
    h->buckets = calloc(BUCKETS, sizeof *h->buckets);
    return h->buckets == NULL ? -ENOMEM : 0;
}

void histogram_free(histogram *h) {
    free(h->buckets);
    *h = (histogram){ 0 };
}

void histogram_clear(histogram *h) {
    if (h->count > 0) memset(h->buckets, 0, (bucket_of(h->max) + 1) * sizeof *h->buckets);
    *h = (histogram){ .buckets = h->buckets };
}

void histogram_add(histogram *h, int64_t value) {
    if (value < 0) value = 0;
    if (h->count == 0 || value < h->min) h->min = value;
    if (value > h->max) h->max = value;
    ++h->count;
    h->sum += (double)value;
    ++h->buckets[bucket_of(value)];
}

void histogram_merge(histogram *into, const histogram *from) {
    if (from->count == 0) return;
    if (into->count == 0 || from->min < into->min) into->min = from->min;
    if (from->max > into->max) into->max = from->max;
    into->count += from->count;
    into->sum += from->sum;
    const size_t last = bucket_of(from->max);
    for (size_t i = bucket_of(from->min); i <= last; ++i) into->buckets[i] += from->buckets[i];
}

double histogram_mean(const histogram *h) {
    return h->count == 0 ? 0 : h->sum / (double)h->count;
}

int64_t histogram_percentile(const histogram *h, double fraction) {
    if (h->count == 0) return 0;
    int64_t wanted = (int64_t)ceil(fraction * (double)h->count);
    if (wanted < 1) wanted = 1;
    if (wanted > h->count) wanted = h->count;
    uint64_t seen = 0;
    size_t i = bucket_of(h->min);
    while ((seen += h->buckets[i]) < (uint64_t)wanted) ++i;
    const int64_t top = bucket_top(i);
    return top < h->max ? top : h->max;
}
