/* Runtimes: a set of workers, each with a bucket of timers, on one clock. */
#ifndef TARRY_RUNTIME_H
#define TARRY_RUNTIME_H

#include <tarry/base.h>
#include <tarry/hooks.h>

TARRY_BEGIN_DECLS

typedef struct tarry_runtime tarry_runtime;

/* The most workers that a runtime can have. */
#define TARRY_MAX_WORKERS 1024u

/* tarry_options.clock */
enum {
    TARRY_CLOCK_MONOTONIC = 0, /* CLOCK_MONOTONIC: stands still while the machine is suspended */
    TARRY_CLOCK_BOOTTIME = 1,  /* CLOCK_BOOTTIME: counts the time suspended */
    TARRY_CLOCK_VIRTUAL = 2,   /* moved by tarry_advance alone */
    TARRY_CLOCK_CALLER = 3     /* tarry_options.now; only for a runtime driven by hand */
};

/* tarry_options.callbacks */
enum {
    TARRY_CALLBACKS_THREADS = 0, /* threads of the runtime's own, more as they are needed */
    TARRY_CALLBACKS_INLINE = 1   /* in the timerproc itself: a slow callback delays its bucket */
};

/* How a runtime is made. A zero field is the default; the struct grows at the end only. */
typedef struct tarry_options {
    size_t size;           /* sizeof(tarry_options): tells which version it was built with */
    const char *backend;   /* "tiered", "heap", "wheel"; NULL: "tiered" */
    int64_t tick_ns;       /* 0: exact, but for wheel: 1 ms. Else deadlines are rounded up to whole
                            * ticks: never early, and less than a tick late. heap refuses it */
    unsigned workers;      /* buckets, up to TARRY_MAX_WORKERS; 0: one for each online CPU */
    unsigned clock;        /* TARRY_CLOCK_* */
    int64_t virtual_start; /* what the virtual clock shows first, >= 0 */
    int64_t (*now)(void *context); /* TARRY_CLOCK_CALLER: the time. Does not call tarry */
    void *now_context;
    unsigned by_hand;         /* 1: no thread is ever started; see <tarry/drive.h> */
    unsigned single_threaded; /* 1: by hand, every call from one thread at a time; takes no lock,
                               * and a call that would have to wait answers -EDEADLK */
    unsigned callbacks;       /* TARRY_CALLBACKS_*; by hand always inline */
    unsigned callback_threads_max;    /* 0: 256. Only where there are such threads */
    const tarry_executor *executor;   /* NULL: as callbacks says */
    const tarry_allocator *allocator; /* NULL: the build's default */
} tarry_options;

#ifdef __cplusplus
static inline tarry_options tarry_options_init(void) {
    tarry_options options = tarry_options();
    options.size = sizeof options;
    return options;
}
#define TARRY_OPTIONS_INIT tarry_options_init()
#else
#define TARRY_OPTIONS_INIT { .size = sizeof(tarry_options) }
#endif

/* Make a runtime. A worker's thread is not started before its first timer that calls a function.
 * options    NULL: all defaults. Copied, but for the tables that it points to.
 * Returns    0. -EINVAL: out is NULL, options->size is none that was ever released, a name or a
 *            value is not known (a tick below 0), or two fields contradict each other (heap with a
 *            tick). -ENOMEM. -EAGAIN: the system has no more thread-specific keys (a process can
 *            hold about 1000 runtimes). A boottime clock's watcher: -EAGAIN, -EMFILE, -ENFILE.
 * Ownership  the caller's, until tarry_destroy.
 * Threads    any. In a callback: allowed. */
TARRY_API int tarry_create(tarry_runtime **out, const tarry_options *options);

/* Drop every pending timer, wake those who wait on the runtime's mailboxes with -EPIPE, wait for
 * callbacks that run, end the threads, free the runtime. Timers, tickers and mailboxes that are
 * not yet freed stay valid for their own free call; any other call on them answers -ESHUTDOWN.
 * Mailboxes are as after a close: what lies in one can be received, then -EPIPE.
 * Returns    0. -EINVAL: rt is NULL. -EDEADLK: called from a callback of this runtime (nothing
 *            changed). -ESHUTDOWN: already destroyed.
 * Threads    any, while no other thread is in a call on rt or a handle of it, or starts one; but
 *            for callbacks, those who are blocked waiting, and tarry_run_expired, which is waited
 *            for.
 * After it   no callback of rt runs or will run. rt answers -ESHUTDOWN until a new runtime takes
 *            its place in memory, so do not count on that.
 * fork       in a child, only lets go of the runtime: another thread may have been half way through
 *            any part of it, so its memory is not touched. */
TARRY_API int tarry_destroy(tarry_runtime *rt);

/* The runtime for those who want no set-up: made with all defaults on the first call.
 * Returns    the runtime, the same one each time. NULL with errno set where it could not be made;
 *            every call that is handed the NULL answers -EINVAL.
 * Ownership  the library's. tarry_destroy(tarry_default()) is allowed; a later call makes it anew.
 * Threads    any. */
TARRY_API tarry_runtime *tarry_default(void);

/* Bind the calling thread to a worker: what it makes from now on lives in that worker's bucket.
 * A thread that never calls this is bound on first use, round robin.
 * Returns    0. -EINVAL: rt is NULL, or worker is not below the number of workers. -ENOMEM.
 *            -ESHUTDOWN, -ECHILD.
 * Threads    each for itself. */
TARRY_API int tarry_bind(tarry_runtime *rt, unsigned worker);

/* The number of workers, or -EINVAL, -ESHUTDOWN, -ECHILD. Threads: any. */
TARRY_API int tarry_workers(const tarry_runtime *rt);

/* Read the runtime's clock.
 * Returns    0, or -EINVAL, -ESHUTDOWN, -ECHILD. Threads: any. In a callback: allowed. */
TARRY_API int tarry_now(int64_t *out, const tarry_runtime *rt);

/* Move the virtual clock to a point, through every deadline on the way in order, and return when
 * each timer due by then has been handed on: values are in their mailboxes, callbacks are with
 * their executor (inline ones have run; others may still run). Who sleeps on a mailbox, in
 * tarry_sleep or until a receive times out is woken when the clock is at its own point. A timer that
 * is armed meanwhile for a point not after `to` is part of it. By hand it only sets the clock: tarry_run_expired
 * does the rest.
 * Returns    0. -EINVAL: rt is NULL, its clock is not virtual, `to` lies before the clock or at the
 *            end of time, which is never reached (TARRY_FOREVER and the point before it).
 *            -EDEADLK: called from a callback of this runtime. -ESHUTDOWN, -ECHILD.
 * Threads    one at a time; others may use the runtime meanwhile. */
TARRY_API int tarry_advance(tarry_runtime *rt, int64_t to);

/* What a runtime or one worker did so far. Sums over workers are taken one bucket at a time.
 * At every quiescent point armed == fired + stopped + pending. */
typedef struct tarry_stats {
    size_t size;         /* sizeof(tarry_stats), set by the caller */
    uint64_t armed;      /* armings, a ticker's next tick and each reset included */
    uint64_t fired;      /* armings that ran or left a value; one that is made by whoever looks
                          * (see tarry_timer_new) counts when somebody has looked */
    uint64_t stopped;    /* armings ended by stop, reset, free, or whose value was taken back */
    uint64_t pending;    /* armings still to come, due ones whose callback has not begun included */
    uint64_t dropped;    /* ticks that found the mailbox full, as far as somebody has looked */
    uint64_t timers;     /* timers, tickers and handles that exist, and the slot of one freed
                          * while it was due or ran until its queue or its run is done with it */
    uint64_t entries;    /* entries in the backend, dead ones included */
    uint64_t running;    /* callbacks that run now */
    uint64_t sleeps;     /* times the timerproc went to sleep */
    uint64_t wakes;      /* futex wakes sent to the timerproc by an arming */
    uint64_t idle_wakes; /* times it woke and found nothing due */
    uint64_t backsteps;  /* times the clock was seen to go back (it was held instead) */
    uint64_t memory;     /* bytes held, as the allocator counts them */
} tarry_stats;

#ifdef __cplusplus
static inline tarry_stats tarry_stats_init(void) {
    tarry_stats stats = tarry_stats();
    stats.size = sizeof stats;
    return stats;
}
#define TARRY_STATS_INIT tarry_stats_init()
#else
#define TARRY_STATS_INIT { .size = sizeof(tarry_stats) }
#endif
#define TARRY_ALL_WORKERS (~0u)

/* Read the counters of one worker, or the sum with TARRY_ALL_WORKERS.
 * stats      its size field must be set before the call.
 * Returns    0. -EINVAL: a NULL, a wrong size, no such worker. -ESHUTDOWN, -ECHILD.
 * Threads    any. Blocks: takes each bucket's lock in turn, briefly. */
TARRY_API int tarry_stats_read(tarry_stats *stats, const tarry_runtime *rt, unsigned worker);

TARRY_END_DECLS

#endif
