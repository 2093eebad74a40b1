#include "trace/play.h"

#include "workload/backends.h"
#include "workload/clock.h"
#include "workload/pages.h"
#include "workload/random.h"

#include <stdlib.h>
#include <tarry/tarry.h>

#define CHUNK 8192u

/* Marks of a timer. */
enum {
    PENDING = 1, /* its callback is to come */
    DUE = 2,     /* only when checking: armed, and nothing was done to it since */
    LAST = 4     /* nothing will be done to it any more: free it when it has fired */
};

typedef struct timer {
    tarry_handle handle;
    int64_t deadline;
    uint32_t marks;
    uint32_t unused; /* two timers to a cache line */
} timer;

typedef struct player {
    const play_spec *spec;
    tarry_runtime *rt;
    copies copies;
    timer *timers;
    size_t timer_count;
    copies_op chunk[CHUNK];
    size_t chunk_count;
    uint64_t *ended; /* timers to free: of the LAST mark, within one chunk and the turns before */
    size_t ended_count;
    int64_t now, next; /* next: when a turn is due */
    int64_t fired;
    int64_t pending;
    uint64_t most_memory, most_timers;
    int64_t last_deadline; /* of the firing before */
    int bad;           /* the library's results or-ed: < 0 where one was an error */
    play_check *check; /* NULL: not when timing */
    play_times *times;
    int64_t overhead_ns;
} player;

/* Callbacks run in the thread that drives. */
static player *driven;

const char *play_kind(int kind) {
    static const char *const names[] = { "arm", "re-arm", "cancel", "expire" };
    return names[kind];
}

static uint64_t hash_of(const player *p, const timer *t) {
    return random_mix(random_mix((uint64_t)(t - p->timers) + 1) ^ (uint64_t)t->deadline);
}

static void check_firing(player *p, const timer *t) {
    play_check *c = p->check;
    const int64_t late = p->now - t->deadline, tick = p->spec->tick_ns;
    if (!(t->marks & PENDING)) ++c->wrong;
    if (late < 0) ++c->early;
    if (late > tick) ++c->late;
    if (late > c->latest_ns) c->latest_ns = late;
    if (tick == 0 && t->deadline < p->last_deadline) ++c->unordered;
    p->last_deadline = t->deadline;
    c->fired_sum += hash_of(p, t);
    ++c->fired;
    --p->pending;
}

static void on_fire(void *argument) {
    player *p = driven;
    timer *t = argument;
    ++p->fired;
    if (p->check != NULL) check_firing(p, t);
    t->marks &= ~(uint32_t)PENDING;
    if (t->marks & LAST) p->ended[p->ended_count++] = (uint64_t)(t - p->timers);
}

static void ask_next(player *p) {
    p->bad |= tarry_next_deadline(&p->next, p->rt, 0);
}

/* One turn of the loop, at the point that it waited for. */
static void turn(player *p) {
    if (p->next > p->now) p->now = p->next;
    p->bad |= (int)(tarry_run_expired(p->rt, 0, p->now, 0) >> 32);
    ask_next(p);
}

static inline void arm(player *p, timer *t, const copies_op *op) {
    const int result = op->op == 'A' ? tarry_arm_at(p->rt, t->handle, op->deadline)
                                     : tarry_rearm_at(p->rt, t->handle, op->deadline);
    p->bad |= result;
    if (op->deadline < p->next) ask_next(p);
    t->marks = op->last ? PENDING | LAST : PENDING;
}

static inline void cancel(player *p, timer *t) {
    p->bad |= tarry_disarm(p->rt, t->handle);
    t->marks = 0;
}

static inline void operate(player *p, const copies_op *op) {
    timer *t = &p->timers[op->timer];
    if (op->op == 'C') cancel(p, t);
    else arm(p, t, op);
    t->deadline = op->deadline;
}

/* --- chunks: what is not timed ---------------------------------------------------------------- */

/* Read operations on, and make the timers that begin in them. */
static bool fill(player *p) {
    p->chunk_count = 0;
    while (p->chunk_count < CHUNK && copies_next(&p->chunk[p->chunk_count], &p->copies)) {
        const copies_op *op = &p->chunk[p->chunk_count++];
        timer *t = &p->timers[op->timer];
        if (op->first && tarry_handle_new(&t->handle, p->rt, 0, on_fire, t) != 0) return false;
    }
    return true;
}

/* Free the timers that ended. */
static void clean(player *p) {
    for (size_t i = 0; i < p->chunk_count; ++i)
        if (p->chunk[i].op == 'C' && p->chunk[i].last)
            p->bad |= tarry_handle_free(p->rt, p->timers[p->chunk[i].timer].handle);
    for (size_t i = 0; i < p->ended_count; ++i)
        p->bad |= tarry_handle_free(p->rt, p->timers[p->ended[i]].handle);
    p->ended_count = 0;
}

static void read_memory(player *p) {
    tarry_stats stats = TARRY_STATS_INIT;
    p->bad |= tarry_stats_read(&stats, p->rt, 0);
    if (stats.memory > p->most_memory) p->most_memory = stats.memory;
    if (stats.timers > p->most_timers) p->most_timers = stats.timers;
}

/* --- the three ways to play ------------------------------------------------------------------- */

static void run_chunk_mean(player *p) {
    const int64_t began = clock_ns();
    for (size_t i = 0; i < p->chunk_count; ++i) {
        const copies_op *op = &p->chunk[i];
        while (p->next <= op->t_ns) turn(p);
        p->now = op->t_ns;
        operate(p, op);
    }
    p->times->spent_ns += clock_ns() - began;
}

static void drain_mean(player *p) {
    const int64_t began = clock_ns();
    while (p->next != TARRY_FOREVER && p->bad >= 0) turn(p);
    p->times->spent_ns += clock_ns() - began;
}

static void turn_detail(player *p) {
    const int64_t before = clock_ns();
    turn(p);
    histogram_add(&p->times->kinds[PLAY_EXPIRE], clock_ns() - before - p->overhead_ns);
}

static int kind_of(const copies_op *op) {
    return op->op == 'C' ? PLAY_CANCEL : op->op == 'R' ? PLAY_REARM : PLAY_ARM;
}

static void run_chunk_detail(player *p) {
    for (size_t i = 0; i < p->chunk_count; ++i) {
        const copies_op *op = &p->chunk[i];
        while (p->next <= op->t_ns) turn_detail(p);
        p->now = op->t_ns;
        const int64_t before = clock_ns();
        operate(p, op);
        histogram_add(&p->times->kinds[kind_of(op)], clock_ns() - before - p->overhead_ns);
    }
}

static void drain_detail(player *p) {
    while (p->next != TARRY_FOREVER && p->bad >= 0) turn_detail(p);
}

/* What is done to a timer at t, or the end of all, closes its last arming: it was due before, or
 * not; it fired, or not. A tick makes the one difference that is right: it fires at the end of the
 * tick, and may be stopped until then. */
static void close_arming(player *p, timer *t, int64_t at) {
    play_check *c = p->check;
    if ((t->marks & DUE) && t->deadline <= at && t->deadline != TARRY_FOREVER) {
        ++c->expected;
        c->expected_sum += hash_of(p, t);
        if (t->marks & PENDING) {
            if (at - t->deadline < p->spec->tick_ns) {
                ++c->spared;
                c->spared_sum += hash_of(p, t);
            } else {
                ++c->missed;
            }
        }
    }
    if (t->marks & PENDING) --p->pending;
}

static void operate_checked(player *p, const copies_op *op) {
    timer *t = &p->timers[op->timer];
    const bool was_pending = t->marks & PENDING;
    close_arming(p, t, op->t_ns);
    int result;
    if (op->op == 'C') result = tarry_disarm(p->rt, t->handle);
    else result = tarry_rearm_at(p->rt, t->handle, op->deadline);
    p->bad |= result;
    if (result != (was_pending ? TARRY_STOPPED : TARRY_IDLE)) ++p->check->wrong;
    t->deadline = op->deadline;
    t->marks = op->op == 'C' ? 0 : PENDING | DUE | (op->last ? LAST : 0);
    if (op->op != 'C' && ++p->pending > p->check->peak) p->check->peak = p->pending;
    ask_next(p);
}

/* A turn at which nothing fires has to lead to a later one. */
static void turn_checked(player *p) {
    const int64_t next = p->next, fired = p->fired;
    turn(p);
    if (p->fired == fired && p->next <= next) {
        ++p->check->wrong;
        p->next = TARRY_FOREVER;
    }
}

static void run_chunk_checked(player *p) {
    for (size_t i = 0; i < p->chunk_count; ++i) {
        while (p->next <= p->chunk[i].t_ns && p->bad >= 0) turn_checked(p);
        p->now = p->chunk[i].t_ns;
        operate_checked(p, &p->chunk[i]);
    }
}

static void drain_checked(player *p) {
    tarry_stats stats = TARRY_STATS_INIT;
    while (p->next != TARRY_FOREVER && p->bad >= 0) turn_checked(p);
    /* Where a tick goes beyond the end of time, it never ends. */
    for (size_t i = 0; i < p->timer_count; ++i) close_arming(p, &p->timers[i], PLAN_LAST + 1);
    p->bad |= tarry_stats_read(&stats, p->rt, 0);
    if (stats.armed != stats.fired + stats.stopped + stats.pending) ++p->check->wrong;
}

typedef struct way {
    void (*run_chunk)(player *p);
    void (*drain)(player *p);
} way;

static const way mean_way = { run_chunk_mean, drain_mean };
static const way detail_way = { run_chunk_detail, drain_detail };
static const way checked_way = { run_chunk_checked, drain_checked };

/* --- set-up ----------------------------------------------------------------------------------- */

static const char *start(player *p) {
    const play_spec *spec = p->spec;
    tarry_options options = TARRY_OPTIONS_INIT;
    backends_choose(&options, spec->backend);
    options.tick_ns = spec->tick_ns;
    options.workers = 1;
    options.clock = TARRY_CLOCK_VIRTUAL;
    options.by_hand = 1;
    if (__builtin_mul_overflow((size_t)spec->plan->ids, (size_t)spec->replicate, &p->timer_count))
        return "too many timers";
    p->timers = pages_take(p->timer_count * sizeof *p->timers);
    p->ended = pages_take(p->timer_count * sizeof *p->ended);
    if (p->timers == NULL || p->ended == NULL) return "no memory for so many timers";
    if (!copies_open(&p->copies, spec->plan, spec->replicate, spec->speed, spec->seed))
        return "no memory for so many copies";
    if (tarry_create(&p->rt, &options) != 0) return "the runtime could not be made";
    p->next = TARRY_FOREVER;
    p->overhead_ns = clock_overhead_ns();
    p->last_deadline = INT64_MIN;
    return NULL;
}

static void finish(player *p) {
    if (p->rt != NULL) tarry_destroy(p->rt);
    copies_close(&p->copies);
    pages_give(p->timers, p->timer_count * sizeof *p->timers);
    pages_give(p->ended, p->timer_count * sizeof *p->ended);
    free(p);
}

static void count(player *p) {
    read_memory(p);
    for (size_t i = 0; i < p->chunk_count; ++i) ++p->times->counts[kind_of(&p->chunk[i])];
}

static const char *run(player *p, const way *how) {
    for (;;) {
        if (!fill(p)) return "no memory for so many timers";
        if (p->chunk_count == 0) break;
        how->run_chunk(p);
        if (p->times != NULL) count(p);
        clean(p);
        if (p->bad < 0) return "the library answered an error";
    }
    how->drain(p);
    if (p->times != NULL) {
        p->times->counts[PLAY_EXPIRE] = p->fired;
        p->times->bytes_per_timer = (double)p->most_memory / (double)p->most_timers;
    }
    return p->bad < 0 ? "the library answered an error" : NULL;
}

static bool play(const play_spec *spec, const way *how, play_times *times, play_check *check,
                 const char **why) {
    player *p = calloc(1, sizeof *p);
    if (p == NULL) {
        *why = "no memory";
        return false;
    }
    p->spec = spec;
    p->times = times;
    p->check = check;
    driven = p;
    *why = start(p);
    if (*why == NULL) *why = run(p, how);
    finish(p);
    return *why == NULL;
}

static void forget_counts(play_times *times) {
    for (int kind = 0; kind < PLAY_KINDS; ++kind) times->counts[kind] = 0;
    times->spent_ns = 0;
    times->bytes_per_timer = 0;
}

bool play_mean(play_times *out, const play_spec *spec, const char **why) {
    forget_counts(out);
    return play(spec, &mean_way, out, NULL, why);
}

bool play_detail(play_times *out, const play_spec *spec, const char **why) {
    forget_counts(out);
    return play(spec, &detail_way, out, NULL, why);
}

bool play_check_all(play_check *out, const play_spec *spec, const char **why) {
    *out = (play_check){ 0 };
    return play(spec, &checked_way, NULL, out, why);
}

bool play_is_right(const play_check *c) {
    return c->early + c->late + c->unordered + c->missed + c->wrong == 0 &&
           c->fired + c->spared == c->expected &&
           c->fired_sum + c->spared_sum == c->expected_sum;
}
