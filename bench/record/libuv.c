/* libuv's timers. A timer belongs to its loop's thread, which makes calls and firings take turns.
 *
 * To fire, the library stops a timer, and starts it again if it repeats, by its own public
 * functions; in most builds these calls pass through the shim. They are a part of the firing, and
 * told by this: they come from the library, the stop of a timer that is due, the start of one that
 * pends for the shim and has been stopped. (Where they come from does not suffice: a callback that
 * ends with a jump to uv_timer_stop looks the same.) A delay counts from the loop's time, a
 * millisecond's multiple, so that is what the deadline is made from. What uv_close ends is
 * cancelled. */
#include "record/shim.h"

#include <stdio.h>
#include <uv.h>

#define NS_PER_MS 1000000

#define CALLS(X) X(uv_timer_start) X(uv_timer_stop) X(uv_timer_again) X(uv_timer_get_repeat) \
    X(uv_close) X(uv_is_closing) X(uv_is_active) X(uv_now) X(uv_version_string)
#define INDEX(name) AT_##name,
#define NAME(name) #name,
#define REAL(name) ((__typeof__(&(name)))calls->at[AT_##name])

enum { CALLS(INDEX) CALLS_COUNT };

static const char *const names[] = { CALLS(NAME) };
static shim_slot slot;

static const shim_calls *load(const void *caller) {
    return shim_load(&slot, names, CALLS_COUNT, caller);
}

static int64_t about(char *version, size_t size) {
    const shim_calls *calls = load(NULL);
    snprintf(version, size, "%s", REAL(uv_version_string)());
    return NS_PER_MS;
}

static const shim_library library = { "libuv", about };

static int64_t to_ns(uint64_t ms) {
    return ms < INT64_MAX / 2 / NS_PER_MS ? (int64_t)ms * NS_PER_MS : INT64_MAX / 2;
}

static void on_timer(uv_timer_t *handle) {
    const shim_calls *calls = load(NULL);
    const shim_next next = {
        .armed = REAL(uv_is_active)((uv_handle_t *)handle) != 0,
        .from_ns = to_ns(REAL(uv_now)(handle->loop)),
        .delay_ns = to_ns(REAL(uv_timer_get_repeat)(handle)),
    };
    const uv_timer_cb callback = (uv_timer_cb)shim_called(handle, true, next);
    if (callback != NULL) callback(handle);
}

SHIM_EXPORT int uv_timer_start(uv_timer_t *handle, uv_timer_cb callback, uint64_t timeout,
                               uint64_t repeat) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (shim_depth == 0 && callback != NULL && !REAL(uv_is_closing)((uv_handle_t *)handle)) {
        shim_function *own = callback != on_timer ? (shim_function *)callback : NULL;
        if (shim_arm(&library, handle, own, to_ns(REAL(uv_now)(handle->loop)), to_ns(timeout)))
            callback = on_timer;
    }
    ++shim_depth;
    const int result = REAL(uv_timer_start)(handle, callback, timeout, repeat);
    --shim_depth;
    return result;
}

static bool is_due(const shim_calls *calls, const uv_timer_t *handle) {
    return REAL(uv_is_active)((const uv_handle_t *)handle) &&
           handle->timeout <= REAL(uv_now)(handle->loop);
}

SHIM_EXPORT int uv_timer_stop(uv_timer_t *handle) {
    const void *caller = __builtin_return_address(0);
    const shim_calls *calls = load(caller);
    if (shim_depth == 0 && !(shim_is_within(calls, caller) && is_due(calls, handle)))
        shim_cancel(handle);
    return REAL(uv_timer_stop)(handle);
}

SHIM_EXPORT int uv_timer_again(uv_timer_t *handle) {
    const void *caller = __builtin_return_address(0);
    const shim_calls *calls = load(caller);
    const uint64_t repeat = REAL(uv_timer_get_repeat)(handle);
    const bool fires = shim_is_within(calls, caller) && shim_is_pending(handle) &&
                       !REAL(uv_is_active)((uv_handle_t *)handle);
    if (shim_depth == 0 && repeat != 0 && !fires)
        shim_arm(&library, handle, NULL, to_ns(REAL(uv_now)(handle->loop)), to_ns(repeat));
    ++shim_depth;
    const int result = REAL(uv_timer_again)(handle);
    --shim_depth;
    return result;
}

SHIM_EXPORT void uv_close(uv_handle_t *handle, uv_close_cb callback) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (handle->type == UV_TIMER) shim_end(handle);
    REAL(uv_close)(handle, callback);
}
