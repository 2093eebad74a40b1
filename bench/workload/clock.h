/* The clocks that measure, and what bears on reading them. */
#ifndef WORKLOAD_CLOCK_H
#define WORKLOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* CLOCK_MONOTONIC in ns. */
static inline int64_t clock_ns(void) {
    return clock_read(CLOCK_MONOTONIC);
}

/* What the calling thread has run for: for loops that are timed as a whole, since it leaves out the
 * time in which the machine did something else. A system call. */
static inline int64_t clock_cpu_ns(void) {
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline void clock_sleep(int64_t ns) {
    struct timespec span = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    if (ns > 0) nanosleep(&span, NULL);
}

/* What two reads of the clock one after the other differ by, at their median: the part of a timed
 * operation that is the timing. */
int64_t clock_overhead_ns(void);

#endif
