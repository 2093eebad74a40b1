/* The core surface: slots as they are, named by handles. */
#include <tarry/core.h>

#include "api/runtime.h"

int tarry_handle_new(tarry_handle *out, tarry_runtime *rt, unsigned worker,
                     tarry_function *function, void *argument) {
    int error = out == NULL || function == NULL ? -EINVAL : tri_runtime_has_worker(rt, worker);
    if (error != 0) return error;
    error = tri_runtime_ensure(rt, &rt->workers[worker]);
    if (error != 0) return error;
    const tri_action action = { .callback = function, .argument = argument };
    tri_ref ref;
    error = tri_bucket_open(&ref, &rt->workers[worker].bucket, 0, &action);
    if (error == 0)
        *out = (tarry_handle){ .bucket = worker, .slot = ref.slot, .generation = ref.generation };
    return error;
}

/* The slot that a handle names; whether it still does is seen under the bucket's lock. */
static int find(tri_ref *ref, tarry_runtime *rt, tarry_handle handle) {
    const int error = tri_runtime_usable(rt);
    if (error != 0) return error;
    if (handle.bucket >= rt->count) return -ESTALE;
    *ref = (tri_ref){ &rt->workers[handle.bucket].bucket, handle.slot, handle.generation };
    return 0;
}

int tarry_rearm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline) {
    tri_ref ref;
    const int error = find(&ref, rt, handle);
    return error != 0 ? error : tri_bucket_arm(ref, tri_time_deadline(deadline));
}

int tarry_rearm(tarry_runtime *rt, tarry_handle handle, int64_t delay) {
    const int error = tri_runtime_usable(rt);
    return error != 0 ? error
                      : tarry_rearm_at(rt, handle, tri_time_after(tri_runtime_now(rt), delay));
}

static int succeeded(int found) {
    return found < 0 ? found : 0;
}

int tarry_arm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline) {
    return succeeded(tarry_rearm_at(rt, handle, deadline));
}

int tarry_arm(tarry_runtime *rt, tarry_handle handle, int64_t delay) {
    return succeeded(tarry_rearm(rt, handle, delay));
}

int tarry_disarm(tarry_runtime *rt, tarry_handle handle) {
    tri_ref ref;
    const int error = find(&ref, rt, handle);
    return error != 0 ? error : tri_bucket_stop(ref, 0);
}

int tarry_handle_free(tarry_runtime *rt, tarry_handle handle) {
    tri_ref ref;
    const int error = find(&ref, rt, handle);
    return error != 0 ? error : tri_bucket_close_slot(ref);
}
