/* Tickers: objects that are armed again by their own firing. */
#include <tarry/ticker.h>

#include "api/object.h"

struct tarry_ticker {
    tri_object object;
};

int tarry_ticker_new(tarry_ticker **out, tarry_runtime *rt, int64_t period) {
    const int error = out == NULL || period <= 0 ? -EINVAL : tri_runtime_usable(rt);
    if (error != 0) return error;
    return tri_object_new_timed((tri_object **)out, rt,
                                tri_time_after(tri_runtime_now(rt), period), period);
}

static int usable(const tarry_ticker *ticker) {
    return tri_object_usable(ticker != NULL ? &ticker->object : NULL);
}

int tarry_ticker_stop(tarry_ticker *ticker) {
    const int error = usable(ticker);
    return error != 0 ? error : tri_timed_stop(&ticker->object.timed, 0);
}

int tarry_ticker_reset(tarry_ticker *ticker, int64_t period) {
    const int error = period <= 0 ? -EINVAL : usable(ticker);
    if (error != 0) return error;
    const int64_t first = tri_time_after(tri_object_now(&ticker->object), period);
    return tri_timed_arm(&ticker->object.timed, first, period);
}

tarry_mailbox *tarry_ticker_mailbox(tarry_ticker *ticker) {
    return tri_object_mailbox(ticker != NULL ? &ticker->object : NULL);
}

int tarry_ticker_dropped(uint64_t *out, tarry_ticker *ticker) {
    const int error = out == NULL ? -EINVAL : usable(ticker);
    if (error == 0) *out = tri_timed_dropped(&ticker->object.timed);
    return error;
}

int tarry_ticker_free(tarry_ticker *ticker) {
    return tri_object_free(ticker != NULL ? &ticker->object : NULL);
}
