/* The same turn by the caller's hand. A pass is bounded by what was pending when it began, so that
 * callbacks that arm their timers for now cannot hold it for ever. */
#include "proc/worker.h"

#include "dispatch/waiter.h"
#include "system/futex.h"

#include <errno.h>
#include <limits.h>
#include <tarry/runtime.h>

typedef struct tri_pass {
    int64_t now;
    size_t left;
    size_t fired;
} tri_pass;

/* The first step of a pass: nobody else may be in one. */
static int begin_pass_locked(tri_bucket *bucket, tri_pass *pass, size_t limit) {
    tri_assert_held(&bucket->lock);
    if (bucket->turning) return -EBUSY;
    bucket->turning = true;
    tri_bucket_expect_turn_locked(bucket, INT64_MIN);
    pass->now = tri_bucket_hold_time_locked(bucket, pass->now);
    const uint64_t pending = tri_bucket_pending_locked(bucket);
    pass->left = limit != 0 && limit < pending ? limit : (size_t)pending;
    return 0;
}

/* A clock that the caller moves is where the pass says; those who wait on it are woken. */
static void show_time_locked(tri_bucket *bucket, int64_t now) {
    tri_assert_held(&bucket->lock);
    tri_clock *clock = &bucket->shared->clock;
    if (!tri_clock_is_moved(clock)) return;
    tri_lock_drop(&bucket->lock);
    tri_clock_reach(clock, now);
    tri_lock_take(&bucket->lock);
}

/* One batch; the lock is held on entry and on return. False: the pass is over. */
static bool step_locked(tri_bucket *bucket, tri_pass *pass) {
    tri_assert_held(&bucket->lock);
    tri_waiter *wakes = NULL;
    size_t callbacks = 0;
    const size_t max = pass->left < TRI_BATCH ? pass->left : TRI_BATCH;
    if (max == 0 || bucket->closing) return false;
    const size_t taken = tri_bucket_take_due_locked(bucket, pass->now, max, &callbacks, &wakes);
    if (taken == 0) return false;
    tri_lock_drop(&bucket->lock);
    tri_waiter_wake(wakes);
    pass->fired += taken - callbacks;
    if (callbacks != 0) pass->fired += tri_bucket_run(bucket, callbacks);
    pass->left -= taken;
    tri_lock_take(&bucket->lock);
    return true;
}

int64_t tri_drive_run(tri_worker *worker, int64_t now, size_t limit) {
    tri_bucket *bucket = &worker->bucket;
    if (tri_bucket_in_callback(bucket->shared, bucket)) return -EDEADLK;
    if (tri_bucket_is_idle_at(bucket, now)) {
        tri_clock *clock = &bucket->shared->clock;
        if (tri_clock_is_moved(clock)) tri_clock_reach(clock, now);
        return 0;
    }
    tri_pass pass = { .now = now };
    bool waited_for = false; /* by destroy */
    tri_lock_take(&bucket->lock);
    const int error = begin_pass_locked(bucket, &pass, limit);
    if (error == 0) {
        show_time_locked(bucket, now);
        while (step_locked(bucket, &pass)) continue;
        bucket->turning = false;
        tri_bucket_idle_locked(bucket);
        waited_for = bucket->closing && bucket->end_waiters != 0;
        if (waited_for) atomic_fetch_add(&bucket->end_word, 1);
    }
    tri_lock_drop(&bucket->lock);
    if (waited_for) tri_futex_wake(&bucket->end_word, INT_MAX);
    return error != 0 ? error : (int64_t)pass.fired;
}

int64_t tri_drive_next(tri_worker *worker) {
    tri_bucket *bucket = &worker->bucket;
    tri_lock_take(&bucket->lock);
    const int64_t next = bucket->due != 0 ? bucket->last_now : tri_bucket_next_locked(bucket);
    tri_bucket_expect_turn_locked(bucket, next);
    tri_lock_drop(&bucket->lock);
    return next;
}
