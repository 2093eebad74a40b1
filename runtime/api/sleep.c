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
    tri_mailbox_init(&nobodys, bucket, true);
    int error = tri_resident_enter(bucket, &nobodys.resident, 0);
    if (error == 0) {
        error = tri_choose(&chosen, &one, 1, &rt->shared.clock, deadline);
        if (error == 0) error = one.status;
        if (tri_resident_leave(bucket, &nobodys.resident, 0)) tri_runtime_free(bucket->shared);
    }
    tri_mailbox_fini(&nobodys);
    return error == -ETIMEDOUT ? 0 : error;
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
