/* What timers and tickers are: either a slot whose firing calls a function, or a mailbox with a
 * deadline; one block of the bucket's memory.
 *
 * Guards: (b) the bucket's lock, (c) constant after creation. */
#ifndef TRI_OBJECT_H
#define TRI_OBJECT_H

#include "api/runtime.h"
#include "dispatch/timed.h"

#include <tarry/timer.h>

typedef struct tri_object {
    tri_resident resident; /* (b) */
    tri_bucket *bucket;    /* (c) */
    bool has_mailbox;      /* (c) */
    union {
        tri_ref ref;     /* (c) a firing calls a function; the block ends here */
        tri_timed timed; /* a firing is a message */
    };
} tri_object;

/* Make one in the calling thread's worker. 0, -ENOMEM, -ESHUTDOWN; with a function also -EAGAIN.
 * One with a function is not armed: what makes it known has to come before what makes it fire. */
int tri_object_new(tri_object **out, tarry_runtime *rt, tarry_function *function, void *argument);
/* One with a mailbox is armed; period 0: to fire once. */
int tri_object_new_timed(tri_object **out, tarry_runtime *rt, int64_t deadline, int64_t period);
/* Disarm for good, end the mailbox, free the block. 0, -EINVAL, -ECHILD. */
int tri_object_free(tri_object *object);

/* 0, or what a call on it has to answer. */
static inline int tri_object_usable(const tri_object *object) {
    return object == NULL ? -EINVAL : tri_shared_state(object->bucket->shared);
}

static inline int64_t tri_object_now(const tri_object *object) {
    return tri_clock_now(&object->bucket->shared->clock);
}

static inline tarry_mailbox *tri_object_mailbox(tri_object *object) {
    return object != NULL && object->has_mailbox ? &object->timed.mailbox : NULL;
}

#endif
