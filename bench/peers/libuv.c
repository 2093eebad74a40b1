/* libuv as a peer. Its loop keeps the time in whole milliseconds and reads it once a turn; delays
 * are rounded up, so that the rounding itself makes no timer early. */
#include "peers/peer.h"

#include <uv.h>

struct object {
    uv_timer_t timer;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    uv_loop_t loop;
} subject;

static void peer_fired(subject *s, const object *timer);

static void on_timer(uv_timer_t *timer) {
    peer_fired(timer->loop->data, (object *)(void *)timer);
}

static inline void subject_stop(subject *s, uint32_t i) {
    uv_timer_stop(&s->own.objects[i].timer);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const int64_t span = peer_span(now, delay);
    uv_timer_start(&s->own.objects[i].timer, on_timer, (uint64_t)(span + 999999) / 1000000, 0);
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    subject_reset(s, i, now, delay);
}

static void subject_update(subject *s) {
    uv_update_time(&s->loop);
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    (void)s;
    task(argument);
}

static void subject_pass(subject *s, bool wait) {
    uv_run(&s->loop, wait ? UV_RUN_ONCE : UV_RUN_NOWAIT);
}

static bool subject_open(subject *s, const player_spec *spec) {
    if (uv_loop_init(&s->loop) != 0) return false;
    s->loop.data = s;
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    for (uint32_t i = 0; i < s->own.count; ++i) uv_timer_init(&s->loop, &s->own.objects[i].timer);
    return true;
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i)
        uv_close((uv_handle_t *)&s->own.objects[i].timer, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "no lock; no caller's time: all due, one turn of the loop";
    if (spec->workload == WORKLOAD_LATENESS) return "whole milliseconds";
    return "no lock; whole milliseconds; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
