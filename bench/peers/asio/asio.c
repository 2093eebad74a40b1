/* Boost.Asio as a peer: steady timers on one io_context of one thread, which is told to take no
 * locks. What is stopped or reset leaves a handler behind that has to be run; the loops run those
 * with each expiry call, and arm anew what fell due by real time meanwhile. */
#include "peers/asio/timers.h"
#include "peers/peer.h"

#include <stddef.h>

struct object {
    _Alignas(16) char timer[ASIO_TIMER_BYTES];
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    asio_timers *timers;
    bool rearm;
} subject;

static void peer_fired(subject *s, const object *timer);

static inline void subject_stop(subject *s, uint32_t i) {
    asio_timers_stop(s->timers, i);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    asio_timers_arm(s->timers, i, peer_span(now, delay));
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    subject_reset(s, i, now, delay);
}

static void on_timer(void *argument, uint32_t i) {
    subject *s = argument;
    peer_fired(s, &s->own.objects[i]);
    if (s->rearm) asio_timers_arm(s->timers, i, 30000000000);
}

static void subject_update(subject *s) {
    asio_timers_update(s->timers);
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    (void)s;
    task(argument);
}

static void subject_pass(subject *s, bool wait) {
    asio_timers_turn(s->timers, wait);
}

static bool subject_open(subject *s, const player_spec *spec) {
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    s->rearm = spec->workload != WORKLOAD_EXPIRE && spec->workload != WORKLOAD_LATENESS;
    const asio_timers_options options = { .memory = s->own.objects, .stride = sizeof(object),
                                          .count = s->own.count, .fired = on_timer,
                                          .argument = s };
    s->timers = asio_timers_new(&options);
    return s->timers != NULL;
}

static void subject_close(subject *s) {
    asio_timers_free(s->timers);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE) return "no lock; no caller's time: all due, one poll";
    if (spec->workload == WORKLOAD_LATENESS) return "";
    return "no lock; handlers of the stopped ones run each 1024 operations; no caller's time";
}

#define PEER_UPKEEP(s) subject_pass(s, false)
#include "peers/play.h"
