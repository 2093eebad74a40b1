/* Floors: what a timer structure could hardly beat, on this machine, now. They are measured between
 * the contenders' repeats.
 *
 *   touch     of a random timer's 64 bytes
 *   pair      one malloc and free of 64 bytes, by jemalloc where tarry is built with it
 *
 * each under one uncontended lock and unlock of the futex type (two atomic exchanges, as a pthread
 * mutex does), or without, for what takes no lock. */
#ifndef WORKLOAD_FLOOR_H
#define WORKLOAD_FLOOR_H

#include <stdint.h>

typedef struct floor_timers {
    struct floor_timer *items;
    uint32_t count;
    uint64_t random;
} floor_timers;

/* 0 or -ENOMEM. */
int floor_open(floor_timers *f, int64_t timers, uint64_t seed);
void floor_close(floor_timers *f);
/* ns of one touch. */
double floor_measure(floor_timers *f, int64_t ops);
double floor_measure_unlocked(floor_timers *f, int64_t ops);
/* ns of one pair. */
double floor_measure_pair(int64_t ops);
double floor_measure_pair_unlocked(int64_t ops);

#endif
