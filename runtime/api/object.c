/* Making and freeing what has a slot. The order is what matters. Made: memory, mailbox, entered as
 * a resident (from here on the end of the runtime closes it), the slot. Freed: the slot first, so
 * that nothing is delivered any more, then the mailbox, once all who wait have left, then the rest. */
#include "api/object.h"

#include "bucket/state.h"

static void close_object(tri_resident *resident, tri_waiter **wakes) {
    tri_object *object = (tri_object *)resident;
    if (object->mailbox != NULL) tri_mailbox_close(object->mailbox, wakes);
}

static void release(tri_object *object) {
    tri_bucket *bucket = object->ref.bucket;
    if (object->mailbox != NULL) tri_mailbox_fini(object->mailbox);
    if (tri_resident_leave(bucket, &object->resident, object->size))
        tri_runtime_free(bucket->shared);
}

/* The block, with its mailbox where it has one, entered. */
static int make_block(tri_object **out, tri_bucket *bucket, size_t head, bool with_mailbox) {
    const size_t align = _Alignof(max_align_t);
    head = (head + align - 1) / align * align;
    const size_t size = head + (with_mailbox ? sizeof(tarry_mailbox) : 0);
    tri_object *object = tri_resident_take(bucket, size);
    if (object == NULL) return -ENOMEM;
    *object = (tri_object){ .resident.close = close_object, .ref.bucket = bucket, .size = size };
    if (with_mailbox) {
        object->mailbox = (void *)((char *)object + head);
        tri_mailbox_init(object->mailbox, bucket, true);
    }
    const int error = tri_resident_enter(bucket, &object->resident, size);
    if (error == 0) *out = object;
    return error;
}

int tri_object_new(tri_object **out, tarry_runtime *rt, size_t size, const tri_delivery *delivery,
                   tarry_function *function, void *argument) {
    tri_worker *worker = tri_runtime_worker(rt);
    tri_object *object;
    int error = tri_runtime_ensure(rt, worker, delivery == NULL);
    if (error != 0) return error;
    error = make_block(&object, &worker->bucket, size, delivery != NULL);
    if (error != 0) return error;
    tri_action action = { .callback = function, .argument = argument };
    if (delivery != NULL) action = (tri_action){ .delivery = delivery, .argument = object };
    error = tri_bucket_open(&object->ref, &worker->bucket, delivery != NULL ? TRI_DELIVERY : 0,
                            &action);
    if (error == 0)
        *out = object;
    else
        release(object);
    return error;
}

int tri_object_free(tri_object *object) {
    const int error = tri_object_usable(object);
    if (error == -EINVAL || error == -ECHILD) return error;
    if (object->ref.bucket->shared->foreign) return 0;
    /* While the runtime is being destroyed the slot may still be armed. */
    tri_bucket_close_slot(object->ref);
    release(object);
    return 0;
}

int tri_object_put(tri_object *object, int64_t deadline, int64_t now, tri_waiter **wakes) {
    const tarry_message message = { NULL, deadline, now };
    tri_lock_take(&object->mailbox->lock);
    const int error = tri_mailbox_put_locked(object->mailbox, &message, wakes);
    tri_lock_drop(&object->mailbox->lock);
    return error;
}

bool tri_object_take_back(void *object) {
    return tri_mailbox_take_back(((tri_object *)object)->mailbox);
}
