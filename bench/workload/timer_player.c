/* Timers with a mailbox on which nobody waits, as a program has them that receives a result in time
 * nearly always: made, stopped and freed, while N others are pending. By the public calls, with
 * every result looked at; at the end the library's counters must agree with what was played. */
#include "report/histogram.h"
#include "workload/backends.h"
#include "workload/clock.h"
#include "workload/pages.h"
#include "workload/player.h"
#include "workload/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <tarry/tarry.h>

typedef struct timer_contender {
    player_spec spec;
    tarry_runtime *rt;
    tarry_timer **pending; /* N */
    int64_t made;          /* of them */
    uint64_t random;
    int bad; /* the library's results or-ed: < 0 where one was an error */
    int64_t stopped;
} timer_contender;

static bool told(const timer_contender *c, const char *what) {
    fprintf(stderr, "%s: %s\n", c->spec.subject, what);
    return false;
}

static int64_t draw_delay(timer_contender *c) {
    return random_between(&c->random, TARRY_SECOND, 60 * TARRY_SECOND);
}

static inline void turn(timer_contender *c, int64_t delay) {
    tarry_timer *timer;
    const int status = tarry_timer_new(&timer, c->rt, delay);
    c->bad |= status;
    if (status != 0) return;
    const int found = tarry_timer_stop(timer);
    c->bad |= found | tarry_timer_free(timer);
    c->stopped += found == 1;
}

static int64_t run(timer_contender *c, int64_t ops) {
    const int64_t began = clock_cpu_ns();
    for (int64_t k = 0; k < ops; ++k) turn(c, draw_delay(c));
    return clock_cpu_ns() - began;
}

static void run_detail(timer_contender *c, histogram *h) {
    const int64_t overhead = clock_overhead_ns();
    for (int64_t k = 0; k < c->spec.ops; ++k) {
        const int64_t delay = draw_delay(c), before = clock_ns();
        turn(c, delay);
        histogram_add(h, clock_ns() - before - overhead);
    }
}

/* Each was stopped before it fired, and the N are pending still. */
static bool is_sound(timer_contender *c, tarry_stats *stats, int64_t turns) {
    *stats = (tarry_stats)TARRY_STATS_INIT;
    if (c->bad < 0 || tarry_stats_read(stats, c->rt, TARRY_ALL_WORKERS) != 0)
        return told(c, "check failed: a call answered an error");
    if (c->stopped != turns) return told(c, "check failed: not every timer was stopped");
    c->stopped = 0;
    if (stats->armed == stats->fired + stats->stopped + stats->pending &&
        stats->pending == (uint64_t)c->spec.timers)
        return true;
    return told(c, "check failed: the counters do not agree with what was played");
}

static bool timer_play(void *player, enum pass pass, rows *out) {
    timer_contender *c = player;
    tarry_stats stats;
    histogram h;
    row r;
    row_init(&r, workload_text(c->spec.workload), c->spec.subject, NULL);
    r.timers = c->spec.timers;
    r.threads = 1;
    r.ops = c->spec.ops;
    int64_t turns = c->spec.ops;
    if (pass == PASS_MEAN) {
        turns += c->spec.ops / 20;
        run(c, c->spec.ops / 20);
        r.ns_per_op = (double)run(c, c->spec.ops) / (double)c->spec.ops;
    } else {
        if (histogram_init(&h) != 0) return told(c, "no memory");
        run_detail(c, &h);
        row_set_percentiles(&r, &h);
        histogram_free(&h);
    }
    if (!is_sound(c, &stats, turns)) return false;
    r.bytes_per_timer = (double)stats.memory / (double)c->spec.timers;
    row_note(&r, "floor: malloc and free; %llu entries in the backend for those pending",
             (unsigned long long)stats.entries);
    rows_add(out, &r);
    return true;
}

static void timer_close(void *player) {
    timer_contender *c = player;
    for (int64_t i = 0; i < c->made; ++i) tarry_timer_free(c->pending[i]);
    if (c->rt != NULL) tarry_destroy(c->rt);
    pages_give(c->pending, (size_t)c->spec.timers * sizeof(tarry_timer *));
    free(c);
}

static bool set_up(timer_contender *c) {
    c->rt = backends_make_threaded(c->spec.subject);
    if (c->rt == NULL) return false;
    c->pending = pages_take((size_t)c->spec.timers * sizeof(tarry_timer *));
    if (c->pending == NULL) return told(c, "no memory for so many timers");
    for (; c->made < c->spec.timers; ++c->made)
        if (tarry_timer_new(&c->pending[c->made], c->rt, draw_delay(c)) != 0)
            return told(c, "so many timers could not be made");
    return true;
}

static void *timer_open(const player_spec *spec) {
    timer_contender *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->spec = *spec;
    c->random = spec->seed;
    if (set_up(c)) return c;
    timer_close(c);
    return NULL;
}

const player_ops timer_player = { timer_open, NULL, timer_play, timer_close };
