/* The timed loops, compiled into each contender's own file so that its calls are direct. Before
 * including it, a file defines (all static inline):
 *
 *     typedef struct subject subject;                      one bucket of timers 0 .. N+RING-1
 *     void subject_stop(subject *s, uint32_t i);
 *     void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay);     i is not armed
 *     void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay);   i may be armed
 *     int64_t *subject_deadline(subject *s, uint32_t i);   a word beside timer i, for the loops
 *     size_t subject_expire(subject *s, int64_t now, const uint32_t **fired);
 *
 * now is virtual. A library without caller-supplied time arms by delay alone, and answers 0 to
 * subject_expire. The loops of `worst` are in worst.h. */
#ifndef WORKLOAD_LOOPS_H
#define WORKLOAD_LOOPS_H

#include "report/histogram.h"
#include "workload/clock.h"
#include "workload/random.h"
#include "workload/workload.h"

#define SECOND_NS ((int64_t)1000000000)
#define LOOP_INLINE static inline __attribute__((always_inline))
#define LOOP_APART static __attribute__((noinline))

typedef struct loop {
    uint64_t random;
    int64_t now;
    int64_t turn; /* operations so far */
    uint32_t timers;
} loop;

/* What the next operation is about, drawn before its time is taken. */
typedef struct draw {
    uint32_t timer;
    uint32_t percent;
    int64_t delay;
} draw;

LOOP_INLINE draw loop_draw(loop *l, enum workload workload) {
    draw d = { .delay = 60 * SECOND_NS };
    if (workload == WORKLOAD_FIFO) return d;
    const uint64_t bits = random_next(&l->random);
    d.timer = (uint32_t)random_scale(bits, l->timers);
    if (workload == WORKLOAD_MIXED) d.percent = (uint32_t)random_scale(random_mix(bits), 100);
    if (workload == WORKLOAD_STOP_ADD || (workload == WORKLOAD_MIXED && d.percent >= 70))
        d.delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
    return d;
}

LOOP_INLINE void loop_stop_add(subject *s, loop *l, const draw *d) {
    subject_stop(s, d->timer);
    subject_add(s, d->timer, l->now, d->delay);
}

LOOP_INLINE int64_t loop_left(subject *s, const loop *l, uint32_t timer) {
    const int64_t deadline = *subject_deadline(s, timer);
    return deadline > l->now ? deadline - l->now : 0;
}

LOOP_INLINE void loop_earlier(subject *s, loop *l, uint32_t timer) {
    const int64_t left = loop_left(s, l, timer), delay = left - left / 16;
    subject_reset(s, timer, l->now, delay);
    *subject_deadline(s, timer) = l->now + delay;
}

LOOP_INLINE void loop_mixed(subject *s, loop *l, draw *d) {
    int64_t *deadline = subject_deadline(s, d->timer);
    if (d->percent >= 70 && d->percent < 85) {
        loop_stop_add(s, l, d);
    } else {
        const int64_t left = loop_left(s, l, d->timer);
        if (d->percent >= 85) d->delay = d->percent < 95 ? left / 2 + 1000 : d->delay % 10000000;
        subject_reset(s, d->timer, l->now, d->delay);
    }
    *deadline = l->now + d->delay;
}

LOOP_INLINE void loop_fifo(subject *s, loop *l, const draw *d) {
    const uint32_t turn = (uint32_t)l->turn;
    subject_add(s, l->timers + turn % WORKLOAD_RING, l->now, d->delay);
    subject_stop(s, l->timers + (turn + WORKLOAD_RING / 2) % WORKLOAD_RING);
}

LOOP_INLINE void loop_operation(subject *s, loop *l, enum workload workload, draw *d) {
    if (workload == WORKLOAD_STOP_ADD) loop_stop_add(s, l, d);
    if (workload == WORKLOAD_RESET_LATER) subject_reset(s, d->timer, l->now, d->delay);
    if (workload == WORKLOAD_RESET_EARLIER) loop_earlier(s, l, d->timer);
    if (workload == WORKLOAD_FIFO) loop_fifo(s, l, d);
    if (workload == WORKLOAD_MIXED) loop_mixed(s, l, d);
}

LOOP_INLINE void loop_rearm(subject *s, loop *l, const uint32_t *fired, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        const int64_t delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
        subject_add(s, fired[k], l->now, delay);
        *subject_deadline(s, fired[k]) = l->now + delay;
    }
}

/* h: NULL, or where the time of each single operation goes. The loop's state is kept in registers:
 * what the loop itself does is measured too, so it is to be little. */
LOOP_INLINE void loop_turns(subject *s, loop *state, enum workload workload, int64_t ops,
                            histogram *h, int64_t overhead) {
    const uint32_t *fired;
    loop l = *state;
    for (const int64_t end = l.turn + ops; l.turn < end;) {
        draw d = loop_draw(&l, workload);
        const int64_t before = h != NULL ? clock_ns() : 0;
        loop_operation(s, &l, workload, &d);
        if (h != NULL) histogram_add(h, clock_ns() - before - overhead);
        l.now += WORKLOAD_STEP_NS;
        if (++l.turn % WORKLOAD_TICK_OPS == 0)
            loop_rearm(s, &l, fired, subject_expire(s, l.now, &fired));
    }
    *state = l;
}

#define LOOP_FOR(workload)                                                                  \
    case workload:                                                                          \
        if (h == NULL) loop_turns(s, l, workload, ops, NULL, 0);                            \
        else loop_turns(s, l, workload, ops, h, overhead);                                  \
        break

/* Each workload and pass is a loop of its own, without a branch on which it is. */
LOOP_APART void loop_run(subject *s, loop *l, enum workload workload, int64_t ops, histogram *h,
                         int64_t overhead) {
    switch (workload) {
        LOOP_FOR(WORKLOAD_STOP_ADD);
        LOOP_FOR(WORKLOAD_RESET_LATER);
        LOOP_FOR(WORKLOAD_RESET_EARLIER);
        LOOP_FOR(WORKLOAD_FIFO);
        LOOP_FOR(WORKLOAD_MIXED);
    case WORKLOAD_EXPIRE: case WORKLOAD_WORST: case WORKLOAD_CHURN: case WORKLOAD_MAILBOX:
    case WORKLOAD_LATENESS:
        break;
    }
}

/* Arm all N, and what fifo needs. */
LOOP_APART void loop_fill(subject *s, loop *l, enum workload workload) {
    for (uint32_t i = 0; i < l->timers; ++i) {
        const int64_t delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
        subject_add(s, i, l->now, delay);
        *subject_deadline(s, i) = l->now + delay;
    }
    if (workload != WORKLOAD_FIFO) return;
    for (uint32_t i = WORKLOAD_RING / 2; i < WORKLOAD_RING; ++i)
        subject_add(s, l->timers + i, l->now, 60 * SECOND_NS);
}

#endif
