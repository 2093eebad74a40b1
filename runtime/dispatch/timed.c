#include "dispatch/timed.h"

#include <errno.h>

static bool has_slot(const tri_timed *timed) {
    return timed->ref.bucket != NULL;
}

/* Leave the message, and tell when the next one is due. */
static int64_t deliver(tri_timed *timed, const tarry_message *message, int64_t now,
                       tri_waiter **wakes) {
    const int error = tri_mailbox_put_locked(&timed->mailbox, message, wakes);
    if (timed->period == 0) return TRI_NEVER;
    uint64_t lost;
    const int64_t next = tri_time_next_tick(message->due_ns, timed->period, now, &lost);
    lost += error != 0;
    timed->dropped += lost;
    timed->mailbox.bucket->counts.dropped += lost;
    return next;
}

static int64_t deliver_by_crank(void *timed, int64_t deadline, int64_t now, tri_waiter **wakes) {
    return deliver(timed, &(tarry_message){ NULL, deadline, now }, now, wakes);
}

static bool take_back(void *timed) {
    return tri_mailbox_take_back_locked(&((tri_timed *)timed)->mailbox);
}

static const tri_delivery delivery = { deliver_by_crank, take_back };

int tri_timed_init_locked(tri_timed *timed, tri_bucket *bucket, bool with_slot) {
    tri_assert_held(&bucket->lock);
    tri_mailbox_init(&timed->mailbox, bucket, true);
    timed->ref = (tri_ref){ 0 };
    timed->deadline = TRI_NEVER;
    timed->period = 0;
    timed->dropped = 0;
    timed->shut = false;
    if (with_slot) {
        const tri_action action = { .delivery = &delivery, .argument = timed };
        return tri_bucket_open_locked(&timed->ref, bucket, TRI_DELIVERY, &action);
    }
    ++bucket->timed;
    return 0;
}

/* As a backend's slot with a delivery: each arming, and each message that nobody has received, is
 * one that was stopped. */
static int disarm_locked(tri_timed *timed) {
    tri_bucket *bucket = timed->mailbox.bucket;
    tri_assert_held(&bucket->lock);
    const bool was_armed = timed->deadline != TRI_NEVER;
    const bool had = tri_mailbox_take_back_locked(&timed->mailbox);
    timed->deadline = TRI_NEVER;
    bucket->timed_armed -= was_armed;
    bucket->counts.fired -= had;
    bucket->counts.stopped += (uint64_t)was_armed + had;
    return was_armed || had ? TRI_STOPPED : TRI_IDLE;
}

static void set_locked(tri_timed *timed, char op, int64_t deadline) {
    tri_bucket *bucket = timed->mailbox.bucket;
    timed->deadline = deadline;
    ++bucket->timed_armed;
    ++bucket->counts.armed;
    tri_bucket_trace_timed_locked(bucket, op, timed, deadline);
}

int64_t tri_timed_look_locked(tri_timed *timed, tri_waiter **wakes) {
    tri_bucket *bucket = timed->mailbox.bucket;
    tri_assert_held(&bucket->lock);
    if (timed->deadline == TRI_NEVER) return TRI_NEVER;
    const int64_t now = tri_clock_now(&bucket->shared->clock);
    const int64_t due = timed->deadline;
    if (now < due) return due;
    /* Where nobody waited it lies there since it was due. */
    const bool awaited = timed->mailbox.receivers.first != NULL;
    timed->deadline = TRI_NEVER;
    --bucket->timed_armed;
    ++bucket->counts.fired;
    tri_bucket_trace_timed_locked(bucket, 'F', timed, TRI_NEVER);
    const int64_t next =
        deliver(timed, &(tarry_message){ NULL, due, awaited ? now : due }, now, wakes);
    if (next != TRI_NEVER) set_locked(timed, 'A', next);
    return next;
}

/* Ticks are counted as they come, so those that have come are, before the series ends. */
static void look_at_ticks_locked(tri_timed *timed, tri_waiter **wakes) {
    if (timed->period != 0) tri_timed_look_locked(timed, wakes);
}

void tri_timed_begin_locked(tri_timed *timed, int64_t deadline, int64_t period) {
    tri_assert_held(timed->mailbox.lock);
    timed->period = period;
    set_locked(timed, 'A', deadline);
}

static int arm_locked(tri_timed *timed, int64_t deadline, int64_t period, tri_waiter **wakes) {
    tri_assert_held(timed->mailbox.lock);
    if (timed->shut) return -ESHUTDOWN;
    look_at_ticks_locked(timed, wakes);
    /* Nobody sleeps for longer than up to here. */
    const int64_t until = timed->deadline;
    const int found = disarm_locked(timed);
    timed->period = period;
    set_locked(timed, found == TRI_STOPPED ? 'R' : 'A', deadline);
    if (deadline < until) tri_mailbox_rouse_locked(&timed->mailbox);
    return found;
}

int tri_timed_arm(tri_timed *timed, int64_t deadline, int64_t period) {
    if (has_slot(timed))
        return tri_bucket_arm_and_set(timed->ref, deadline, &timed->period, period);
    tri_waiter *wakes = NULL;
    tri_lock_take(timed->mailbox.lock);
    const int found = arm_locked(timed, deadline, period, &wakes);
    tri_lock_drop(timed->mailbox.lock);
    tri_waiter_wake(wakes);
    return found;
}

static int cancel_locked(tri_timed *timed) {
    const int found = disarm_locked(timed);
    if (found == TRI_STOPPED)
        tri_bucket_trace_timed_locked(timed->mailbox.bucket, 'C', timed, TRI_NEVER);
    return found;
}

int tri_timed_stop(tri_timed *timed, uint32_t also) {
    if (has_slot(timed)) return tri_bucket_stop(timed->ref, also);
    tri_waiter *wakes = NULL;
    tri_lock_take(timed->mailbox.lock);
    look_at_ticks_locked(timed, &wakes);
    const int found = cancel_locked(timed);
    timed->shut |= (also & TRI_SHUT) != 0;
    tri_lock_drop(timed->mailbox.lock);
    tri_waiter_wake(wakes);
    return found;
}

int tri_timed_deadline(int64_t *out, tri_timed *timed) {
    if (has_slot(timed)) return tri_bucket_deadline(out, timed->ref);
    tri_waiter *wakes = NULL;
    tri_lock_take(timed->mailbox.lock);
    *out = tri_timed_look_locked(timed, &wakes);
    tri_lock_drop(timed->mailbox.lock);
    tri_waiter_wake(wakes);
    return 0;
}

uint64_t tri_timed_dropped(tri_timed *timed) {
    tri_waiter *wakes = NULL;
    tri_lock_take(timed->mailbox.lock);
    tri_timed_look_locked(timed, &wakes);
    const uint64_t dropped = timed->dropped;
    tri_lock_drop(timed->mailbox.lock);
    tri_waiter_wake(wakes);
    return dropped;
}

void tri_timed_close_locked(tri_timed *timed, tri_waiter **wakes) {
    tri_assert_held(timed->mailbox.lock);
    timed->shut = true;
    disarm_locked(timed);
    tri_mailbox_close_locked(&timed->mailbox, wakes);
}

void tri_timed_fini_locked(tri_timed *timed) {
    tri_assert_held(timed->mailbox.lock);
    if (has_slot(timed)) {
        tri_bucket_close_slot_locked(timed->ref);
    } else {
        cancel_locked(timed);
        --timed->mailbox.bucket->timed;
    }
    tri_mailbox_fini_locked(&timed->mailbox);
}
