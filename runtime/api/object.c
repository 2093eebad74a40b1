/* Making and freeing what fires. Made: memory, what fires, entered as a resident (from here on the
 * end of the runtime closes it). Freed: what fires first, so that nothing is delivered any more,
 * then the mailbox, once all who wait have left, then the rest. Each under one hold of the lock. */
#include "api/object.h"

#include <stddef.h>

static size_t size_of(bool has_mailbox) {
    return has_mailbox ? sizeof(tri_object) : offsetof(tri_object, ref) + sizeof(tri_ref);
}

static void close_timed(tri_resident *resident, tri_waiter **wakes) {
    tri_timed_close_locked(&((tri_object *)resident)->timed, wakes);
}

/* The block, not entered; NULL: *error says why. */
static tri_object *take_locked(tri_bucket *bucket, bool has_mailbox, int *error) {
    tri_assert_held(&bucket->lock);
    void *block = NULL;
    *error = tri_resident_take_locked(&block, bucket, size_of(has_mailbox));
    tri_object *object = block;
    if (object == NULL) return NULL;
    object->resident.close = has_mailbox ? close_timed : NULL;
    object->bucket = bucket;
    object->has_mailbox = has_mailbox;
    return object;
}

/* What fires could be made, or not. */
static int finish_locked(tri_object *object, int error) {
    tri_bucket *bucket = object->bucket;
    tri_assert_held(&bucket->lock);
    if (error == 0) tri_resident_enter_locked(bucket, &object->resident);
    else tri_memory_give(&bucket->memory, object, size_of(object->has_mailbox));
    return error;
}

int tri_object_new(tri_object **out, tarry_runtime *rt, tarry_function *function, void *argument) {
    tri_worker *worker = tri_runtime_worker(rt);
    tri_bucket *bucket = &worker->bucket;
    const tri_action action = { .callback = function, .argument = argument };
    int error = tri_runtime_ensure(rt, worker);
    if (error != 0) return error;
    tri_lock_take(&bucket->lock);
    tri_object *object = take_locked(bucket, false, &error);
    if (object != NULL)
        error = finish_locked(object, tri_bucket_open_locked(&object->ref, bucket, 0, &action));
    tri_lock_drop(&bucket->lock);
    if (error == 0) *out = object;
    return error;
}

int tri_object_new_timed(tri_object **out, tarry_runtime *rt, int64_t deadline, int64_t period) {
    tri_bucket *bucket = &tri_runtime_worker(rt)->bucket;
    int error;
    tri_lock_take(&bucket->lock);
    tri_object *object = take_locked(bucket, true, &error);
    if (object != NULL)
        error = finish_locked(object, tri_timed_init_locked(&object->timed, bucket, rt->by_hand));
    if (error == 0 && !rt->by_hand) tri_timed_begin_locked(&object->timed, deadline, period);
    tri_lock_drop(&bucket->lock);
    if (error != 0) return error;
    *out = object;
    if (rt->by_hand) tri_timed_arm(&object->timed, deadline, period);
    return 0;
}

int tri_object_free(tri_object *object) {
    const int error = tri_object_usable(object);
    if (error == -EINVAL || error == -ECHILD) return error;
    tri_bucket *bucket = object->bucket;
    if (bucket->shared->foreign) return 0;
    tri_lock_take(&bucket->lock);
    /* While the runtime is being destroyed the slot may still be armed. */
    if (object->has_mailbox) tri_timed_fini_locked(&object->timed);
    else tri_bucket_close_slot_locked(object->ref);
    tri_runtime_leave_locked(bucket, &object->resident, size_of(object->has_mailbox));
    return 0;
}
