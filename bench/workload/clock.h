/* The clock that measures, and pauses between measurements. */
#ifndef WORKLOAD_CLOCK_H
#define WORKLOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void clock_sleep(int64_t ns) {
    struct timespec span = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    if (ns > 0) nanosleep(&span, NULL);
}

/* What two reads of the clock one after the other differ by, at their median: the part of a timed
 * operation that is the timing. */
int64_t clock_overhead_ns(void);

#endif
