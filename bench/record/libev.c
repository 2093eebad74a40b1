/* libev's timers. A watcher belongs to its loop's thread. Its callback is a field that macros
 * write, so it is changed where the watcher starts and put back where it stops: a watcher that does
 * not pend is as the program left it. One that is given another callback while it pends fires
 * unseen.
 *
 * To fire a timer that does not repeat the library stops it, by its public function; that call is
 * told by where it comes from, and by the timer's being due. A delay counts from the loop's time.
 * ev_once and ev_stat start timers, and are seen; ev_periodic, which follows the wall clock, is
 * not. */
#include "record/shim.h"

#define EV_COMPAT3 0
#include <ev.h>
#include <stdio.h>

#define NS_PER_S 1000000000

#define CALLS(X) X(ev_timer_start) X(ev_timer_stop) X(ev_timer_again) X(ev_timer_remaining) \
    X(ev_now) X(ev_time) X(ev_version_major) X(ev_version_minor)
#define INDEX(name) AT_##name,
#define NAME(name) #name,
#define REAL(name) ((__typeof__(&(name)))calls->at[AT_##name])

enum { CALLS(INDEX) CALLS_COUNT };

typedef void timer_callback(struct ev_loop *loop, ev_timer *watcher, int events);

static const char *const names[] = { CALLS(NAME) };
static shim_slot slot;

static const shim_calls *load(const void *caller) {
    return shim_load(&slot, names, CALLS_COUNT, caller);
}

static int64_t about(char *version, size_t size) {
    const shim_calls *calls = load(NULL);
    snprintf(version, size, "%d.%d", REAL(ev_version_major)(), REAL(ev_version_minor)());
    return NS_PER_S / 1000; /* it waits in milliseconds */
}

static const shim_library library = { "libev", about };

static int64_t to_ns(ev_tstamp seconds) {
    return seconds < 4e9 ? (int64_t)(seconds * NS_PER_S) : INT64_MAX / 2;
}

/* Of the loop, on the shim's clock. */
static int64_t loop_time(const shim_calls *calls, struct ev_loop *loop) {
    const int64_t behind_ns = to_ns(REAL(ev_time)() - REAL(ev_now)(loop));
    return shim_now() - (behind_ns > 0 ? behind_ns : 0);
}

static void on_timer(struct ev_loop *loop, ev_timer *watcher, int events) {
    const shim_calls *calls = load(NULL);
    const bool is_active = ev_is_active(watcher);
    timer_callback *callback = (timer_callback *)shim_callback(watcher);
    if (!is_active) ev_set_cb(watcher, callback);
    /* One that neither repeats nor was stopped is called by the program's own hand. */
    if ((events & EV_TIMER) != 0 && (!is_active || watcher->repeat > 0)) {
        const shim_next next = {
            .armed = is_active,
            .from_ns = loop_time(calls, loop),
            .delay_ns = to_ns(is_active ? REAL(ev_timer_remaining)(loop, watcher) : 0),
        };
        shim_called(watcher, true, next);
    }
    callback(loop, watcher, events);
}

static void arm(const shim_calls *calls, struct ev_loop *loop, ev_timer *watcher,
                ev_tstamp delay) {
    timer_callback *callback = ev_cb(watcher);
    shim_function *own = callback != on_timer ? (shim_function *)callback : NULL;
    if (shim_arm(&library, watcher, own, loop_time(calls, loop), to_ns(delay)))
        ev_set_cb(watcher, on_timer);
}

static void disarm(ev_timer *watcher) {
    shim_cancel(watcher);
    if (ev_cb(watcher) == on_timer)
        ev_set_cb(watcher, (timer_callback *)shim_callback(watcher));
}

static bool is_due(const shim_calls *calls, struct ev_loop *loop, ev_timer *watcher) {
    return ev_is_active(watcher) && REAL(ev_timer_remaining)(loop, watcher) <= 0;
}

SHIM_EXPORT void ev_timer_start(struct ev_loop *loop, ev_timer *watcher) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (shim_depth == 0 && !ev_is_active(watcher)) arm(calls, loop, watcher, watcher->at);
    REAL(ev_timer_start)(loop, watcher);
}

SHIM_EXPORT void ev_timer_stop(struct ev_loop *loop, ev_timer *watcher) {
    const void *caller = __builtin_return_address(0);
    const shim_calls *calls = load(caller);
    if (shim_depth == 0 && !(shim_is_within(calls, caller) && is_due(calls, loop, watcher)))
        disarm(watcher);
    REAL(ev_timer_stop)(loop, watcher);
}

SHIM_EXPORT void ev_timer_again(struct ev_loop *loop, ev_timer *watcher) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (watcher->repeat > 0) arm(calls, loop, watcher, watcher->repeat);
    else disarm(watcher);
    ++shim_depth;
    REAL(ev_timer_again)(loop, watcher);
    --shim_depth;
}
