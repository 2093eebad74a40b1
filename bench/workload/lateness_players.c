/* Who plays lateness in this process: a bare futex wait to each deadline, as the measure of what
 * this machine can do; tarry's callbacks, run in the timerproc itself; and threads that each wait
 * for the message of a timer of their own. All log at the same place: in the thread that the
 * deadline was for, as soon as it runs. */
#include "workload/backends.h"
#include "workload/clock.h"
#include "workload/lateness.h"
#include "workload/player.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <tarry/tarry.h>
#include <unistd.h>

typedef struct late_player late_player;

/* A timer, and in a mailbox contest the thread that waits for it. */
typedef struct waiter {
    late_player *player;
    int64_t deadline;
    tarry_timer *timer;
    pthread_t thread;
} waiter;

struct late_player {
    player_spec spec;
    tarry_runtime *rt; /* NULL: the futex */
    waiter *waiters;
    int64_t threads; /* receivers that were started */
    int64_t *offsets;
    int64_t segment;
    lateness_log log;
    pthread_mutex_t log_lock; /* several receivers may be late at once */
    _Atomic uint32_t left;    /* firings to come; a futex */
    _Atomic uint32_t go;      /* counts segments, for the receivers; a futex */
    atomic_bool stop;         /* receivers: end at the next segment */
    uint64_t wakes;        /* sent to the timerproc in the segments */
    uint64_t sleeps;
    atomic_bool failed;    /* a receiver got an error instead of its message */
};

static bool told(const late_player *p, const char *what) {
    fprintf(stderr, "%s: %s\n", p->spec.subject, what);
    return false;
}

/* deadline < 0: none. */
static void futex_wait_until(const _Atomic uint32_t *word, uint32_t seen, int64_t deadline) {
    const struct timespec at = { .tv_sec = deadline / 1000000000,
                                 .tv_nsec = deadline % 1000000000 };
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline < 0 ? NULL : &at, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

static void futex_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void note(late_player *p, int64_t deadline) {
    pthread_mutex_lock(&p->log_lock);
    lateness_note(&p->log, deadline);
    pthread_mutex_unlock(&p->log_lock);
}

/* Sets the deadlines of the next segment. */
static void set_deadlines(late_player *p) {
    lateness_offsets(p->offsets, p->spec.timers, p->spec.ops, p->spec.seed, p->segment++);
    const int64_t zero = clock_ns() + LATENESS_LEAD_NS;
    for (int64_t i = 0; i < p->spec.timers; ++i) p->waiters[i].deadline = zero + p->offsets[i];
}

static void note_last(late_player *p, int64_t deadline) {
    note(p, deadline);
    if (atomic_fetch_sub(&p->left, 1) == 1) futex_wake(&p->left, 1);
}

static void wait_for_all(late_player *p) {
    uint32_t left;
    while ((left = atomic_load(&p->left)) != 0) futex_wait_until(&p->left, left, -1);
}

/* --- the futex --- */

static bool play_futex(late_player *p) {
    static const _Atomic uint32_t word;
    const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    for (int64_t i = 0; i < p->spec.timers; ++i) {
        const int64_t deadline = p->waiters[i].deadline;
        while (clock_ns() < deadline) futex_wait_until(&word, 0, deadline);
        note(p, deadline);
    }
    prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
    return true;
}

/* --- callbacks --- */

static void on_due(void *argument) {
    waiter *w = argument;
    note_last(w->player, w->deadline);
}

static bool play_callbacks(late_player *p) {
    bool good = true;
    atomic_store(&p->left, (uint32_t)p->spec.timers);
    for (int64_t i = 0; i < p->spec.timers && good; ++i) {
        waiter *w = &p->waiters[i];
        good = w->timer != NULL
                   ? tarry_timer_reset_at(w->timer, w->deadline) >= 0
                   : tarry_after_func_at(&w->timer, p->rt, w->deadline, on_due, w) == 0;
    }
    if (good) wait_for_all(p);
    return good || told(p, "a timer could not be armed");
}

/* --- receivers --- */

/* In each segment: arm its own timer, wait for its message. */
static void *receive(void *argument) {
    waiter *w = argument;
    late_player *p = w->player;
    for (uint32_t seen = 0;; ++seen) {
        tarry_message message;
        while (atomic_load(&p->go) == seen) futex_wait_until(&p->go, seen, -1);
        if (atomic_load(&p->stop)) return NULL;
        int status = w->timer != NULL ? tarry_timer_reset_at(w->timer, w->deadline)
                                      : tarry_timer_new_at(&w->timer, p->rt, w->deadline);
        if (status >= 0) status = tarry_mailbox_recv(&message, tarry_timer_mailbox(w->timer));
        if (status < 0) atomic_store(&p->failed, true);
        note_last(p, w->deadline);
    }
}

static void release_receivers(late_player *p) {
    atomic_fetch_add(&p->go, 1);
    futex_wake(&p->go, INT_MAX);
}

static bool play_receivers(late_player *p) {
    atomic_store(&p->left, (uint32_t)p->spec.timers);
    release_receivers(p);
    wait_for_all(p);
    return !atomic_load(&p->failed) || told(p, "check failed: a timer sent no message");
}

static bool start_receivers(late_player *p) {
    for (; p->threads < p->spec.timers; ++p->threads) {
        waiter *w = &p->waiters[p->threads];
        if (pthread_create(&w->thread, NULL, receive, w) != 0) return told(p, "no more threads");
    }
    return true;
}

static void stop_receivers(late_player *p) {
    if (p->threads == 0) return;
    atomic_store(&p->stop, true);
    release_receivers(p);
    for (int64_t i = 0; i < p->threads; ++i) pthread_join(p->waiters[i].thread, NULL);
}

/* --- all three --- */

static bool read_counts(late_player *p, tarry_stats *stats) {
    *stats = (tarry_stats)TARRY_STATS_INIT;
    return p->rt == NULL || tarry_stats_read(stats, p->rt, TARRY_ALL_WORKERS) == 0 ||
           told(p, "the counters cannot be read");
}

static bool play_segment(late_player *p) {
    tarry_stats before, after;
    if (!read_counts(p, &before)) return false;
    set_deadlines(p);
    lateness_begin(&p->log);
    const bool good = p->rt == NULL ? play_futex(p)
                      : p->threads > 0 ? play_receivers(p) : play_callbacks(p);
    lateness_end(&p->log);
    if (!good || !read_counts(p, &after)) return false;
    p->wakes += after.wakes - before.wakes;
    p->sleeps += after.sleeps - before.sleeps;
    return true;
}

static bool late_play(void *player, enum pass pass, rows *out) {
    late_player *p = player;
    if (pass == PASS_MEAN) return play_segment(p);
    row r;
    row_init(&r, workload_text(p->spec.workload), p->rt != NULL ? p->spec.subject : NULL,
             p->rt != NULL ? NULL : p->spec.subject);
    r.timers = p->spec.timers;
    r.threads = p->threads > 0 ? p->threads : 1;
    lateness_row(&p->log, &r);
    if (p->rt != NULL)
        row_note(&r, "%.2f wakes an arming, %.2f a sleep of the timerproc%s",
                 (double)p->wakes / (double)r.ops,
                 p->sleeps == 0 ? 0 : (double)p->wakes / (double)p->sleeps,
                 p->threads == 0 ? "" : "; a third of the wakeups are to begin a segment");
    rows_add(out, &r);
    return true;
}

static void late_close(void *player) {
    late_player *p = player;
    stop_receivers(p);
    for (int64_t i = 0; p->waiters != NULL && i < p->spec.timers; ++i)
        if (p->waiters[i].timer != NULL) tarry_timer_free(p->waiters[i].timer);
    if (p->rt != NULL) tarry_destroy(p->rt);
    lateness_free(&p->log);
    pthread_mutex_destroy(&p->log_lock);
    free(p->waiters);
    free(p->offsets);
    free(p);
}

static bool set_up(late_player *p, bool runtime) {
    p->waiters = calloc((size_t)p->spec.timers, sizeof *p->waiters);
    p->offsets = calloc((size_t)p->spec.timers, sizeof *p->offsets);
    if (lateness_init(&p->log) != 0 || p->waiters == NULL || p->offsets == NULL)
        return told(p, "no memory");
    for (int64_t i = 0; i < p->spec.timers; ++i) p->waiters[i].player = p;
    if (!runtime) return true;
    tarry_options options = TARRY_OPTIONS_INIT;
    backends_choose(&options, p->spec.subject);
    options.workers = 1;
    options.callbacks = TARRY_CALLBACKS_INLINE;
    const int status = tarry_create(&p->rt, &options);
    return status == 0 || told(p, strerror(-status));
}

static void *late_open(const player_spec *spec, bool runtime, bool receivers) {
    late_player *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->spec = *spec;
    pthread_mutex_init(&p->log_lock, NULL);
    if (set_up(p, runtime) && (!receivers || start_receivers(p))) return p;
    late_close(p);
    return NULL;
}

static void *futex_open(const player_spec *spec) {
    return late_open(spec, false, false);
}

static void *callback_open(const player_spec *spec) {
    return late_open(spec, true, false);
}

static void *mailbox_open(const player_spec *spec) {
    return late_open(spec, true, true);
}

const player_ops futex_player = { futex_open, NULL, late_play, late_close };
const player_ops callback_player = { callback_open, NULL, late_play, late_close };
const player_ops mailbox_player = { mailbox_open, NULL, late_play, late_close };
