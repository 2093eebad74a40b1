/* Moving virtual time: from deadline to deadline, so that each timer fires at its own point and
 * what it arms is seen before time goes on. */
#include "api/runtime.h"

/* When all threads have handed on what is due by the point and sleep, and all who were asleep until
 * then have looked at what they wait for: the first point that one of them will wake at. What they
 * sleep until counts, and not what the backends hold: a wheel can have a cascade to do before, which
 * may wait. */
static int64_t settle_once(tarry_runtime *rt, int64_t point, uint64_t *sleeps) {
    int64_t first = tri_clock_settle(&rt->shared.clock);
    *sleeps = 0;
    for (unsigned i = 0; i < rt->count; ++i) {
        const int64_t next = tri_timerproc_settle(&rt->workers[i], point, sleeps);
        if (next < first) first = next;
    }
    return first;
}

/* A callback of one worker may arm a timer of another that had settled: until none has been woken
 * between two looks at all. */
static int64_t settle(tarry_runtime *rt, int64_t point) {
    uint64_t before, sleeps;
    int64_t first;
    settle_once(rt, point, &sleeps);
    do {
        before = sleeps;
        first = settle_once(rt, point, &sleeps);
    } while (sleeps != before);
    return first;
}

int tarry_advance(tarry_runtime *rt, int64_t to) {
    const int error = tri_runtime_usable(rt);
    if (error != 0) return error;
    int64_t point = tri_runtime_now(rt);
    if (rt->shared.clock.kind != TARRY_CLOCK_VIRTUAL || to < point || to >= TRI_TIME_END)
        return -EINVAL;
    if (tri_bucket_in_callback(&rt->shared, NULL)) return -EDEADLK;
    if (rt->by_hand) {
        tri_clock_reach(&rt->shared.clock, to);
        return 0;
    }
    int64_t next = settle(rt, point);
    while (point < to) {
        point = next < to ? next : to;
        tri_clock_reach(&rt->shared.clock, point);
        next = settle(rt, point);
    }
    return 0;
}
