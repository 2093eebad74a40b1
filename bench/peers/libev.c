/* libev as a peer: a 4-ary heap with the deadlines in its array (Debian's build). The loop's time
 * is read once a turn. An active timer is reset by ev_timer_again, as its manual recommends. */
#include "peers/peer.h"

#include <ev.h>

struct object {
    ev_timer timer;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    struct ev_loop *loop;
} subject;

static void peer_fired(subject *s, const object *timer);

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events) {
    (void)events;
    peer_fired(ev_userdata(loop), (object *)(void *)timer);
}

static inline void subject_stop(subject *s, uint32_t i) {
    ev_timer_stop(s->loop, &s->own.objects[i].timer);
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    ev_timer_set(&s->own.objects[i].timer, (double)peer_span(now, delay) * 1e-9, 0.);
    ev_timer_start(s->loop, &s->own.objects[i].timer);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    s->own.objects[i].timer.repeat = (double)peer_span(now, delay) * 1e-9;
    ev_timer_again(s->loop, &s->own.objects[i].timer);
}

static void subject_update(subject *s) {
    ev_now_update(s->loop);
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    (void)s;
    task(argument);
}

static void subject_pass(subject *s, bool wait) {
    ev_run(s->loop, wait ? EVRUN_ONCE : EVRUN_NOWAIT);
}

static bool subject_open(subject *s, const player_spec *spec) {
    s->loop = ev_loop_new(EVFLAG_AUTO);
    if (s->loop == NULL) return false;
    ev_set_userdata(s->loop, s);
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    for (uint32_t i = 0; i < s->own.count; ++i)
        ev_timer_init(&s->own.objects[i].timer, on_timer, 0., 0.);
    return true;
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i) ev_timer_stop(s->loop, &s->own.objects[i].timer);
    ev_loop_destroy(s->loop);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "no lock; no caller's time: all due, one turn of the loop";
    if (spec->workload == WORKLOAD_LATENESS) return "waits in whole milliseconds";
    return "no lock; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
