/* What timers and tickers have in common: a slot, and, where a firing is a message, a mailbox, in
 * one block of the bucket's memory.
 *
 * Guards: (b) the bucket's lock, (c) constant after creation. */
#ifndef TRI_OBJECT_H
#define TRI_OBJECT_H

#include "api/runtime.h"
#include "dispatch/mailbox.h"

#include <tarry/timer.h>

/* First member of both. */
typedef struct tri_object {
    tri_resident resident;  /* (b) */
    tri_ref ref;            /* (c) */
    tarry_mailbox *mailbox; /* (c) at the end of the block; NULL: a firing calls a function */
    size_t size;            /* (c) of the block */
} tri_object;

/* Make an object of that size with a slot that is not armed, in the calling thread's worker: what
 * makes it known has to come before what makes it fire. With `delivery` it has a mailbox, and is
 * the delivery's argument; else `function` is called. 0, -ENOMEM, -EAGAIN, -ESHUTDOWN. */
int tri_object_new(tri_object **out, tarry_runtime *rt, size_t size, const tri_delivery *delivery,
                   tarry_function *function, void *argument);
/* Give up the slot, end the mailbox, free the block. 0, -EINVAL, -ECHILD. */
int tri_object_free(tri_object *object);

/* 0, or what a call on it has to answer. */
static inline int tri_object_usable(const tri_object *object) {
    return object == NULL ? -EINVAL : tri_shared_state(object->ref.bucket->shared);
}

static inline int64_t tri_object_now(const tri_object *object) {
    return tri_clock_now(&object->ref.bucket->shared->clock);
}

/* For deliveries, with the bucket's lock held: leave a message (0, or why not), take it back. */
int tri_object_put(tri_object *object, int64_t deadline, int64_t now, tri_waiter **wakes);
bool tri_object_take_back(void *object);

#endif
