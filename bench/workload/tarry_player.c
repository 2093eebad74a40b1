/* tarry as a contender, by its public core surface: a runtime driven by hand on a virtual clock,
 * with its locks or without, one worker for each thread. Every result of the library is looked at,
 * and at the end its own counters must agree with what was played. */
#include "workload/backends.h"
#include "workload/cores.h"
#include "workload/pages.h"
#include "workload/player.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tarry/tarry.h>

typedef struct subject {
    tarry_runtime *rt;
    tarry_handle first; /* of timer 0 */
    int64_t *deadlines; /* by timer; their addresses are the callbacks' arguments */
    uint32_t count;
    uint32_t *fired;
    size_t fired_count;
    int bad; /* the library's results or-ed: < 0 where one was an error */
} subject;

/* Callbacks run in the thread that drives the worker. */
static _Thread_local subject *driven;

static void on_fire(void *argument) {
    driven->fired[driven->fired_count++] = (uint32_t)((int64_t *)argument - driven->deadlines);
}

/* A program has a handle at hand when it calls, in memory that it touches anyway. To look it up in
 * a table of a million would be one more cache miss in each call, which is none of the library's;
 * so handles are computed. That they follow from each other was seen when they were made. */
static inline tarry_handle handle_of(const subject *s, uint32_t i) {
    return (tarry_handle){ s->first.bucket, s->first.slot + i, s->first.generation, 0 };
}

static inline void subject_stop(subject *s, uint32_t i) {
    s->bad |= tarry_disarm(s->rt, handle_of(s, i));
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    s->bad |= tarry_arm_at(s->rt, handle_of(s, i), now + delay);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    s->bad |= tarry_rearm_at(s->rt, handle_of(s, i), now + delay);
}

static inline int64_t *subject_deadline(subject *s, uint32_t i) {
    return &s->deadlines[i];
}

static inline size_t subject_expire(subject *s, int64_t now, const uint32_t **fired) {
    driven = s;
    s->fired_count = 0;
    s->bad |= (int)(tarry_run_expired(s->rt, s->first.bucket, now, 0) >> 32);
    *fired = s->fired;
    return s->fired_count;
}

#include "workload/worst.h"

static void subject_close(subject *s) {
    pages_give(s->deadlines, s->count * sizeof *s->deadlines);
    pages_give(s->fired, s->count * sizeof *s->fired);
    *s = (subject){ 0 };
}

static bool make_handle(subject *s, unsigned worker, uint32_t i) {
    tarry_handle handle;
    if (tarry_handle_new(&handle, s->rt, worker, on_fire, &s->deadlines[i]) != 0) return false;
    if (i == 0) s->first = handle;
    const tarry_handle expected = handle_of(s, i);
    return memcmp(&handle, &expected, sizeof handle) == 0;
}

static bool subject_open(subject *s, tarry_runtime *rt, unsigned worker, uint32_t count) {
    *s = (subject){ .rt = rt, .count = count };
    s->deadlines = pages_take(count * sizeof *s->deadlines);
    s->fired = pages_take(count * sizeof *s->fired);
    bool good = s->deadlines != NULL && s->fired != NULL;
    for (uint32_t i = 0; i < count && good; ++i) good = make_handle(s, worker, i);
    if (!good) subject_close(s);
    return good;
}

/* One thread's share. */
typedef struct share {
    subject subject;
    loop loop;
    enum workload workload;
    int64_t ops;
    pthread_barrier_t *start;
    int64_t began, ended, cpu; /* ns */
    pthread_t thread;
} share;

typedef struct tarry_contender {
    player_spec spec;
    tarry_runtime *rt;
    share *shares;
    int64_t opened; /* shares that are */
} tarry_contender;

static bool told(const tarry_contender *c, const char *what) {
    fprintf(stderr, "%s: %s\n", c->spec.subject, what);
    return false;
}

static void discard(tarry_contender *c) {
    for (int64_t i = 0; i < c->opened; ++i) subject_close(&c->shares[i].subject);
    if (c->rt != NULL) tarry_destroy(c->rt);
    c->opened = 0;
    c->rt = NULL;
}

/* A runtime with timers, none armed. The seed makes every fresh start the same. */
static bool fresh(tarry_contender *c) {
    const uint32_t timers = (uint32_t)(c->spec.timers / c->spec.threads);
    c->rt = backends_make(c->spec.subject, (unsigned)c->spec.threads);
    if (c->rt == NULL) return false;
    for (; c->opened < c->spec.threads; ++c->opened) {
        share *own = &c->shares[c->opened];
        *own = (share){ .workload = c->spec.workload, .ops = c->spec.ops };
        own->loop = (loop){ .random = c->spec.seed + (uint64_t)c->opened,
                            .now = WORKLOAD_START_NS, .timers = timers };
        if (!subject_open(&own->subject, c->rt, (unsigned)c->opened, timers + WORKLOAD_RING)) {
            discard(c);
            return told(c, "so many timers could not be made in a row");
        }
    }
    return true;
}

static bool read_stats(const tarry_contender *c, tarry_stats *stats) {
    *stats = (tarry_stats)TARRY_STATS_INIT;
    if (tarry_stats_read(stats, c->rt, TARRY_ALL_WORKERS) != 0)
        return told(c, "the counters cannot be read");
    return true;
}

/* Nothing failed, nothing was lost. */
static bool is_sound(const tarry_contender *c) {
    tarry_stats stats;
    if (!read_stats(c, &stats)) return false;
    for (int64_t i = 0; i < c->opened; ++i)
        if (c->shares[i].subject.bad < 0) return told(c, "check failed: a call answered an error");
    if (stats.armed != stats.fired + stats.stopped + stats.pending)
        return told(c, "check failed: armed != fired + stopped + pending");
    return true;
}

static void *run_share(void *argument) {
    share *own = argument;
    loop_run(&own->subject, &own->loop, own->workload, own->ops / 20, NULL, 0);
    pthread_barrier_wait(own->start);
    own->began = clock_ns();
    const int64_t cpu_began = clock_cpu_ns();
    loop_run(&own->subject, &own->loop, own->workload, own->ops, NULL, 0);
    own->cpu = clock_cpu_ns() - cpu_began;
    own->ended = clock_ns();
    return NULL;
}

/* All shares at once: the longest that one has run for. Where there are more threads than cores
 * they ran by turns, and it is ns from the first one's begin to the last one's end. */
static int64_t run_shares(tarry_contender *c) {
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)c->spec.threads);
    for (int64_t i = 0; i < c->opened; ++i) c->shares[i].start = &start;
    for (int64_t i = 1; i < c->opened; ++i)
        if (pthread_create(&c->shares[i].thread, NULL, run_share, &c->shares[i]) != 0) {
            fprintf(stderr, "no more threads\n");
            exit(3); /* those at the barrier would wait for ever */
        }
    run_share(&c->shares[0]);
    share all = c->shares[0];
    for (int64_t i = 1; i < c->opened; ++i) {
        const share *own = &c->shares[i];
        pthread_join(own->thread, NULL);
        if (own->began < all.began) all.began = own->began;
        if (own->ended > all.ended) all.ended = own->ended;
        if (own->cpu > all.cpu) all.cpu = own->cpu;
    }
    pthread_barrier_destroy(&start);
    return c->opened <= cores_count() ? all.cpu : all.ended - all.began;
}

/* N deadlines over 10 s, in steps of 1 ms; h: the time of each step. False: not all fired. */
static bool expire_once(share *own, int64_t *spent, histogram *h, int64_t overhead) {
    loop *l = &own->loop;
    size_t fired = 0;
    const uint32_t *list;
    for (uint32_t i = 0; i < l->timers; ++i)
        subject_add(&own->subject, i, l->now, random_between(&l->random, 1, 10 * SECOND_NS));
    const int64_t began = clock_cpu_ns();
    for (int step = 0; step <= 10001; ++step) {
        l->now += 1000000;
        const int64_t before = h != NULL ? clock_ns() : 0;
        fired += subject_expire(&own->subject, l->now, &list);
        if (h != NULL) histogram_add(h, clock_ns() - before - overhead);
    }
    *spent += clock_cpu_ns() - began;
    return fired == l->timers;
}

/* How often all N expire in one repeat. */
static int64_t expire_passes(const tarry_contender *c) {
    const int64_t passes = c->spec.ops / c->spec.timers;
    return passes < 1 ? 1 : passes > 20 ? 20 : passes;
}

static row blank_row(const tarry_contender *c) {
    row r;
    row_init(&r, workload_name(c->spec.workload), c->spec.subject, NULL);
    r.timers = c->spec.timers;
    r.threads = c->spec.threads;
    return r;
}

static bool play_mean(tarry_contender *c, rows *out) {
    tarry_stats stats;
    row r = blank_row(c);
    int64_t spent = 0;
    r.ops = c->spec.ops * c->spec.threads;
    if (c->spec.workload == WORKLOAD_EXPIRE) {
        const int64_t passes = expire_passes(c);
        r.ops = passes * c->spec.timers;
        for (int64_t i = 0; i < passes; ++i)
            if (!expire_once(&c->shares[0], &spent, NULL, 0))
                return told(c, "check failed: not every timer fired once");
    } else {
        spent = run_shares(c);
    }
    if (!is_sound(c) || !read_stats(c, &stats)) return false;
    r.ns_per_op = (double)spent / (double)r.ops;
    r.bytes_per_timer = (double)stats.memory / (double)c->spec.timers;
    rows_add(out, &r);
    return true;
}

static bool play_detail(tarry_contender *c, rows *out) {
    histogram h;
    row r = blank_row(c);
    int64_t spent;
    share *own = &c->shares[0];
    const int64_t overhead = clock_overhead_ns();
    if (histogram_init(&h) != 0) return told(c, "no memory");
    if (c->spec.workload == WORKLOAD_EXPIRE) {
        expire_once(own, &spent, &h, overhead);
        row_note(&r, "p50 to max: one expiry call of 1 ms, %.3g timers on average",
                 (double)c->spec.timers / 10000);
    } else {
        loop_run(&own->subject, &own->loop, c->spec.workload, c->spec.ops, &h, overhead);
    }
    row_set_percentiles(&r, &h);
    histogram_free(&h);
    rows_add(out, &r);
    return is_sound(c);
}

/* Pre: none is armed. N deadlines over 100 s, in steps of 10 ms: across every level of a wheel. */
LOOP_APART void worst_drain(subject *s, loop *l, worst *w) {
    const uint32_t *fired;
    for (uint32_t i = 0; i < l->timers; ++i)
        subject_add(s, i, l->now, random_between(&l->random, 1, 100 * SECOND_NS));
    for (int k = 0; k <= 10000; ++k) worst_step(s, l, w, 10000000, &fired);
}

typedef void sequence(subject *s, loop *l, worst *w);

static void play_mix(subject *s, loop *l, worst *w) {
    loop_fill(s, l, WORKLOAD_WORST);
    worst_mix(s, l, w);
}

static bool play_sequence(tarry_contender *c, sequence *run, const char *prefix, rows *out) {
    worst w;
    bool good = worst_init(&w, c->spec.timers) || told(c, "no memory");
    for (int i = 0; i < WORST_REPEATS && good; ++i) {
        worst_rewind(&w);
        good = fresh(c);
        if (good) run(&c->shares[0].subject, &c->shares[0].loop, &w);
        good = good && is_sound(c);
        discard(c);
    }
    const row like = blank_row(c);
    if (good) worst_rows(&w, prefix, &like, out);
    worst_free(&w);
    return good;
}

static bool play_worst(tarry_contender *c, rows *out) {
    return play_sequence(c, play_mix, "", out) && play_sequence(c, worst_drain, "drain-", out) &&
           play_sequence(c, worst_burst, "burst-", out);
}

/* Arm and stop random ones, over and over. */
static bool churn_timers(tarry_contender *c, rows *out) {
    share *own = &c->shares[0];
    loop *l = &own->loop;
    const uint32_t *fired;
    tarry_stats before, after;
    row r = blank_row(c);
    if (!read_stats(c, &before)) return false;
    const int64_t began = clock_cpu_ns();
    for (int64_t k = 0; k < WORKLOAD_CHURN_OPS; ++k) {
        const uint32_t i = (uint32_t)random_scale(random_next(&l->random), l->timers);
        const int64_t delay = random_between(&l->random, SECOND_NS, 60 * SECOND_NS);
        subject_add(&own->subject, i, l->now, delay);
        subject_stop(&own->subject, i);
        l->now += WORKLOAD_STEP_NS;
        if (k % WORKLOAD_TICK_OPS == 0) subject_expire(&own->subject, l->now, &fired);
    }
    r.ns_per_op = (double)(clock_cpu_ns() - began) / WORKLOAD_CHURN_OPS;
    if (!is_sound(c) || !read_stats(c, &after)) return false;
    r.ops = WORKLOAD_CHURN_OPS;
    r.bytes_per_timer = (double)after.memory / (double)own->subject.count;
    row_note(&r, "%llu bytes held before, %llu after; %llu entries left",
             (unsigned long long)before.memory, (unsigned long long)after.memory,
             (unsigned long long)after.entries);
    rows_add(out, &r);
    if (after.memory <= before.memory) return true;
    return told(c, "check failed: memory did not return to where it was");
}

static bool play_churn(tarry_contender *c, rows *out) {
    const int64_t sizes[] = { 1, c->spec.timers };
    bool good = true;
    for (int i = 0; i < 2 && good; ++i) {
        c->spec.timers = sizes[i];
        good = fresh(c) && churn_timers(c, out);
        discard(c);
    }
    return good;
}

static void player_close(void *player) {
    tarry_contender *c = player;
    discard(c);
    free(c->shares);
    free(c);
}

static void *player_open(const player_spec *spec) {
    tarry_contender *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->spec = *spec;
    c->shares = calloc((size_t)spec->threads, sizeof *c->shares);
    if (c->shares == NULL) {
        free(c);
        return NULL;
    }
    /* These start afresh by themselves. */
    if (spec->workload == WORKLOAD_WORST || spec->workload == WORKLOAD_CHURN) return c;
    if (!fresh(c)) {
        player_close(c);
        return NULL;
    }
    for (int64_t i = 0; i < c->opened && spec->workload != WORKLOAD_EXPIRE; ++i)
        loop_fill(&c->shares[i].subject, &c->shares[i].loop, spec->workload);
    return c;
}

static bool player_play(void *player, enum pass pass, rows *out) {
    tarry_contender *c = player;
    if (c->spec.workload == WORKLOAD_WORST) return play_worst(c, out);
    if (c->spec.workload == WORKLOAD_CHURN) return play_churn(c, out);
    return pass == PASS_MEAN ? play_mean(c, out) : play_detail(c, out);
}

const player_ops tarry_player = { player_open, NULL, player_play, player_close };
