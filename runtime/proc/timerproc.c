/* A worker's thread: take what is due, hand it on, sleep until the next deadline.
 *
 * Why no wake is lost. Under the bucket's lock the thread takes what is due, reads the next
 * deadline, says that it sleeps and until when, and reads the futex word; then it drops the lock
 * and waits for the word to change. An arming under the same lock either comes before, and is in
 * the deadline that was read, or after, and then finds `sleeping`: if it is earlier, it changes
 * the word, so that the wait returns at once even if it has not begun. It clears `sleeping` too:
 * of many such armings only the first sends a wake. tests/model holds the proof.
 *
 * A batch is bounded, so the lock is never held long; the clock is read for each. */
#include "proc/worker.h"

#include "dispatch/waiter.h"
#include "system/futex.h"
#include "system/thread.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

typedef struct tri_turn {
    size_t taken, callbacks;
    tri_waiter *wakes;
    uint32_t seen;   /* the futex word, where the thread is to sleep */
    int64_t until;   /* TRI_NEVER: nothing is pending */
    bool sleep, settled;
} tri_turn;

static void prepare_sleep_locked(tri_bucket *bucket, tri_turn *turn, int64_t now) {
    tri_assert_held(&bucket->lock);
    turn->until = tri_bucket_next_locked(bucket);
    /* A wheel can have work (a cascade) before anything is due. */
    if (turn->until <= now) return;
    turn->sleep = true;
    turn->seen = atomic_load_explicit(&bucket->word, memory_order_relaxed);
    bucket->sleeping = true;
    bucket->sleep_until = turn->until;
    ++bucket->counts.sleeps;
    turn->settled = bucket->settled_waiters != 0;
    if (turn->settled) atomic_fetch_add(&bucket->settled_word, 1);
}

/* False: the bucket is closing. */
static bool take_turn(tri_bucket *bucket, tri_turn *turn, bool woken) {
    tri_lock_take(&bucket->lock);
    bucket->sleeping = false;
    const bool open = !bucket->closing;
    if (open) {
        const int64_t now =
            tri_bucket_hold_time_locked(bucket, tri_clock_now(&bucket->shared->clock));
        turn->taken = tri_bucket_take_due_locked(bucket, now, TRI_BATCH, &turn->callbacks,
                                                 &turn->wakes);
        if (turn->taken == 0) {
            bucket->counts.idle_wakes += woken;
            prepare_sleep_locked(bucket, turn, now);
        }
    }
    tri_lock_drop(&bucket->lock);
    return open;
}

static void hand_on(tri_worker *worker, const tri_turn *turn) {
    tri_waiter_wake(turn->wakes);
    if (turn->callbacks == 0) return;
    if (worker->executor != NULL)
        tri_executor_submit(worker->executor, &worker->job, turn->callbacks);
    else
        tri_bucket_run(&worker->bucket, turn->callbacks);
}

static void *timerproc(void *argument) {
    tri_worker *worker = argument;
    tri_bucket *bucket = &worker->bucket;
    char name[16];
    snprintf(name, sizeof name, "tarry-%u", bucket->number);
    tri_thread_name(name);
    for (bool woken = false;;) {
        tri_turn turn = { 0 };
        if (!take_turn(bucket, &turn, woken)) return NULL;
        hand_on(worker, &turn);
        woken = turn.sleep;
        if (!turn.sleep) continue;
        if (turn.settled) tri_futex_wake(&bucket->settled_word, INT_MAX);
        tri_clock_wait(&bucket->shared->clock, &bucket->word, turn.seen, turn.until);
    }
}

int tri_timerproc_ensure(tri_worker *worker) {
    /* One lock for all workers is not taken for every timer. */
    if (atomic_load_explicit(&worker->started, memory_order_acquire)) return 0;
    tri_shared *shared = worker->bucket.shared;
    int error = 0;
    tri_lock_take(&shared->lock);
    const int state = tri_shared_state(shared);
    /* Once destroy has looked for threads to join, none may be added. */
    if (!worker->started && state == 0) {
        error = tri_thread_start(&worker->thread, timerproc, worker);
        worker->started = error == 0;
    }
    tri_lock_drop(&shared->lock);
    return state != 0 ? state : error == 0 ? 0 : -EAGAIN;
}

static bool has_thread(tri_worker *worker) {
    tri_shared *shared = worker->bucket.shared;
    tri_lock_take(&shared->lock);
    const bool started = worker->started;
    tri_lock_drop(&shared->lock);
    return started;
}

void tri_timerproc_join(tri_worker *worker) {
    if (!has_thread(worker)) return;
    tri_bucket *bucket = &worker->bucket;
    tri_lock_take(&bucket->lock);
    atomic_fetch_add(&bucket->word, 4);
    atomic_fetch_add(&bucket->settled_word, 1);
    tri_lock_drop(&bucket->lock);
    tri_futex_wake(&bucket->word, 1);
    tri_futex_wake(&bucket->settled_word, INT_MAX);
    pthread_join(worker->thread, NULL);
}

int64_t tri_timerproc_settle(tri_worker *worker, int64_t point, uint64_t *sleeps) {
    if (!has_thread(worker)) return TRI_NEVER;
    tri_bucket *bucket = &worker->bucket;
    tri_lock_take(&bucket->lock);
    ++bucket->settled_waiters;
    while (!bucket->closing && !(bucket->sleeping && bucket->sleep_until > point)) {
        const uint32_t seen = atomic_load(&bucket->settled_word);
        tri_lock_drop(&bucket->lock);
        tri_futex_wait_until(&bucket->settled_word, seen, INT64_MAX);
        tri_lock_take(&bucket->lock);
    }
    --bucket->settled_waiters;
    const int64_t until = bucket->closing ? TRI_NEVER : bucket->sleep_until;
    *sleeps += bucket->counts.sleeps;
    tri_lock_drop(&bucket->lock);
    return until;
}
