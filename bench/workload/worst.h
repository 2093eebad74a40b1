/* The sequences of `worst`, compiled into each contender's own file after loops.h. Each operation
 * is timed by itself; a sequence is played WORST_REPEATS times from the same start. */
#ifndef WORKLOAD_WORST_H
#define WORKLOAD_WORST_H

#include "workload/longest.h"
#include "workload/loops.h"

#define WORST_REPEATS 4

enum worst_kind { WORST_STOP, WORST_ADD, WORST_RESET, WORST_EXPIRE, WORST_KINDS };

typedef struct worst {
    longest of[WORST_KINDS];
    int64_t overhead;
} worst;

static inline const char *worst_name(size_t kind) {
    static const char *const names[] = { "stop", "add", "reset", "expire" };
    return names[kind];
}

static inline bool worst_init(worst *w, int64_t timers) {
    *w = (worst){ .overhead = clock_overhead_ns() };
    bool good = true;
    for (size_t i = 0; i < WORST_KINDS; ++i)
        good = longest_init(&w->of[i], (size_t)timers * 2 + 20000) == 0 && good;
    return good;
}

static inline void worst_free(worst *w) {
    for (size_t i = 0; i < WORST_KINDS; ++i) longest_free(&w->of[i]);
}

static inline void worst_rewind(worst *w) {
    for (size_t i = 0; i < WORST_KINDS; ++i) longest_rewind(&w->of[i]);
}

/* Every number below `count` once, in an order without pattern: the factor is a prime. */
static inline uint32_t worst_scatter(uint32_t i, uint32_t count) {
    return (uint32_t)((uint64_t)i * 2654435761u % count);
}

#define WORST_TIMED(w, kind, call)                                        \
    do {                                                                  \
        const int64_t before = clock_ns();                                \
        call;                                                             \
        longest_add(&(w)->of[kind], clock_ns() - before - (w)->overhead); \
    } while (0)

static inline size_t worst_step(subject *s, loop *l, worst *w, int64_t step_ns,
                                const uint32_t **fired) {
    size_t count;
    l->now += step_ns;
    WORST_TIMED(w, WORST_EXPIRE, count = subject_expire(s, l->now, fired));
    return count;
}

static inline void worst_turn(subject *s, loop *l, worst *w) {
    const uint32_t *fired;
    l->now += WORKLOAD_STEP_NS;
    if (++l->turn % WORKLOAD_TICK_OPS == 0)
        loop_rearm(s, l, fired, worst_step(s, l, w, 0, &fired));
}

/* The first timer from a random one on that is armed, or is not; of half there is always one near.
 * The word beside a timer is 0 while it is stopped. */
static inline uint32_t worst_pick(subject *s, loop *l, bool armed) {
    uint32_t timer = (uint32_t)random_scale(random_next(&l->random), l->timers);
    for (uint32_t k = 0; k < l->timers && (*subject_deadline(s, timer) != 0) != armed; ++k)
        timer = timer + 1 == l->timers ? 0 : timer + 1;
    return timer;
}

static inline void worst_stop(subject *s, loop *l, worst *w, uint32_t timer) {
    WORST_TIMED(w, WORST_STOP, subject_stop(s, timer));
    *subject_deadline(s, timer) = 0;
    worst_turn(s, l, w);
}

/* Pre: all N are armed. Half of them are stopped; then stops, adds and resets in equal shares keep
 * half of them stopped. */
LOOP_APART void worst_mix(subject *s, loop *l, worst *w) {
    const uint32_t half = l->timers / 2;
    for (uint32_t i = 0; i < half; ++i) worst_stop(s, l, w, worst_scatter(i, l->timers));
    for (uint32_t i = 0; i < half / 3; ++i) {
        uint32_t timer = worst_pick(s, l, false);
        int64_t delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
        WORST_TIMED(w, WORST_ADD, subject_add(s, timer, l->now, delay));
        *subject_deadline(s, timer) = l->now + delay;
        timer = worst_pick(s, l, true);
        delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
        WORST_TIMED(w, WORST_RESET, subject_reset(s, timer, l->now, delay));
        worst_stop(s, l, w, worst_pick(s, l, true));
    }
}

/* Pre: none is armed. N adds in 100 ms, each for 60 s; 95 % are stopped; the rest expires. */
LOOP_APART void worst_burst(subject *s, loop *l, worst *w) {
    const uint32_t *fired;
    const uint32_t stops = (uint32_t)((uint64_t)l->timers * 95 / 100);
    for (uint32_t i = 0; i < l->timers; ++i) {
        WORST_TIMED(w, WORST_ADD, subject_add(s, i, l->now, 60 * SECOND_NS));
        l->now += 100000000 / (int64_t)l->timers;
        if (i % WORKLOAD_TICK_OPS == 0) worst_step(s, l, w, 0, &fired);
    }
    for (uint32_t i = 0; i < stops; ++i) {
        WORST_TIMED(w, WORST_STOP, subject_stop(s, worst_scatter(i, l->timers)));
        l->now += WORKLOAD_STEP_NS;
        if (i % WORKLOAD_TICK_OPS == 0) worst_step(s, l, w, 0, &fired);
    }
    while (l->now < WORKLOAD_START_NS + 61 * SECOND_NS) worst_step(s, l, w, 1000000, &fired);
}

/* A row for each kind that has times: "worst/stop", or with a prefix "worst/burst-stop". */
static inline void worst_rows(worst *w, const char *prefix, const row *like, rows *out) {
    for (size_t kind = 0; kind < WORST_KINDS; ++kind) {
        if (w->of[kind].used == 0) continue;
        row r = *like;
        snprintf(r.workload, sizeof r.workload, "worst/%s%s", prefix, worst_name(kind));
        longest_row(&w->of[kind], &r);
        rows_add(out, &r);
    }
}

#endif
