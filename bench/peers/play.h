/* How a library without caller-supplied time plays the workloads, the same for each: compiled
 * into the peer's own file so that its calls are direct. Before including it, the file defines
 * subject_stop, subject_add and subject_reset as loops.h says, and:
 *
 *     struct object, typedef struct subject subject;   as peer.h says
 *     bool subject_open(subject *s, const player_spec *spec);   the objects are there, zeroed;
 *                                     false: nothing is left open
 *     void subject_close(subject *s);
 *     void subject_update(subject *s);                the library takes the present time
 *     void subject_within(subject *s, peer_task *task, void *argument);
 *                                     call task so that the library's cached time is in use
 *     void subject_pass(subject *s, bool wait);   one turn of its loop; wait: for the next timer
 *     const char *subject_note(const player_spec *spec);   how it was used
 *
 * Its callback calls peer_fired. PEER_UPKEEP(subject), if it defines that, is what the library has to
 * do now and then; it is part of each expiry call. */
#ifndef PEER_PLAY_H
#define PEER_PLAY_H

#include "workload/pages.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static inline int64_t *subject_deadline(subject *s, uint32_t i) {
    return &s->own.objects[i].deadline;
}

#ifndef PEER_UPKEEP
#define PEER_UPKEEP(s) ((void)(s))
#endif

/* A library that knows no time but its own cannot expire at a virtual one. */
static inline size_t subject_expire(subject *s, int64_t now, const uint32_t **fired) {
    PEER_UPKEEP(s);
    (void)now;
    (void)fired;
    return 0;
}

#include "workload/worst.h"

#define PEER_EXPIRE_SPAN_NS 100000000 /* real deadlines of `expire` */

typedef struct contender {
    player_spec spec;
    subject subject;
    loop loop;
    double bytes_per_timer;
    bool is_open;
    int64_t segment; /* of lateness */
    int64_t *offsets;
    lateness_log log;
    /* What a task does and gives. */
    histogram *h;
    worst *worst;
    int64_t spent;
} contender;

/* For the library's callback: a timer fired. */
static void peer_fired(subject *s, const object *timer) {
    ++s->own.fired;
    if (s->own.times != NULL && s->own.times[timer - s->own.objects] < UINT8_MAX)
        ++s->own.times[timer - s->own.objects];
    if (s->own.log != NULL) lateness_note(s->own.log, timer->deadline);
}

static bool told(const contender *c, const char *what) {
    fprintf(stderr, "%s: %s\n", c->spec.subject, what);
    return false;
}

static uint32_t object_count(const player_spec *spec) {
    return (uint32_t)spec->timers + WORKLOAD_RING;
}

static double heap_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static bool is_refused(const contender *c) {
    return c->subject.own.refusal[0] != '\0';
}

static void discard(contender *c) {
    if (!c->is_open) return;
    subject_close(&c->subject);
    pages_give(c->subject.own.objects, object_count(&c->spec) * sizeof(object));
    c->subject.own.objects = NULL;
    c->is_open = false;
}

static bool fresh(contender *c) {
    c->subject = (subject){ 0 };
    c->loop = (loop){ .random = c->spec.seed, .now = WORKLOAD_START_NS,
                      .timers = (uint32_t)c->spec.timers };
    c->subject.own.objects = pages_take(object_count(&c->spec) * sizeof(object));
    if (c->subject.own.objects == NULL) return told(c, "no memory for so many timers");
    c->is_open = subject_open(&c->subject, &c->spec);
    if (c->is_open) return true;
    pages_give(c->subject.own.objects, object_count(&c->spec) * sizeof(object));
    return !is_refused(c) && told(c, "the library could not be set up");
}

static void fill_task(void *argument) {
    contender *c = argument;
    loop_fill(&c->subject, &c->loop, c->spec.workload);
}

static void mean_task(void *argument) {
    contender *c = argument;
    loop_run(&c->subject, &c->loop, c->spec.workload, c->spec.ops / 20, NULL, 0);
    const int64_t began = clock_cpu_ns();
    loop_run(&c->subject, &c->loop, c->spec.workload, c->spec.ops, NULL, 0);
    c->spent = clock_cpu_ns() - began;
}

static void detail_task(void *argument) {
    contender *c = argument;
    loop_run(&c->subject, &c->loop, c->spec.workload, c->spec.ops, c->h, clock_overhead_ns());
}

static void expire_task(void *argument) {
    contender *c = argument;
    loop *l = &c->loop;
    subject_update(&c->subject);
    for (uint32_t i = 0; i < l->timers; ++i)
        subject_add(&c->subject, i, l->now, random_between(&l->random, 1, PEER_EXPIRE_SPAN_NS));
}

/* From here to fired_once firings are told apart. */
static bool watch_firings(contender *c) {
    c->subject.own.fired = 0;
    c->subject.own.times = calloc(object_count(&c->spec), 1);
    return c->subject.own.times != NULL || told(c, "no memory");
}

/* Each of those that were armed, and nobody else; one more turn shows who fires again. */
static bool fired_once(contender *c) {
    bool good = true;
    subject_pass(&c->subject, false);
    for (uint32_t i = 0; i < object_count(&c->spec); ++i)
        good = good && c->subject.own.times[i] == (i < c->loop.timers ? 1 : 0);
    free(c->subject.own.times);
    c->subject.own.times = NULL;
    return good || told(c, "check failed: not every timer fired once");
}

static bool expire(contender *c) {
    c->subject.own.fired = 0;
    subject_within(&c->subject, expire_task, c);
    /* Past the last deadline, a rounding up to whole milliseconds included. */
    clock_sleep(PEER_EXPIRE_SPAN_NS + 5000000);
    const int64_t began = clock_cpu_ns();
    while (c->subject.own.fired < c->spec.timers) subject_pass(&c->subject, false);
    c->spent = clock_cpu_ns() - began;
    subject_pass(&c->subject, false);
    return c->subject.own.fired == c->spec.timers || told(c, "check failed: a timer fired twice");
}

static void segment_task(void *argument) {
    contender *c = argument;
    const int64_t zero = clock_ns() + LATENESS_LEAD_NS;
    subject_update(&c->subject);
    for (uint32_t i = 0; i < c->loop.timers; ++i) {
        c->subject.own.objects[i].deadline = zero + c->offsets[i];
        subject_add(&c->subject, i, WORKLOAD_START_NS,
                    c->subject.own.objects[i].deadline - clock_ns());
    }
}

static bool play_segment(contender *c) {
    lateness_offsets(c->offsets, c->spec.timers, c->spec.ops, c->spec.seed, c->segment++);
    if (!watch_firings(c)) return false;
    c->subject.own.log = &c->log;
    lateness_begin(&c->log);
    subject_within(&c->subject, segment_task, c);
    while (c->subject.own.fired < c->spec.timers) subject_pass(&c->subject, true);
    lateness_end(&c->log);
    return fired_once(c);
}

static row blank_row(const contender *c) {
    row r;
    row_init(&r, workload_text(c->spec.workload), NULL, c->spec.subject);
    r.timers = c->spec.timers;
    r.threads = 1;
    row_note(&r, "%s", subject_note(&c->spec));
    return r;
}

static bool play_mean(contender *c, rows *out) {
    row r = blank_row(c);
    r.ops = c->spec.ops;
    if (c->spec.workload == WORKLOAD_EXPIRE) {
        if (!expire(c)) return false;
        r.ops = c->subject.own.fired;
    } else {
        subject_within(&c->subject, mean_task, c);
    }
    r.ns_per_op = (double)c->spent / (double)r.ops;
    r.bytes_per_timer = c->bytes_per_timer;
    rows_add(out, &r);
    return true;
}

static bool play_detail(contender *c, rows *out) {
    histogram h;
    row r = blank_row(c);
    if (c->spec.workload == WORKLOAD_EXPIRE) return true;
    if (histogram_init(&h) != 0) return told(c, "no memory");
    c->h = &h;
    subject_within(&c->subject, detail_task, c);
    row_set_percentiles(&r, &h);
    histogram_free(&h);
    rows_add(out, &r);
    return true;
}

static void mix_task(void *argument) {
    contender *c = argument;
    loop_fill(&c->subject, &c->loop, WORKLOAD_WORST);
    worst_mix(&c->subject, &c->loop, c->worst);
}

static void burst_task(void *argument) {
    contender *c = argument;
    worst_burst(&c->subject, &c->loop, c->worst);
}

static bool play_sequence(contender *c, peer_task *task, const char *prefix, rows *out) {
    worst w;
    bool good = worst_init(&w, c->spec.timers) || told(c, "no memory");
    c->worst = &w;
    for (int i = 0; i < WORST_REPEATS && good; ++i) {
        worst_rewind(&w);
        good = fresh(c);
        if (good) subject_within(&c->subject, task, c);
        discard(c);
    }
    w.of[WORST_EXPIRE].used = 0; /* it has none: no caller-supplied time */
    const row like = blank_row(c);
    if (good) worst_rows(&w, prefix, &like, out);
    worst_free(&w);
    return good;
}

static bool play_worst(contender *c, rows *out) {
    return play_sequence(c, mix_task, "", out) && play_sequence(c, burst_task, "burst-", out);
}

static bool play_lateness(contender *c, enum pass pass, rows *out) {
    if (pass == PASS_MEAN) return play_segment(c);
    row r = blank_row(c);
    lateness_row(&c->log, &r);
    rows_add(out, &r);
    return true;
}

static bool play_nothing(const contender *c, rows *out) {
    row r = blank_row(c);
    row_note(&r, "not played: %s", c->subject.own.refusal);
    rows_add(out, &r);
    return true;
}

static bool player_play(void *player, enum pass pass, rows *out) {
    contender *c = player;
    if (is_refused(c)) return play_nothing(c, out);
    if (c->spec.workload == WORKLOAD_WORST) return play_worst(c, out);
    if (c->spec.workload == WORKLOAD_LATENESS) return play_lateness(c, pass, out);
    return pass == PASS_MEAN ? play_mean(c, out) : play_detail(c, out);
}

static void player_close(void *player) {
    contender *c = player;
    discard(c);
    free(c->subject.own.times);
    lateness_free(&c->log);
    free(c->offsets);
    free(c);
}

static bool set_up(contender *c) {
    const enum workload workload = c->spec.workload;
    if (workload == WORKLOAD_CHURN || workload == WORKLOAD_MAILBOX)
        return told(c, "this workload is for tarry alone");
    if (lateness_init(&c->log) != 0) return told(c, "no memory");
    c->offsets = malloc((size_t)c->spec.timers * sizeof *c->offsets);
    if (c->offsets == NULL) return told(c, "no memory");
    const double before = heap_bytes();
    bool good = true;
    if (!fresh(c)) return is_refused(c);
    if (workload == WORKLOAD_WORST) discard(c); /* starts afresh for each repeat */
    else if (workload == WORKLOAD_EXPIRE) good = watch_firings(c) && expire(c) && fired_once(c);
    else if (workload != WORKLOAD_LATENESS) subject_within(&c->subject, fill_task, c);
    if (c->subject.own.is_elsewhere) c->bytes_per_timer = NAN;
    else
        c->bytes_per_timer = (heap_bytes() - before) / (double)c->spec.timers +
                             (double)(sizeof(object) - sizeof(int64_t));
    return good;
}

static void *player_open(const player_spec *spec) {
    contender *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->spec = *spec;
    if (set_up(c)) return c;
    player_close(c);
    return NULL;
}

const player_ops peer_player = { player_open, NULL, player_play, player_close };

#endif
