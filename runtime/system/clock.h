/* Time: reading it, waiting for it, and all arithmetic on it. Nothing else in the runtime adds a
 * span to a point, so rounding and saturation are decided here once.
 *
 * The real clocks end a wait by themselves. A virtual or a caller's clock is moved by somebody, and
 * a suspend moves CLOCK_BOOTTIME against the kernel's timeouts: there, who waits has an alarm in a
 * list, and who moves the clock bumps the words of those whose time has come. */
#ifndef TRI_CLOCK_H
#define TRI_CLOCK_H

#include "system/list.h"
#include "system/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tarry/runtime.h>
#include <time.h>

/* The end of time: where now + delay saturates. No clock ever shows it; a timer armed for it is
 * pending for ever, and can be stopped. One below TRI_NEVER, which means "not armed". */
#define TRI_TIME_END (INT64_MAX - 1)

typedef struct tri_clock {
    unsigned kind;                 /* (c) TARRY_CLOCK_* */
    int64_t (*caller)(void *);     /* (c) */
    void *caller_context;          /* (c) */
    _Atomic int64_t virtual_ns;    /* (a) written under lock */
    tri_lock lock;                 /* guards what is marked (lock) */
    tri_listed *alarms;            /* (lock) */
    _Atomic uint32_t settled_word; /* (a) changed when an alarm that went off was dealt with */
    uint32_t settled_waiters;      /* (lock) */
    pthread_t watcher;             /* (c) tells boottime sleepers of a resume */
    int watcher_fd;                /* (c) -1: no watcher */
    int quit_fd;                   /* (c) */
} tri_clock;

typedef struct tri_clock_config {
    unsigned kind;
    int64_t virtual_start;
    int64_t (*caller)(void *context);
    void *caller_context;
    bool threads; /* whether a watcher thread may be started, where the clock wants one */
    bool no_locks;
} tri_clock_config;

/* 0, or -EAGAIN, -EMFILE...: no watcher could be started. */
int tri_clock_init(tri_clock *clock, const tri_clock_config *config);
/* End the watcher thread. Somebody who was woken may not yet have left. */
void tri_clock_stop(tri_clock *clock);

int64_t tri_clock_now(const tri_clock *clock);

/* Somebody moves it; the kernel knows nothing of it. */
static inline bool tri_clock_is_moved(const tri_clock *clock) {
    return clock->kind >= TARRY_CLOCK_VIRTUAL;
}

/* On the stack of one who waits for a point of a clock, perhaps of several clocks at once. One that
 * went off stays listed until its owner sets or clears it, that is, has dealt with it. */
typedef struct tri_alarm {
    tri_listed listed;      /* (lock) first */
    tri_clock *clock;       /* (c) */
    _Atomic uint32_t *word; /* (c) its two lowest bits are its owner's; the clock adds 4 */
    int64_t deadline;       /* (lock) */
    bool is_listed;         /* its owner's */
} tri_alarm;

/* Set it, anew perhaps; a deadline from TRI_TIME_END on never comes. Returns the limit for the
 * sleep on the word, a point of CLOCK_MONOTONIC; INT64_MAX: none; INT64_MIN: it was reached. */
int64_t tri_alarm_set(tri_alarm *alarm, int64_t deadline);
void tri_alarm_clear(tri_alarm *alarm);

/* Sleep until somebody changes *word from seen, or the clock reaches the deadline (from
 * TRI_TIME_END on: never). May return early: look again. */
void tri_clock_wait(tri_clock *clock, _Atomic uint32_t *word, uint32_t seen, int64_t deadline);

/* The clock has been moved to this point, by tarry_advance or by the caller: show it, where the
 * clock is virtual, and wake those who waited for it. Never moves back. */
void tri_clock_reach(tri_clock *clock, int64_t now);
/* Wait until every alarm that went off was dealt with; the point of the next one, TRI_NEVER where
 * there is none. */
int64_t tri_clock_settle(tri_clock *clock);
/* Have everyone who waits look again, as after a suspend. */
void tri_clock_recheck(tri_clock *clock);

/* now + delay; a delay <= 0 is due at once, and the end of time is the limit. */
int64_t tri_time_after(int64_t now, int64_t delay);
/* A deadline that a caller gave, with TARRY_FOREVER brought to the end of time. */
static inline int64_t tri_time_deadline(int64_t deadline) {
    return deadline < TRI_TIME_END ? deadline : TRI_TIME_END;
}
/* How long until the deadline, >= 0. */
int64_t tri_time_until(int64_t deadline, int64_t now);
/* The first point of the series deadline + k * period, k >= 1, that is after now; *skipped is how
 * many points of it before that one were passed over. Pre: period > 0, deadline <= now. */
int64_t tri_time_next_tick(int64_t deadline, int64_t period, int64_t now, uint64_t *skipped);

#endif
