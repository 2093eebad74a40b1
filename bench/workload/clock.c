#include "workload/clock.h"

#include <stdlib.h>

#define SAMPLES 1001

static int compare_ints(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t clock_overhead_ns(void) {
    int64_t spans[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        const int64_t before = clock_ns();
        spans[i] = clock_ns() - before;
    }
    qsort(spans, SAMPLES, sizeof *spans, compare_ints);
    return spans[SAMPLES / 2];
}
