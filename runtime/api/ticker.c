/* Tickers: a slot whose delivery tells when it is due next.
 *
 * Guards: (b) the bucket's lock, (m) the mailbox's, (c) constant after creation. */
#include <tarry/ticker.h>

#include "api/runtime.h"
#include "bucket/state.h"
#include "dispatch/mailbox.h"

struct tarry_ticker {
    tri_resident resident; /* (b) */
    tri_ref ref;           /* (c) */
    int64_t period;        /* (b) */
    uint64_t dropped;      /* (b) */
    tarry_mailbox mailbox; /* (m) */
};

static int64_t deliver(void *argument, int64_t deadline, int64_t now, tri_waiter **wakes) {
    tarry_ticker *ticker = argument;
    const tarry_message message = { NULL, deadline, now };
    tri_lock_take(&ticker->mailbox.lock);
    const int error = tri_mailbox_put_locked(&ticker->mailbox, &message, wakes);
    tri_lock_drop(&ticker->mailbox.lock);
    uint64_t lost;
    const int64_t next = tri_time_next_tick(deadline, ticker->period, now, &lost);
    lost += error != 0;
    ticker->dropped += lost;
    tri_bucket_count_drops_locked(ticker->ref.bucket, lost);
    return next;
}

static bool take_back(void *argument) {
    return tri_mailbox_take_back(&((tarry_ticker *)argument)->mailbox);
}

static const tri_delivery delivery = { deliver, take_back };

static void close_ticker(tri_resident *resident, tri_waiter **wakes) {
    tri_mailbox_close(&((tarry_ticker *)resident)->mailbox, wakes);
}

static void release(tarry_ticker *ticker) {
    tri_bucket *bucket = ticker->ref.bucket;
    tri_mailbox_fini(&ticker->mailbox);
    if (tri_resident_leave(bucket, &ticker->resident, sizeof *ticker))
        tri_runtime_free(bucket->shared);
}

int tarry_ticker_new(tarry_ticker **out, tarry_runtime *rt, int64_t period) {
    int error = out == NULL || period <= 0 ? -EINVAL : tri_runtime_usable(rt);
    if (error != 0) return error;
    tri_worker *worker = tri_runtime_worker(rt);
    tri_bucket *bucket = &worker->bucket;
    error = tri_runtime_ensure(rt, worker, false);
    if (error != 0) return error;
    tarry_ticker *ticker = tri_resident_take(bucket, sizeof *ticker);
    if (ticker == NULL) return -ENOMEM;
    ticker->resident.close = close_ticker;
    ticker->ref.bucket = bucket;
    ticker->period = period;
    ticker->dropped = 0;
    tri_mailbox_init(&ticker->mailbox, bucket, true);
    error = tri_resident_enter(bucket, &ticker->resident, sizeof *ticker);
    if (error != 0) return error;
    const tri_action action = { .delivery = &delivery, .argument = ticker };
    error = tri_bucket_open(&ticker->ref, bucket, TRI_DELIVERY, &action);
    if (error != 0) {
        release(ticker);
        return error;
    }
    *out = ticker;
    tri_bucket_arm(ticker->ref, tri_time_after(tri_runtime_now(rt), period));
    return 0;
}

static int usable(const tarry_ticker *ticker) {
    return ticker == NULL ? -EINVAL : tri_shared_state(ticker->ref.bucket->shared);
}

int tarry_ticker_stop(tarry_ticker *ticker) {
    const int error = usable(ticker);
    return error != 0 ? error : tri_bucket_stop(ticker->ref, 0);
}

int tarry_ticker_reset(tarry_ticker *ticker, int64_t period) {
    const int error = period <= 0 ? -EINVAL : usable(ticker);
    if (error != 0) return error;
    const int64_t now = tri_clock_now(&ticker->ref.bucket->shared->clock);
    return tri_bucket_arm_and_set(ticker->ref, tri_time_after(now, period), &ticker->period,
                                  period);
}

tarry_mailbox *tarry_ticker_mailbox(tarry_ticker *ticker) {
    return ticker != NULL ? &ticker->mailbox : NULL;
}

int tarry_ticker_dropped(uint64_t *out, tarry_ticker *ticker) {
    const int error = out == NULL ? -EINVAL : usable(ticker);
    if (error != 0) return error;
    tri_lock_take(&ticker->ref.bucket->lock);
    *out = ticker->dropped;
    tri_lock_drop(&ticker->ref.bucket->lock);
    return 0;
}

int tarry_ticker_free(tarry_ticker *ticker) {
    const int error = usable(ticker);
    if (error == -EINVAL || error == -ECHILD) return error;
    if (ticker->ref.bucket->shared->foreign) return 0;
    /* While the runtime is being destroyed the slot may still be armed. */
    tri_bucket_close_slot(ticker->ref);
    release(ticker);
    return 0;
}
