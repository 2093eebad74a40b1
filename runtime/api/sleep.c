/* Sleeping: a receive, with a deadline, from a mailbox that nobody knows. So that the end of the
 * runtime wakes it, the mailbox is entered with the others. */
#include <tarry/timer.h>

#include "api/runtime.h"
#include "dispatch/mailbox.h"

static int sleep_until(tarry_runtime *rt, int64_t deadline) {
    tri_bucket *bucket = &tri_runtime_worker(rt)->bucket;
    tarry_mailbox nobodys;
    tarry_case one = { .mailbox = &nobodys, .op = TARRY_RECV };
    size_t chosen;
    tri_mailbox_init(&nobodys, bucket, false);
    tri_lock_take(&bucket->lock);
    const bool closing = bucket->closing;
    if (!closing) tri_resident_enter_locked(bucket, &nobodys.resident);
    tri_lock_drop(&bucket->lock);
    if (closing) return -ESHUTDOWN;
    const int error = tri_choose(&chosen, &one, 1, &rt->shared.clock, deadline);
    tri_lock_take(&bucket->lock);
    tri_runtime_leave_locked(bucket, &nobodys.resident, 0);
    return error == -ETIMEDOUT ? 0 : error != 0 ? error : one.status;
}

static int usable(const tarry_runtime *rt) {
    const int error = tri_runtime_usable(rt);
    return error == 0 && rt->by_hand ? -EINVAL : error;
}

int tarry_sleep_until(tarry_runtime *rt, int64_t deadline) {
    const int error = usable(rt);
    return error != 0 ? error : sleep_until(rt, tri_time_deadline(deadline));
}

int tarry_sleep(tarry_runtime *rt, int64_t delay) {
    const int error = usable(rt);
    if (error != 0 || delay <= 0) return error;
    return sleep_until(rt, tri_time_after(tri_runtime_now(rt), delay));
}
