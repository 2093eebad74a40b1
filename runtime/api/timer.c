/* One-shot timers: a slot, and for those without a callback a mailbox that the slot delivers to.
 *
 * Guards: (b) the bucket's lock, (c) constant after creation. */
#include <tarry/timer.h>

#include "api/runtime.h"
#include "bucket/state.h"
#include "dispatch/mailbox.h"

struct tarry_timer {
    tri_resident resident;  /* (b) */
    tri_ref ref;            /* (c) */
    tarry_mailbox *mailbox; /* (c) behind this struct in the same block; NULL: it has a callback */
};

typedef struct tri_mailbox_timer {
    tarry_timer timer;
    tarry_mailbox mailbox;
} tri_mailbox_timer;

static int64_t deliver(void *argument, int64_t deadline, int64_t now, tri_waiter **wakes) {
    tarry_mailbox *mailbox = ((tarry_timer *)argument)->mailbox;
    const tarry_message message = { NULL, deadline, now };
    tri_lock_take(&mailbox->lock);
    tri_mailbox_put_locked(mailbox, &message, wakes);
    tri_lock_drop(&mailbox->lock);
    return TRI_NEVER;
}

static bool take_back(void *argument) {
    return tri_mailbox_take_back(((tarry_timer *)argument)->mailbox);
}

static const tri_delivery delivery = { deliver, take_back };

static void close_timer(tri_resident *resident, tri_waiter **wakes) {
    tarry_timer *timer = (tarry_timer *)resident;
    if (timer->mailbox != NULL) tri_mailbox_close(timer->mailbox, wakes);
}

static size_t size_of(const tarry_timer *timer) {
    return timer->mailbox != NULL ? sizeof(tri_mailbox_timer) : sizeof(tarry_timer);
}

static void release(tarry_timer *timer) {
    tri_bucket *bucket = timer->ref.bucket;
    if (timer->mailbox != NULL) tri_mailbox_fini(timer->mailbox);
    if (tri_resident_leave(bucket, &timer->resident, size_of(timer)))
        tri_runtime_free(bucket->shared);
}

/* function NULL: a mailbox instead. */
static int make(tarry_timer **out, tarry_runtime *rt, int64_t deadline, tarry_function *function,
                void *argument) {
    tri_worker *worker = tri_runtime_worker(rt);
    tri_bucket *bucket = &worker->bucket;
    int error = tri_runtime_ensure(rt, worker, function != NULL);
    if (error != 0) return error;
    const size_t size = function == NULL ? sizeof(tri_mailbox_timer) : sizeof(tarry_timer);
    tarry_timer *timer = tri_resident_take(bucket, size);
    if (timer == NULL) return -ENOMEM;
    *timer = (tarry_timer){ .resident.close = close_timer, .ref.bucket = bucket };
    tri_action action = { .callback = function, .argument = argument };
    if (function == NULL) {
        timer->mailbox = &((tri_mailbox_timer *)timer)->mailbox;
        tri_mailbox_init(timer->mailbox, bucket, true);
        action = (tri_action){ .delivery = &delivery, .argument = timer };
    }
    error = tri_resident_enter(bucket, &timer->resident, size);
    if (error != 0) return error;
    error = tri_bucket_open(&timer->ref, bucket, function == NULL ? TRI_DELIVERY : 0, &action);
    if (error != 0) {
        release(timer);
        return error;
    }
    /* Written first: the callback may begin at once, and use it, or free what it lies in. */
    *out = timer;
    tri_bucket_arm(timer->ref, deadline);
    return 0;
}

int tarry_timer_new_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline) {
    const int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error : make(out, rt, tri_time_deadline(deadline), NULL, NULL);
}

int tarry_timer_new(tarry_timer **out, tarry_runtime *rt, int64_t delay) {
    const int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error
                      : make(out, rt, tri_time_after(tri_runtime_now(rt), delay), NULL, NULL);
}

int tarry_after_func_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline,
                        tarry_function *function, void *argument) {
    const int error = out == NULL || function == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error : make(out, rt, tri_time_deadline(deadline), function, argument);
}

int tarry_after_func(tarry_timer **out, tarry_runtime *rt, int64_t delay,
                     tarry_function *function, void *argument) {
    const int error = tri_runtime_usable(rt);
    return error != 0 ? error
                      : tarry_after_func_at(out, rt, tri_time_after(tri_runtime_now(rt), delay),
                                            function, argument);
}

static int usable(const tarry_timer *timer) {
    return timer == NULL ? -EINVAL : tri_shared_state(timer->ref.bucket->shared);
}

/* What a bucket found, as Go tells it. */
static int stopped(int found) {
    return found < 0 ? found : found == TRI_STOPPED;
}

int tarry_timer_stop(tarry_timer *timer) {
    const int error = usable(timer);
    return error != 0 ? error : stopped(tri_bucket_stop(timer->ref, 0));
}

int tarry_timer_stop_wait(tarry_timer *timer) {
    const int error = usable(timer);
    return error != 0 ? error : stopped(tri_bucket_stop_wait(timer->ref));
}

int tarry_timer_shutdown(tarry_timer *timer) {
    const int error = usable(timer);
    return error != 0 ? error : stopped(tri_bucket_stop(timer->ref, TRI_SHUT));
}

int tarry_timer_reset_at(tarry_timer *timer, int64_t deadline) {
    const int error = usable(timer);
    return error != 0 ? error : stopped(tri_bucket_arm(timer->ref, tri_time_deadline(deadline)));
}

int tarry_timer_reset(tarry_timer *timer, int64_t delay) {
    const int error = usable(timer);
    if (error != 0) return error;
    const int64_t now = tri_clock_now(&timer->ref.bucket->shared->clock);
    return stopped(tri_bucket_arm(timer->ref, tri_time_after(now, delay)));
}

int tarry_timer_remaining(int64_t *out, tarry_timer *timer) {
    int error = out == NULL ? -EINVAL : usable(timer);
    if (error != 0) return error;
    int64_t deadline;
    error = tri_bucket_deadline(&deadline, timer->ref);
    if (error != 0) return error;
    const int64_t now = tri_clock_now(&timer->ref.bucket->shared->clock);
    *out = deadline >= TRI_TIME_END ? TARRY_FOREVER : tri_time_until(deadline, now);
    return 0;
}

tarry_mailbox *tarry_timer_mailbox(tarry_timer *timer) {
    return timer != NULL ? timer->mailbox : NULL;
}

int tarry_timer_free(tarry_timer *timer) {
    const int error = usable(timer);
    if (error == -EINVAL || error == -ECHILD) return error;
    if (timer->ref.bucket->shared->foreign) return 0;
    /* While the runtime is being destroyed the slot may still be armed. */
    tri_bucket_close_slot(timer->ref);
    release(timer);
    return 0;
}
