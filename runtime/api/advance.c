/* Moving virtual time: from deadline to deadline, so that each timer fires at its own point and
 * what it arms is seen before time goes on. */
#include "api/runtime.h"

/* Callbacks that wait for a thread are handed on: only what still lies in the backends counts. */
static int64_t earliest(tarry_runtime *rt, int64_t limit) {
    for (unsigned i = 0; i < rt->count; ++i) {
        tri_bucket *bucket = &rt->workers[i].bucket;
        tri_lock_take(&bucket->lock);
        const int64_t next = tri_bucket_next_locked(bucket);
        tri_lock_drop(&bucket->lock);
        if (next < limit) limit = next;
    }
    return limit;
}

static void settle(tarry_runtime *rt, int64_t point) {
    for (unsigned i = 0; i < rt->count; ++i) tri_timerproc_settle(&rt->workers[i], point);
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
    do {
        settle(rt, point);
        const int64_t next = earliest(rt, to);
        if (next > point) point = next;
        tri_clock_reach(&rt->shared.clock, point);
        settle(rt, point);
    } while (point < to || earliest(rt, TRI_NEVER) <= to);
    return 0;
}
