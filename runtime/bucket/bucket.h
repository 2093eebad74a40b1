/* One worker's truth: its lock, its slots, their order, its sleep. Everything that happens to a
 * timer happens here, under one lock, as one step.
 *
 *   bucket.c    the calls on a slot, and taking what is due; the only file that calls a backend's
 *               table (the short ways of backend.h are here, inline)
 *   run.c       callbacks: their queue, running them, waiting for one to end
 *   resident.c  memory that users' objects live in
 *
 * Guards: (b) this bucket's lock, (a) atomic, (c) constant after creation. */
#ifndef TRI_BUCKET_H
#define TRI_BUCKET_H

#include "backend/backend.h"
#include "bucket/shared.h"
#include "bucket/slot.h"
#include "system/list.h"
#include "system/lock.h"
#include "system/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tri_bucket tri_bucket;
typedef struct tri_running tri_running;

/* What arm and stop find, numbered as in tarry/core.h. */
enum { TRI_IDLE = 0, TRI_STOPPED = 1, TRI_RUNS = 2 };

typedef struct tri_ref {
    tri_bucket *bucket;
    uint32_t slot;
    uint32_t generation;
} tri_ref;

/* A user's object in the bucket's memory. It may outlive the runtime, and keeps the memory table
 * and the lock alive for as long. */
typedef struct tri_resident {
    tri_listed listed; /* (b) first */
    /* The runtime ends: wake all who wait on it. (c) NULL: nobody can. */
    void (*close)(struct tri_resident *resident, tri_waiter **wakes);
} tri_resident;

typedef struct tri_counts {
    uint64_t armed, fired, stopped, dropped, sleeps, wakes, idle_wakes, backsteps;
} tri_counts;

struct tri_bucket {
    _Alignas(TRI_CACHE_LINE) tri_lock lock;
    tri_backend *backend;    /* (c) */
    tri_slot_table table;    /* (b) */
    tri_shared *shared;      /* (c) */
    bool closing;            /* (b) */
    bool turning;            /* (b) somebody drives it by hand */
    bool traced;             /* (c) TARRY_TRACE is set */
    int64_t trace_start;     /* (c) the clock when the bucket was made */
    uint32_t number;         /* (c) the worker's */

    bool sleeping;           /* (b) the timerproc sleeps, or will before it looks again */
    int64_t sleep_until;     /* (b) */
    _Atomic uint32_t word;   /* (a) what it sleeps on; an arming changes it under the lock */

    tri_counts counts;       /* (b) */
    int64_t last_now;        /* (b) the latest time that a pass has seen: no pass goes back */
    /* (a) as last_now, with the turns that took no lock. Two of those at once may leave the
     * earlier, so what holds passes in order is last_now. */
    _Atomic int64_t seen_now;
    /* (a) by hand: no turn before this point has anything to do, so none takes the lock. Raised
     * under the lock at the end of a pass, lowered under it by an arming and by whoever asks when
     * to turn next; INT64_MIN during a pass, and while there is due what has not run. */
    _Atomic int64_t idle_until;
    uint32_t due_first;      /* (b) queue of due callbacks, linked through tri_slot.link */
    uint32_t due_last;       /* (b) */
    uint32_t due;            /* (b) those in the queue that are still DUE */
    uint32_t timed;          /* (b) objects that keep their deadline themselves (dispatch/timed.h), */
    uint32_t timed_armed;    /* (b) and those of them that are armed */

    _Alignas(TRI_CACHE_LINE) tri_memory memory; /* (b) */
    tri_running *running;          /* (b) callbacks that run */
    uint32_t runs;                 /* (b) how many */
    uint64_t run_serial;           /* (b) */
    _Atomic uint32_t end_word;     /* (a) changed when a run or a pass by hand ends and one waits */
    uint32_t end_waiters;          /* (b) */
    _Atomic uint32_t settled_word; /* (a) changed when the timerproc goes to sleep and one waits */
    uint32_t settled_waiters;      /* (b) */
    tri_listed *residents;         /* (b) */
};

/* 0 or -ENOMEM. tick_ns as the backend wants it. The struct must not move. */
int tri_bucket_init(tri_bucket *bucket, tri_shared *shared, const tri_backend_ops *ops,
                    int64_t tick_ns, const tarry_allocator *allocator, uint32_t number);
/* Free the slots and the backend: every reference is stale from here on. The lock and the memory
 * table stay for residents. */
void tri_bucket_fini(tri_bucket *bucket);
/* The rest, once the last resident has gone. */
void tri_bucket_fini_memory(tri_bucket *bucket);

/* Open a slot, idle: whoever arms it can make it known first. 0, -ENOMEM, -ESHUTDOWN. */
int tri_bucket_open(tri_ref *out, tri_bucket *bucket, uint32_t kind, const tri_action *action);
int tri_bucket_open_locked(tri_ref *out, tri_bucket *bucket, uint32_t kind,
                           const tri_action *action);

/* Calls on a slot: each takes the lock, briefly. -ESTALE: ref names no slot (any more).
 * -ESHUTDOWN: the slot was shut down, or the bucket closes; arm only. Otherwise what was found. */
/* As tri_bucket_arm, and sets a field that is guarded by the lock in the same step. */
int tri_bucket_arm_and_set(tri_ref ref, int64_t deadline, int64_t *field, int64_t value);
/* The rest of arm and stop: the lock is held on entry, and dropped. also: 0, or TRI_SHUT. */
int tri_bucket_finish_arm(tri_ref ref, int64_t deadline, int64_t *field, int64_t value);
int tri_bucket_finish_stop(tri_ref ref, uint32_t also);

/* Both have a short way, see backend.h, for a slot in the plainest state. */

static inline int tri_bucket_arm(tri_ref ref, int64_t deadline) {
    tri_bucket *bucket = ref.bucket;
    tri_lock_take(&bucket->lock);
    tri_slot *slot = tri_slot_find_plain(&bucket->table, ref.slot, ref.generation);
    if (slot == NULL) return tri_bucket_finish_arm(ref, deadline, NULL, 0);
    const bool was_armed = slot->deadline != TRI_NEVER;
    if (!tri_backend_set_shortly(bucket->backend, slot, deadline))
        return tri_bucket_finish_arm(ref, deadline, NULL, 0);
    ++bucket->counts.armed;
    bucket->counts.stopped += was_armed;
    tri_lock_drop(&bucket->lock);
    return was_armed ? TRI_STOPPED : TRI_IDLE;
}

/* also: 0, or TRI_SHUT to stop for good. */
static inline int tri_bucket_stop(tri_ref ref, uint32_t also) {
    tri_bucket *bucket = ref.bucket;
    tri_lock_take(&bucket->lock);
    tri_slot *slot = tri_slot_find_plain(&bucket->table, ref.slot, ref.generation);
    if (slot == NULL || also != 0 || slot->deadline == TRI_NEVER ||
        !tri_backend_remove_shortly(bucket->backend, slot))
        return tri_bucket_finish_stop(ref, also);
    ++bucket->counts.stopped;
    tri_lock_drop(&bucket->lock);
    return TRI_STOPPED;
}

/* Stop for good and give up the slot: ref is stale afterwards. */
int tri_bucket_close_slot(tri_ref ref);
int tri_bucket_close_slot_locked(tri_ref ref);
/* 0 and when it is due, TRI_NEVER where it is not armed. */
int tri_bucket_deadline(int64_t *out, tri_ref ref);

/* Turning the crank; by one thread at a time. */

#define TRI_BATCH 64u

/* Take at most max (<= TRI_BATCH) slots that are due by now: messages are delivered on the spot,
 * callbacks join the due queue. How many were taken; *callbacks of them are callbacks. Push those
 * to be woken after the lock is dropped onto *wakes. */
size_t tri_bucket_take_due_locked(tri_bucket *bucket, int64_t now, size_t max, size_t *callbacks,
                                  tri_waiter **wakes);
/* When to turn next: TRI_NEVER: nothing is pending. */
int64_t tri_bucket_next_locked(tri_bucket *bucket);
/* True: no turn at this time has anything to do, and the time is noted; no lock is needed. */
bool tri_bucket_is_idle_at(tri_bucket *bucket, int64_t now);
/* A pass ends: the next that is worth the lock is at the next deadline. */
void tri_bucket_idle_locked(tri_bucket *bucket);
/* One is worth it from this point on: an earlier deadline; where a backend wants to cascade first,
 * which it may say later than the pass did; INT64_MIN, any. */
void tri_bucket_expect_turn_locked(tri_bucket *bucket, int64_t at);
/* Time as turns see it: one that lies behind an earlier turn's is held at that one, and counted. */
int64_t tri_bucket_hold_time_locked(tri_bucket *bucket, int64_t now);
/* Pending armings, due ones included. */
uint64_t tri_bucket_pending_locked(const tri_bucket *bucket);
/* A line of the trace, where one is recorded; deadline TRI_NEVER: the op has no delay. */
void tri_bucket_trace_locked(const tri_bucket *bucket, char op, uint32_t slot, int64_t deadline);
/* As that, of what has no slot: its address is its id. */
void tri_bucket_trace_timed_locked(const tri_bucket *bucket, char op, const void *timed,
                                   int64_t deadline);
/* Refuse new armings, drop what is pending, close the residents. */
void tri_bucket_close_locked(tri_bucket *bucket, tri_waiter **wakes);

/* run.c */

/* Put a slot that is DUE into the queue, or leave it at its place there. */
void tri_bucket_enqueue_locked(tri_bucket *bucket, uint32_t slot);
/* Run at most max due callbacks, each with the lock dropped. How many ran. */
size_t tri_bucket_run(tri_bucket *bucket, size_t max);
/* Stop, then wait for the run that was in progress to end. TRI_IDLE or TRI_STOPPED. -EDEADLK: the
 * calling thread is in that run, or that run waits for one that the calling thread is in. */
int tri_bucket_stop_wait(tri_ref ref);
/* Whether the calling thread is in a callback of this runtime; bucket NULL: of any bucket. */
bool tri_bucket_in_callback(const tri_shared *shared, const tri_bucket *bucket);
/* In a child of fork: those who waited for a callback's end are not here. */
void tri_bucket_forget_waits(void);
/* Wait until no callback of the bucket runs and nobody drives it. */
void tri_bucket_wait_idle(tri_bucket *bucket);

/* resident.c */

/* Memory for an object that begins with a resident, not yet entered. 0, -ENOMEM, -ESHUTDOWN. */
int tri_resident_take_locked(void **out, tri_bucket *bucket, size_t size);
/* Enter it, once it can be closed. Pre: the bucket is not closing. */
void tri_resident_enter_locked(tri_bucket *bucket, tri_resident *resident);
/* Take it off the list and free it (size 0: it lives on a stack). True: nothing is left that needs
 * the runtime, and the caller must let go of a hold with the lock dropped. */
bool tri_resident_leave_locked(tri_bucket *bucket, tri_resident *resident, size_t size);

#endif
