/* Tickers: objects whose delivery tells when they are due next.
 *
 * Guards: (b) the bucket's lock. */
#include <tarry/ticker.h>

#include "api/object.h"

struct tarry_ticker {
    tri_object object;
    int64_t period;   /* (b) */
    uint64_t dropped; /* (b) */
};

static int64_t deliver(void *argument, int64_t deadline, int64_t now, tri_waiter **wakes) {
    tarry_ticker *ticker = argument;
    const int error = tri_object_put(&ticker->object, deadline, now, wakes);
    uint64_t lost;
    const int64_t next = tri_time_next_tick(deadline, ticker->period, now, &lost);
    lost += error != 0;
    ticker->dropped += lost;
    tri_bucket_count_drops_locked(ticker->object.ref.bucket, lost);
    return next;
}

static const tri_delivery delivery = { deliver, tri_object_take_back };

int tarry_ticker_new(tarry_ticker **out, tarry_runtime *rt, int64_t period) {
    int error = out == NULL || period <= 0 ? -EINVAL : tri_runtime_usable(rt);
    if (error != 0) return error;
    tri_object *object;
    error = tri_object_new(&object, rt, sizeof(tarry_ticker), &delivery, NULL, NULL);
    if (error != 0) return error;
    tarry_ticker *ticker = (tarry_ticker *)object;
    /* It is not armed yet, so nobody else looks at these. */
    ticker->period = period;
    ticker->dropped = 0;
    *out = ticker;
    tri_bucket_arm(object->ref, tri_time_after(tri_runtime_now(rt), period));
    return 0;
}

static int usable(const tarry_ticker *ticker) {
    return tri_object_usable(ticker != NULL ? &ticker->object : NULL);
}

int tarry_ticker_stop(tarry_ticker *ticker) {
    const int error = usable(ticker);
    return error != 0 ? error : tri_bucket_stop(ticker->object.ref, 0);
}

int tarry_ticker_reset(tarry_ticker *ticker, int64_t period) {
    const int error = period <= 0 ? -EINVAL : usable(ticker);
    if (error != 0) return error;
    const int64_t first = tri_time_after(tri_object_now(&ticker->object), period);
    return tri_bucket_arm_and_set(ticker->object.ref, first, &ticker->period, period);
}

tarry_mailbox *tarry_ticker_mailbox(tarry_ticker *ticker) {
    return ticker != NULL ? ticker->object.mailbox : NULL;
}

int tarry_ticker_dropped(uint64_t *out, tarry_ticker *ticker) {
    const int error = out == NULL ? -EINVAL : usable(ticker);
    if (error != 0) return error;
    tri_lock_take(&ticker->object.ref.bucket->lock);
    *out = ticker->dropped;
    tri_lock_drop(&ticker->object.ref.bucket->lock);
    return 0;
}

int tarry_ticker_free(tarry_ticker *ticker) {
    return tri_object_free(ticker != NULL ? &ticker->object : NULL);
}
