/* Callbacks: the queue of those that are due, running them, and waiting for one to end.
 *
 * A callback runs with no lock held. Each run has a record on the stack of its thread; the records
 * of one thread are chained, so a call can tell whether it comes from within a given callback.
 *
 * Whether callbacks that wait for each other would wait for ever is decided before each wait, under
 * one lock of the process: every such wait is entered in its list, of whatever runtime. A run is
 * named by bucket and serial number, never by its record's address, since a run can end while its
 * waiter has not yet left. */
#include "bucket/bucket.h"

#include "system/futex.h"

#include <errno.h>
#include <limits.h>

struct tri_running {
    tri_bucket *bucket; /* (c) */
    tri_running *next;  /* (b) in the bucket's list */
    tri_running *outer; /* (c) its thread's own chain */
    uint64_t serial;    /* (c) */
    uint32_t slot;      /* (c) */
    tri_action action;  /* (c) copied: the slot may be closed meanwhile */
};

/* A callback's thread that waits for another run to end. */
typedef struct tri_end_wait tri_end_wait;
struct tri_end_wait {
    tri_end_wait *next;        /* (waits_lock) */
    const tri_running *frames; /* (c) the runs that its thread is in: they last while it waits */
    const tri_bucket *bucket;  /* (c) the run that it waits for */
    uint64_t serial;           /* (c) */
};

static _Thread_local tri_running *frames;

static tri_lock waits_lock = TRI_LOCK_INITIALIZER(TRI_RANK_WAITS);
static tri_end_wait *end_waits; /* (waits_lock) */

void tri_bucket_forget_waits(void) {
    tri_lock_init(&waits_lock, TRI_RANK_WAITS, false);
    end_waits = NULL;
}

void tri_bucket_enqueue_locked(tri_bucket *bucket, uint32_t number) {
    tri_assert_held(&bucket->lock);
    tri_slot *slot = tri_slot_at(&bucket->table.slots, number);
    /* Still linked from an arming that was stopped, or running: its place or its turn comes. */
    if ((slot->state & (TRI_LINKED | TRI_RUNNING)) != 0) return;
    slot->state |= TRI_LINKED;
    slot->link = TRI_NO_SLOT;
    if (bucket->due_first == TRI_NO_SLOT)
        bucket->due_first = number;
    else
        tri_slot_at(&bucket->table.slots, bucket->due_last)->link = number;
    bucket->due_last = number;
}

/* The next slot of the queue that is to run; those that were stopped meanwhile leave it here. */
static uint32_t dequeue_locked(tri_bucket *bucket) {
    tri_assert_held(&bucket->lock);
    while (bucket->due_first != TRI_NO_SLOT) {
        const uint32_t number = bucket->due_first;
        tri_slot *slot = tri_slot_at(&bucket->table.slots, number);
        bucket->due_first = slot->link;
        slot->state &= ~(uint32_t)TRI_LINKED;
        if ((slot->state & TRI_DUE) != 0) return number;
        if ((slot->state & (TRI_USED | TRI_RUNNING)) == 0)
            tri_slot_release(&bucket->table, number);
    }
    return TRI_NO_SLOT;
}

static bool begin_locked(tri_bucket *bucket, tri_running *run) {
    tri_assert_held(&bucket->lock);
    const uint32_t number = dequeue_locked(bucket);
    if (number == TRI_NO_SLOT) return false;
    tri_slot *slot = tri_slot_at(&bucket->table.slots, number);
    slot->state = (slot->state & ~(uint32_t)TRI_DUE) | TRI_RUNNING;
    --bucket->due;
    ++bucket->counts.fired;
    tri_bucket_trace_locked(bucket, 'F', number, TRI_NEVER);
    *run = (tri_running){ .bucket = bucket,
                          .next = bucket->running,
                          .outer = frames,
                          .serial = ++bucket->run_serial,
                          .slot = number,
                          .action = *tri_slot_action(&bucket->table, number) };
    bucket->running = run;
    ++bucket->runs;
    return true;
}

/* True: the timer has become due again meanwhile, and its turn is now. */
static bool end_locked(tri_bucket *bucket, tri_running *run) {
    tri_assert_held(&bucket->lock);
    tri_running **link = &bucket->running;
    while (*link != run) link = &(*link)->next;
    *link = run->next;
    --bucket->runs;
    tri_slot *slot = tri_slot_at(&bucket->table.slots, run->slot);
    slot->state &= ~(uint32_t)TRI_RUNNING;
    if ((slot->state & TRI_DUE) != 0) {
        tri_bucket_enqueue_locked(bucket, run->slot);
        return true;
    }
    if ((slot->state & (TRI_USED | TRI_LINKED)) == 0) tri_slot_release(&bucket->table, run->slot);
    return false;
}

static void call(tri_running *run) {
    tri_assert_no_lock();
    frames = run;
    run->action.callback(run->action.argument);
    frames = run->outer;
    tri_assert_no_lock();
}

size_t tri_bucket_run(tri_bucket *bucket, size_t max) {
    tri_running run;
    size_t count = 0;
    tri_lock_take(&bucket->lock);
    for (; count < max && begin_locked(bucket, &run); ++count) {
        tri_lock_drop(&bucket->lock);
        call(&run);
        tri_lock_take(&bucket->lock);
        if (end_locked(bucket, &run)) ++max;
        if (bucket->end_waiters == 0) continue;
        atomic_fetch_add_explicit(&bucket->end_word, 1, memory_order_release);
        tri_lock_drop(&bucket->lock);
        tri_futex_wake(&bucket->end_word, INT_MAX);
        tri_lock_take(&bucket->lock);
    }
    tri_lock_drop(&bucket->lock);
    return count;
}

bool tri_bucket_in_callback(const tri_shared *shared, const tri_bucket *bucket) {
    for (const tri_running *frame = frames; frame != NULL; frame = frame->outer)
        if (frame->bucket->shared == shared && (bucket == NULL || frame->bucket == bucket))
            return true;
    return false;
}

static bool is_among(const tri_running *frame, const tri_bucket *bucket, uint64_t serial) {
    for (; frame != NULL; frame = frame->outer)
        if (frame->bucket == bucket && frame->serial == serial) return true;
    return false;
}

/* Whether the run (directly, or through others that wait) waits for the calling thread. */
static bool waits_for_us(const tri_bucket *bucket, uint64_t serial) {
    tri_assert_held(&waits_lock);
    for (;;) {
        if (is_among(frames, bucket, serial)) return true;
        const tri_end_wait *wait = end_waits;
        while (wait != NULL && !is_among(wait->frames, bucket, serial)) wait = wait->next;
        if (wait == NULL) return false;
        bucket = wait->bucket;
        serial = wait->serial;
    }
}

/* The serial number of the slot's run, 0: it does not run. */
static uint64_t serial_locked(const tri_bucket *bucket, uint32_t slot) {
    tri_assert_held(&bucket->lock);
    for (const tri_running *run = bucket->running; run != NULL; run = run->next)
        if (run->slot == slot) return run->serial;
    return 0;
}

static bool runs_locked(const tri_bucket *bucket, uint64_t serial) {
    tri_assert_held(&bucket->lock);
    for (const tri_running *run = bucket->running; run != NULL; run = run->next)
        if (run->serial == serial) return true;
    return false;
}

static void wait_for_end(tri_bucket *bucket, uint64_t serial) {
    tri_lock_take(&bucket->lock);
    ++bucket->end_waiters;
    while (serial == 0 ? bucket->runs != 0 || bucket->turning : runs_locked(bucket, serial)) {
        const uint32_t seen = atomic_load_explicit(&bucket->end_word, memory_order_relaxed);
        tri_lock_drop(&bucket->lock);
        tri_futex_wait_until(&bucket->end_word, seen, INT64_MAX);
        tri_lock_take(&bucket->lock);
    }
    --bucket->end_waiters;
    tri_lock_drop(&bucket->lock);
}

void tri_bucket_wait_idle(tri_bucket *bucket) {
    wait_for_end(bucket, 0);
}

/* Only who is in a callback can be waited for, so only they are entered and can close a circle. */
static int enter_wait(tri_end_wait *wait) {
    tri_lock_take(&waits_lock);
    const bool circle = waits_for_us(wait->bucket, wait->serial);
    if (!circle) {
        wait->next = end_waits;
        end_waits = wait;
    }
    tri_lock_drop(&waits_lock);
    return circle ? -EDEADLK : 0;
}

static void leave_wait(const tri_end_wait *wait) {
    tri_lock_take(&waits_lock);
    tri_end_wait **link = &end_waits;
    while (*link != wait) link = &(*link)->next;
    *link = wait->next;
    tri_lock_drop(&waits_lock);
}

int tri_bucket_stop_wait(tri_ref ref) {
    tri_bucket *bucket = ref.bucket;
    const int found = tri_bucket_stop(ref, 0);
    if (found < 0) return found;
    tri_lock_take(&bucket->lock);
    tri_end_wait wait = { NULL, frames, bucket, serial_locked(bucket, ref.slot) };
    tri_lock_drop(&bucket->lock);
    const int result = found == TRI_STOPPED ? TRI_STOPPED : TRI_IDLE;
    if (wait.serial == 0) return result;
    if (frames == NULL) {
        wait_for_end(bucket, wait.serial);
        return result;
    }
    const int error = enter_wait(&wait);
    if (error != 0) return error;
    wait_for_end(bucket, wait.serial);
    leave_wait(&wait);
    return result;
}
