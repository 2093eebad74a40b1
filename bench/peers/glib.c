/* GLib as a peer: a source a timer on a main context of its own, armed and stopped by
 * g_source_set_ready_time, as its manual recommends for a source with a time. Each such call wakes
 * the context up, by a system call. A turn of the context looks at every source. */
#include "peers/peer.h"

#include <glib.h>

struct object {
    GSource *source;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    GMainContext *context;
    int64_t now_us;
} subject;

typedef struct timer_source {
    GSource source;
    subject *subject;
    object *object;
} timer_source;

static void peer_fired(subject *s, const object *timer);

static gboolean on_timer(GSource *source, GSourceFunc callback, gpointer argument) {
    const timer_source *timer = (timer_source *)(void *)source;
    (void)callback;
    (void)argument;
    g_source_set_ready_time(source, -1);
    peer_fired(timer->subject, timer->object);
    return G_SOURCE_CONTINUE;
}

static inline void subject_stop(subject *s, uint32_t i) {
    g_source_set_ready_time(s->own.objects[i].source, -1);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const int64_t span_us = (peer_span(now, delay) + 999) / 1000;
    g_source_set_ready_time(s->own.objects[i].source, s->now_us + span_us);
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    subject_reset(s, i, now, delay);
}

static void subject_update(subject *s) {
    s->now_us = g_get_monotonic_time();
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    (void)s;
    task(argument);
}

static void subject_pass(subject *s, bool wait) {
    g_main_context_iteration(s->context, wait);
}

static bool subject_open(subject *s, const player_spec *spec) {
    static GSourceFuncs functions = { .dispatch = on_timer };
    s->context = g_main_context_new();
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    subject_update(s);
    for (uint32_t i = 0; i < s->own.count; ++i) {
        GSource *source = g_source_new(&functions, sizeof(timer_source));
        timer_source *timer = (timer_source *)(void *)source;
        timer->subject = s;
        timer->object = &s->own.objects[i];
        timer->object->source = source;
        g_source_attach(source, s->context);
    }
    return true;
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i) {
        g_source_destroy(s->own.objects[i].source);
        g_source_unref(s->own.objects[i].source);
    }
    g_main_context_unref(s->context);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "a lock; no caller's time: all due, turns of the loop";
    if (spec->workload == WORKLOAD_LATENESS) return "waits in whole milliseconds";
    return "a lock and a system call an arm and a stop; no caller's time, so nothing expires "
           "meanwhile";
}

#include "peers/play.h"
