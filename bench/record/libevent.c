/* libevent's timeouts: of events, of event_base_once, and of what the library builds on events
 * (bufferevents, evhttp, evdns), as far as its calls of itself pass through the dynamic linker: in
 * Debian's build they do, in one linked with -Bsymbolic those timeouts are missed.
 *
 * Only the event's callback is changed, a single word, and never its argument: a loop may be about
 * to call both in another thread. The callback is given no event, so the shim asks the base for the
 * one that runs, and knows the base from the call that runs it. The program sees its own callback
 * wherever it asks, and in the event itself while no timeout pends.
 *
 * The library reads its clock when the loop wakes, and does not tell the time that a delay counts
 * from, so delays stand as the program gave them, and a timer may fire that much before. Its clock
 * is the coarse one unless the program asks for precise timers; that is the tick.
 *
 * An event that persists is armed again by the library as it is called, be it due or its descriptor
 * ready; another is done, with its timeout, when its descriptor is ready first. Such an end is a
 * cancel. A call by event_active is no firing. What event_finalize ends is not seen.
 *
 * libev brings functions of the same names with events of another layout; and so do other versions
 * of libevent. Of these nothing is recorded. */
#include "record/shim.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_struct.h>
#include <event2/event.h>
#include <event2/event_compat.h>
#include <event2/event_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
/* A common timeout is marked in the bits that microseconds do not need. */
#define MICROSECONDS 0xfffff

#define CALLS(X) X(event_add) X(event_del) X(event_del_block) X(event_del_noblock) X(event_free) \
    X(event_remove_timer) X(event_active) X(event_base_once) X(event_base_loop) \
    X(event_base_dispatch) X(event_loop) X(event_dispatch) X(event_get_callback) \
    X(event_get_assignment) X(event_base_get_running_event) X(event_get_struct_event_size) \
    X(event_get_version) X(bufferevent_free) X(event_global_current_base_)
#define INDEX(name) AT_##name,
#define NAME(name) #name,
#define REAL(name) ((__typeof__(&(name)))calls->at[AT_##name])

enum { CALLS(INDEX) CALLS_COUNT };

static const char *const names[] = { CALLS(NAME) };
static shim_slot slot;
static _Thread_local struct event_base *running; /* this thread's innermost loop */

static const shim_calls *load(const void *caller) {
    return shim_load(&slot, names, CALLS_COUNT, caller);
}

static int64_t about(char *version, size_t size) {
    const shim_calls *calls = load(NULL);
    struct timespec step = { 0, 1000000 };
    snprintf(version, size, "%s", REAL(event_get_version)());
    clock_getres(CLOCK_MONOTONIC_COARSE, &step);
    return step.tv_nsec > 1000000 ? step.tv_nsec : 1000000; /* it waits in milliseconds */
}

static const shim_library library = { "libevent", about };

/* Is it the libevent that this file was built for, and the program's call not a part of another? */
static bool is_wanted(const shim_calls *calls) {
    const void *address = (const void *)(uintptr_t)calls->at[AT_event_base_get_running_event];
    return shim_depth == 0 && address != NULL && shim_is_within(calls, address) &&
           REAL(event_get_struct_event_size)() == sizeof(struct event);
}

static int64_t to_ns(const struct timeval *delay) {
    return delay->tv_sec < INT64_MAX / 2 / NS_PER_S
               ? delay->tv_sec * NS_PER_S + (delay->tv_usec & MICROSECONDS) * 1000
               : INT64_MAX / 2;
}

/* --- events --- */

static event_callback_fn get_callback(const struct event *event) {
    return __atomic_load_n(&event->ev_evcallback.evcb_cb_union.evcb_callback, __ATOMIC_RELAXED);
}

static void set_callback(struct event *event, event_callback_fn callback) {
    __atomic_store_n(&event->ev_evcallback.evcb_cb_union.evcb_callback, callback,
                     __ATOMIC_RELAXED);
}

static void on_event(evutil_socket_t file, short what, void *argument) {
    const shim_calls *calls = load(NULL);
    struct event *event = REAL(event_base_get_running_event)(running);
    const bool is_armed = (event->ev_evcallback.evcb_flags & EVLIST_TIMEOUT) != 0;
    const shim_next next = { .armed = is_armed, .as_before = true };
    const event_callback_fn callback =
        (event_callback_fn)shim_called(event, (what & EV_TIMEOUT) != 0, next);
    if (!is_armed) set_callback(event, callback);
    callback(file, what, argument);
}

/* The program's callback, also of an event that pends. */
static event_callback_fn callback_of(const struct event *event) {
    const event_callback_fn callback = get_callback(event);
    return callback == on_event ? (event_callback_fn)shim_callback(event) : callback;
}

static void put_back(struct event *event) {
    if (get_callback(event) == on_event) set_callback(event, callback_of(event));
}

SHIM_EXPORT int event_add(struct event *event, const struct timeval *delay) {
    const shim_calls *calls = load(__builtin_return_address(0));
    const bool wanted = delay != NULL && is_wanted(calls);
    if (wanted) {
        const event_callback_fn callback = get_callback(event);
        shim_function *own = callback != on_event ? (shim_function *)callback : NULL;
        if (shim_arm(&library, event, own, SHIM_NOW, to_ns(delay))) set_callback(event, on_event);
    }
    ++shim_depth;
    const int result = REAL(event_add)(event, delay);
    --shim_depth;
    if (wanted && result != 0) shim_cancel(event);
    return result;
}

/* The line comes first: the library may wait for the callback, and that may arm the event again. */
static int delete(const shim_calls *calls, struct event *event, int (*call)(struct event *)) {
    const bool wanted = is_wanted(calls);
    if (wanted) shim_cancel(event);
    ++shim_depth;
    const int result = call(event);
    --shim_depth;
    if (wanted) put_back(event);
    return result;
}

SHIM_EXPORT int event_del(struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    return delete(calls, event, REAL(event_del));
}

SHIM_EXPORT int event_del_block(struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    return delete(calls, event, REAL(event_del_block));
}

SHIM_EXPORT int event_del_noblock(struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    return delete(calls, event, REAL(event_del_noblock));
}

SHIM_EXPORT int event_remove_timer(struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    return delete(calls, event, REAL(event_remove_timer));
}

SHIM_EXPORT void event_free(struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (is_wanted(calls)) shim_end(event);
    ++shim_depth;
    REAL(event_free)(event);
    --shim_depth;
}

/* An event that does not persist loses its timeout when it runs. */
SHIM_EXPORT void event_active(struct event *event, int what, short count) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (is_wanted(calls) && (event->ev_events & EV_PERSIST) == 0) shim_cancel(event);
    REAL(event_active)(event, what, count);
}

/* Its events end with it, without a call that could be seen. */
SHIM_EXPORT void bufferevent_free(struct bufferevent *buffer) {
    const shim_calls *calls = load(__builtin_return_address(0));
    if (is_wanted(calls)) {
        shim_end(&buffer->ev_read);
        shim_end(&buffer->ev_write);
    }
    REAL(bufferevent_free)(buffer);
}

SHIM_EXPORT event_callback_fn event_get_callback(const struct event *event) {
    const shim_calls *calls = load(__builtin_return_address(0));
    return is_wanted(calls) ? callback_of(event) : REAL(event_get_callback)(event);
}

SHIM_EXPORT void event_get_assignment(const struct event *event, struct event_base **base,
                                      evutil_socket_t *file, short *events,
                                      event_callback_fn *callback, void **argument) {
    const shim_calls *calls = load(__builtin_return_address(0));
    REAL(event_get_assignment)(event, base, file, events, callback, argument);
    if (callback != NULL && is_wanted(calls)) *callback = callback_of(event);
}

/* --- event_base_once: its event is the library's own, so the callback and its argument are --- */

typedef struct once {
    event_callback_fn callback;
    void *argument;
} once;

static void on_once(evutil_socket_t file, short what, void *argument) {
    once *o = argument;
    const once copy = *o;
    shim_called(o, (what & EV_TIMEOUT) != 0, (shim_next){ .armed = false });
    shim_end(o);
    free(o);
    copy.callback(file, what, copy.argument);
}

SHIM_EXPORT int event_base_once(struct event_base *base, evutil_socket_t file, short events,
                                event_callback_fn callback, void *argument,
                                const struct timeval *delay) {
    const shim_calls *calls = load(__builtin_return_address(0));
    once *o = delay != NULL && callback != NULL && is_wanted(calls) ? malloc(sizeof *o) : NULL;
    if (o != NULL) {
        *o = (once){ callback, argument };
        shim_arm(&library, o, (shim_function *)callback, SHIM_NOW, to_ns(delay));
    }
    ++shim_depth;
    const int result = o != NULL ? REAL(event_base_once)(base, file, events, on_once, o, delay)
                                 : REAL(event_base_once)(base, file, events, callback, argument,
                                                         delay);
    --shim_depth;
    if (o != NULL && result != 0) {
        shim_end(o);
        free(o);
    }
    return result;
}

/* --- loops --- */

/* What event_init made. */
static struct event_base *global_base(const shim_calls *calls) {
    const uintptr_t at = (uintptr_t)calls->at[AT_event_global_current_base_];
    return at != 0 ? *(struct event_base *const *)at : NULL;
}

SHIM_EXPORT int event_base_loop(struct event_base *base, int flags) {
    const shim_calls *calls = load(__builtin_return_address(0));
    struct event_base *outer = running;
    running = base;
    const int result = REAL(event_base_loop)(base, flags);
    running = outer;
    return result;
}

SHIM_EXPORT int event_base_dispatch(struct event_base *base) {
    const shim_calls *calls = load(__builtin_return_address(0));
    struct event_base *outer = running;
    running = base;
    const int result = REAL(event_base_dispatch)(base);
    running = outer;
    return result;
}

SHIM_EXPORT int event_loop(int flags) {
    const shim_calls *calls = load(__builtin_return_address(0));
    struct event_base *outer = running;
    running = global_base(calls);
    const int result = REAL(event_loop)(flags);
    running = outer;
    return result;
}

SHIM_EXPORT int event_dispatch(void) {
    const shim_calls *calls = load(__builtin_return_address(0));
    struct event_base *outer = running;
    running = global_base(calls);
    const int result = REAL(event_dispatch)();
    running = outer;
    return result;
}
