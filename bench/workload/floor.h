/* The floor: a random touch of a timer's 64 bytes under one uncontended lock and unlock of the
 * futex type (two atomic exchanges, as a pthread mutex does). What any timer structure with a lock
 * could hardly beat, on this machine, now: measured between the contenders' repeats. */
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

#endif
