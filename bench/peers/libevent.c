/* libevent as a peer, without its locks. Outside of callbacks it reads the clock at each event_add;
 * so the loops run within a callback, where its cached time is in use. As "libevent-common" the
 * constant 60 s is a common timeout (a queue instead of the heap), as its manual recommends for
 * many timers of one length. */
#include "peers/peer.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <string.h>

#define COMMON_NS 60000000000

struct object {
    struct event event;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    struct event_base *base;
    struct timeval common; /* libevent's mark in it, or 0 */
    bool rearm;            /* what falls due by real time meanwhile is armed anew */
    struct event task_event;
    peer_task *task;
    void *task_argument;
} subject;

static void peer_fired(subject *s, const object *timer);

static inline void subject_stop(subject *s, uint32_t i) {
    event_del(&s->own.objects[i].event);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const int64_t span_us = (peer_span(now, delay) + 999) / 1000;
    const struct timeval span = { .tv_sec = span_us / 1000000, .tv_usec = span_us % 1000000 };
    const bool is_common = s->common.tv_sec != 0 && delay == COMMON_NS;
    event_add(&s->own.objects[i].event, is_common ? &s->common : &span);
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    subject_reset(s, i, now, delay);
}

/* The object is found by its address: an event has no room for a second argument. */
static void on_timer(evutil_socket_t fd, short what, void *argument) {
    subject *s = argument;
    object *timer = (object *)(void *)event_base_get_running_event(s->base);
    (void)fd;
    (void)what;
    peer_fired(s, timer);
    const uint32_t i = (uint32_t)(timer - s->own.objects);
    if (s->rearm) subject_add(s, i, WORKLOAD_START_NS, COMMON_NS / 2);
}

static void on_task(evutil_socket_t fd, short what, void *argument) {
    subject *s = argument;
    (void)fd;
    (void)what;
    s->task(s->task_argument);
}

static void subject_update(subject *s) {
    event_base_update_cache_time(s->base);
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    s->task = task;
    s->task_argument = argument;
    event_active(&s->task_event, EV_TIMEOUT, 0);
    event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static void subject_pass(subject *s, bool wait) {
    event_base_loop(s->base, wait ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static struct event_base *make_base(void) {
    struct event_config *config = event_config_new();
    if (config == NULL) return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static bool subject_open(subject *s, const player_spec *spec) {
    static const struct timeval minute = { .tv_sec = COMMON_NS / 1000000000 };
    s->base = make_base();
    if (s->base == NULL) return false;
    if (strcmp(spec->subject, "libevent-common") == 0)
        s->common = *event_base_init_common_timeout(s->base, &minute);
    s->rearm = spec->workload != WORKLOAD_EXPIRE && spec->workload != WORKLOAD_LATENESS;
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    event_assign(&s->task_event, s->base, -1, 0, on_task, s);
    for (uint32_t i = 0; i < s->own.count; ++i)
        event_assign(&s->own.objects[i].event, s->base, -1, 0, on_timer, s);
    return true;
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i) event_del(&s->own.objects[i].event);
    event_base_free(s->base);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "no lock; no caller's time: all due, one turn of the loop";
    if (spec->workload == WORKLOAD_LATENESS) return "with its precise timer";
    if (strcmp(spec->subject, "libevent-common") == 0)
        return "no lock; no caller's time, so nothing expires meanwhile; 60 s as a common timeout";
    return "no lock; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
