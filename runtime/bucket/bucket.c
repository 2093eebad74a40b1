#include "bucket/bucket.h"

#include "system/futex.h"
#include "system/trace.h"

#include <errno.h>
#include <string.h>

int tri_bucket_init(tri_bucket *bucket, tri_shared *shared, const tri_backend_ops *ops,
                    int64_t tick_ns, const tarry_allocator *allocator, uint32_t number) {
    memset(bucket, 0, sizeof *bucket);
    bucket->number = number;
    bucket->traced = tri_trace_wanted();
    bucket->shared = shared;
    bucket->due_first = bucket->due_last = TRI_NO_SLOT;
    bucket->last_now = bucket->trace_start = tri_clock_now(&shared->clock);
    atomic_init(&bucket->seen_now, bucket->last_now);
    atomic_init(&bucket->idle_until, INT64_MIN);
    int error = tri_memory_init(&bucket->memory, allocator);
    if (error != 0) return error;
    error = tri_slot_table_init(&bucket->table, &bucket->memory);
    if (error != 0) goto no_table;
    const tri_backend_config config = { &bucket->memory, &bucket->table.slots, tick_ns,
                                        bucket->last_now };
    error = ops->init(&bucket->backend, &config);
    if (error != 0) goto no_backend;
    tri_lock_init(&bucket->lock, TRI_RANK_BUCKET, shared->no_locks);
    return 0;
no_backend:
    tri_slot_table_fini(&bucket->table, &bucket->memory);
no_table:
    tri_memory_fini(&bucket->memory);
    return error;
}

void tri_bucket_fini(tri_bucket *bucket) {
    tri_lock_take(&bucket->lock);
    bucket->backend->ops->fini(bucket->backend);
    bucket->backend = NULL;
    tri_slot_table_fini(&bucket->table, &bucket->memory);
    tri_lock_drop(&bucket->lock);
}

void tri_bucket_fini_memory(tri_bucket *bucket) {
    tri_memory_fini(&bucket->memory);
}

/* TARRY_CHECK=2: now and then the backend proves itself. That takes a look at every timer, so there
 * are at least as many armings between two of them: else many timers would be quadratic. */
static void prove_locked(const tri_bucket *bucket) {
    tri_assert_held(&bucket->lock);
    if (TARRY_CHECK >= 2 && bucket->counts.armed % (64 + bucket->table.used) == 0)
        tri_assert(bucket->backend->ops->check(bucket->backend, stderr));
}

static bool armed(const tri_slot *slot) {
    return slot->deadline != TRI_NEVER || (slot->state & TRI_DUE) != 0;
}

/* Only an arming that became the earliest, and lies before what the sleeper waits for, wakes it;
 * the first of many clears `sleeping`, so the others pay one compare. True: wake the word, after
 * the lock is dropped. */
static bool notice_earlier_locked(tri_bucket *bucket, bool first, int64_t deadline) {
    tri_assert_held(&bucket->lock);
    if (!first || !bucket->sleeping || deadline >= bucket->sleep_until) return false;
    bucket->sleeping = false;
    atomic_fetch_add_explicit(&bucket->word, 4, memory_order_release);
    ++bucket->counts.wakes;
    return true;
}

static __attribute__((noinline)) void write_trace(const tri_bucket *bucket, char op, uint64_t id,
                                                  int64_t deadline, bool message) {
    const int64_t now = tri_clock_now(&bucket->shared->clock);
    tri_trace_write(tri_time_until(now, bucket->trace_start), op, id,
                    deadline == TRI_NEVER ? -1 : tri_time_until(deadline, now),
                    message ? "mailbox" : "callback");
}

void tri_bucket_trace_locked(const tri_bucket *bucket, char op, uint32_t slot, int64_t deadline) {
    tri_assert_held(&bucket->lock);
    if (!bucket->traced) return;
    const bool message = (tri_slot_at(&bucket->table.slots, slot)->state & TRI_DELIVERY) != 0;
    write_trace(bucket, op, (uint64_t)bucket->number << 32 | slot, deadline, message);
}

void tri_bucket_trace_timed_locked(const tri_bucket *bucket, char op, const void *timed,
                                   int64_t deadline) {
    tri_assert_held(&bucket->lock);
    if (bucket->traced) write_trace(bucket, op, (uintptr_t)timed, deadline, true);
}

/* A due one that leaves the queue's count; it stays linked and is skipped there. */
static void withdraw_due_locked(tri_bucket *bucket, tri_slot *slot) {
    tri_assert_held(&bucket->lock);
    slot->state &= ~(uint32_t)TRI_DUE;
    --bucket->due;
}

/* An arming that had left a message, and now never did. */
static bool take_back_locked(tri_bucket *bucket, uint32_t number) {
    tri_assert_held(&bucket->lock);
    const tri_action *action = tri_slot_action(&bucket->table, number);
    const bool had = action->delivery->take_back(action->argument);
    bucket->counts.fired -= had;
    bucket->counts.stopped += had;
    return had;
}

/* The slot is not in the backend: whatever is left of its last arming is undone. */
static int undo_locked(tri_bucket *bucket, uint32_t number, tri_slot *slot) {
    tri_assert_held(&bucket->lock);
    if ((slot->state & TRI_DELIVERY) != 0)
        return take_back_locked(bucket, number) ? TRI_STOPPED : TRI_IDLE;
    if ((slot->state & TRI_DUE) == 0)
        return (slot->state & TRI_RUNNING) != 0 ? TRI_RUNS : TRI_IDLE;
    withdraw_due_locked(bucket, slot);
    ++bucket->counts.stopped;
    return TRI_STOPPED;
}

static int stop_locked(tri_bucket *bucket, uint32_t number, tri_slot *slot) {
    tri_assert_held(&bucket->lock);
    if (slot->deadline == TRI_NEVER) return undo_locked(bucket, number, slot);
    bucket->backend->ops->remove(bucket->backend, number);
    ++bucket->counts.stopped;
    /* A ticker is armed while its last tick may lie unreceived. */
    if ((slot->state & TRI_DELIVERY) != 0) take_back_locked(bucket, number);
    return TRI_STOPPED;
}

/* A stop that somebody asked for: it is recorded. */
static int cancel_locked(tri_bucket *bucket, uint32_t number, tri_slot *slot) {
    tri_assert_held(&bucket->lock);
    const int found = stop_locked(bucket, number, slot);
    if (found == TRI_STOPPED) tri_bucket_trace_locked(bucket, 'C', number, TRI_NEVER);
    return found;
}

void tri_bucket_expect_turn_locked(tri_bucket *bucket, int64_t at) {
    tri_assert_held(&bucket->lock);
    if (at < atomic_load_explicit(&bucket->idle_until, memory_order_relaxed))
        atomic_store_explicit(&bucket->idle_until, at, memory_order_relaxed);
}

static int arm_locked(tri_bucket *bucket, uint32_t number, tri_slot *slot, int64_t deadline,
                      bool *wake) {
    tri_assert_held(&bucket->lock);
    tri_backend *backend = bucket->backend;
    int found = TRI_STOPPED;
    bool first;
    if (slot->deadline != TRI_NEVER && (slot->state & TRI_DELIVERY) == 0) {
        ++bucket->counts.stopped;
        first = backend->ops->move(backend, number, deadline);
    } else {
        found = stop_locked(bucket, number, slot);
        first = backend->ops->add(backend, number, deadline);
    }
    ++bucket->counts.armed;
    tri_bucket_trace_locked(bucket, found == TRI_STOPPED ? 'R' : 'A', number, deadline);
    /* Relaxed: a turn that must see this arming comes after it, by whatever told its thread. The
     * short way of bucket.h has no need to: it arms for no earlier than some pending timer. */
    tri_bucket_expect_turn_locked(bucket, deadline);
    *wake = notice_earlier_locked(bucket, first, deadline);
    prove_locked(bucket);
    return found;
}

int tri_bucket_open_locked(tri_ref *out, tri_bucket *bucket, uint32_t kind,
                           const tri_action *action) {
    tri_assert_held(&bucket->lock);
    if (bucket->closing) return -ESHUTDOWN;
    bool grown;
    int error = tri_slot_table_grow(&bucket->table, &bucket->memory, &grown);
    if (error != 0) return error;
    error = bucket->backend->ops->reserve(bucket->backend, bucket->table.used + 1);
    if (error != 0) {
        if (grown) tri_slot_table_shrink(&bucket->table, &bucket->memory);
        return error;
    }
    out->bucket = bucket;
    out->slot = tri_slot_open(&bucket->table, kind | (bucket->traced ? TRI_TRACED : 0), action);
    out->generation = tri_slot_at(&bucket->table.slots, out->slot)->generation;
    return 0;
}

int tri_bucket_open(tri_ref *out, tri_bucket *bucket, uint32_t kind, const tri_action *action) {
    tri_lock_take(&bucket->lock);
    const int error = tri_bucket_open_locked(out, bucket, kind, action);
    tri_lock_drop(&bucket->lock);
    return error;
}

int tri_bucket_finish_arm(tri_ref ref, int64_t deadline, int64_t *field, int64_t value) {
    tri_bucket *bucket = ref.bucket;
    bool wake = false;
    int found = -ESTALE;
    tri_slot *slot = tri_slot_find(&bucket->table, ref.slot, ref.generation);
    if (slot != NULL && (slot->state & TRI_SHUT) != 0) {
        found = -ESHUTDOWN;
    } else if (slot != NULL) {
        found = arm_locked(bucket, ref.slot, slot, deadline, &wake);
        if (field != NULL) *field = value;
    }
    tri_lock_drop(&bucket->lock);
    if (wake) tri_futex_wake(&bucket->word, 1);
    return found;
}

int tri_bucket_arm_and_set(tri_ref ref, int64_t deadline, int64_t *field, int64_t value) {
    tri_lock_take(&ref.bucket->lock);
    return tri_bucket_finish_arm(ref, deadline, field, value);
}

int tri_bucket_finish_stop(tri_ref ref, uint32_t also) {
    tri_bucket *bucket = ref.bucket;
    int found = -ESTALE;
    tri_slot *slot = tri_slot_find(&bucket->table, ref.slot, ref.generation);
    if (slot != NULL) {
        found = cancel_locked(bucket, ref.slot, slot);
        slot->state |= also;
    }
    tri_lock_drop(&bucket->lock);
    return found;
}

int tri_bucket_close_slot_locked(tri_ref ref) {
    tri_bucket *bucket = ref.bucket;
    tri_assert_held(&bucket->lock);
    tri_slot *slot = tri_slot_find(&bucket->table, ref.slot, ref.generation);
    if (slot == NULL) return -ESTALE;
    const int found = cancel_locked(bucket, ref.slot, slot);
    tri_slot_retire(&bucket->table, ref.slot);
    if ((slot->state & (TRI_LINKED | TRI_RUNNING)) == 0)
        tri_slot_release(&bucket->table, ref.slot);
    return found;
}

int tri_bucket_close_slot(tri_ref ref) {
    tri_lock_take(&ref.bucket->lock);
    const int found = tri_bucket_close_slot_locked(ref);
    tri_lock_drop(&ref.bucket->lock);
    return found;
}

int tri_bucket_deadline(int64_t *out, tri_ref ref) {
    tri_bucket *bucket = ref.bucket;
    tri_lock_take(&bucket->lock);
    const tri_slot *slot = tri_slot_find(&bucket->table, ref.slot, ref.generation);
    if (slot != NULL)
        *out = (slot->state & TRI_DUE) != 0 ? bucket->last_now : slot->deadline;
    tri_lock_drop(&bucket->lock);
    return slot != NULL ? 0 : -ESTALE;
}

static void deliver_locked(tri_bucket *bucket, const tri_due *due, int64_t now,
                           tri_waiter **wakes) {
    tri_assert_held(&bucket->lock);
    const tri_action *action = tri_slot_action(&bucket->table, due->slot);
    ++bucket->counts.fired;
    tri_bucket_trace_locked(bucket, 'F', due->slot, TRI_NEVER);
    const int64_t next = action->delivery->deliver(action->argument, due->deadline, now, wakes);
    if (next == TRI_NEVER) return;
    ++bucket->counts.armed;
    tri_bucket_trace_locked(bucket, 'A', due->slot, next);
    bucket->backend->ops->add(bucket->backend, due->slot, next);
}

size_t tri_bucket_take_due_locked(tri_bucket *bucket, int64_t now, size_t max, size_t *callbacks,
                                  tri_waiter **wakes) {
    tri_assert_held(&bucket->lock);
    tri_due due[TRI_BATCH];
    const size_t count = bucket->backend->ops->pop_due(bucket->backend, now, due, max);
    *callbacks = 0;
    for (size_t i = 0; i < count; ++i)
        __builtin_prefetch(tri_slot_action(&bucket->table, due[i].slot));
    for (size_t i = 0; i < count; ++i) {
        tri_assert(due[i].deadline <= now);
        tri_slot *slot = tri_slot_at(&bucket->table.slots, due[i].slot);
        if ((slot->state & TRI_DELIVERY) != 0) {
            deliver_locked(bucket, &due[i], now, wakes);
            continue;
        }
        ++*callbacks;
        ++bucket->due;
        slot->state |= TRI_DUE;
        tri_bucket_enqueue_locked(bucket, due[i].slot);
    }
    return count;
}

int64_t tri_bucket_next_locked(tri_bucket *bucket) {
    tri_assert_held(&bucket->lock);
    return bucket->backend->ops->next(bucket->backend);
}

int64_t tri_bucket_hold_time_locked(tri_bucket *bucket, int64_t now) {
    tri_assert_held(&bucket->lock);
    const int64_t seen = atomic_load_explicit(&bucket->seen_now, memory_order_relaxed);
    const int64_t last = seen > bucket->last_now ? seen : bucket->last_now;
    if (now < last) ++bucket->counts.backsteps;
    bucket->last_now = now < last ? last : now;
    atomic_store_explicit(&bucket->seen_now, bucket->last_now, memory_order_relaxed);
    return bucket->last_now;
}

bool tri_bucket_is_idle_at(tri_bucket *bucket, int64_t now) {
    if (now >= atomic_load_explicit(&bucket->idle_until, memory_order_relaxed)) return false;
    /* One that goes back is counted, and that takes the lock. */
    if (now < atomic_load_explicit(&bucket->seen_now, memory_order_relaxed)) return false;
    atomic_store_explicit(&bucket->seen_now, now, memory_order_relaxed);
    return true;
}

void tri_bucket_idle_locked(tri_bucket *bucket) {
    tri_assert_held(&bucket->lock);
    if (bucket->due != 0 || bucket->closing) return;
    atomic_store_explicit(&bucket->idle_until, tri_bucket_next_locked(bucket),
                          memory_order_relaxed);
}

uint64_t tri_bucket_pending_locked(const tri_bucket *bucket) {
    tri_assert_held(&bucket->lock);
    return bucket->backend->live + bucket->due + bucket->timed_armed;
}

void tri_bucket_close_locked(tri_bucket *bucket, tri_waiter **wakes) {
    tri_assert_held(&bucket->lock);
    bucket->closing = true;
    tri_bucket_expect_turn_locked(bucket, INT64_MIN);
    for (uint32_t i = 0; i < bucket->table.slots.made; ++i) {
        tri_slot *slot = tri_slot_at(&bucket->table.slots, i);
        slot->state |= TRI_SHUT;
        if (armed(slot)) stop_locked(bucket, i, slot);
    }
    for (tri_listed *listed = bucket->residents; listed != NULL; listed = listed->next) {
        tri_resident *resident = (tri_resident *)listed;
        if (resident->close != NULL) resident->close(resident, wakes);
    }
}
