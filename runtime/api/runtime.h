/* A runtime, and what every call of the public surface begins with. */
#ifndef TRI_RUNTIME_H
#define TRI_RUNTIME_H

#include "bucket/bucket.h"
#include "dispatch/executor.h"
#include "proc/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tarry/runtime.h>

struct tarry_runtime {
    tri_shared shared;           /* first: the bucket's way back to here */
    tri_executor executor;
    tri_worker *workers;         /* (c) */
    unsigned count;              /* (c) */
    bool by_hand;                /* (c) no thread turns the crank */
    _Atomic unsigned next_bound; /* (a) the worker of the next thread that binds itself */
    pthread_key_t key;           /* (c) each thread's worker + 1 */
    tri_memory memory;           /* (c) what the workers came from */
    tarry_runtime *next;         /* (registry) known, or free for reuse */
};

/* 0, or what a call on this runtime has to answer. */
static inline int tri_runtime_usable(const tarry_runtime *rt) {
    return rt == NULL ? -EINVAL : tri_shared_state(&rt->shared);
}

/* As tri_runtime_usable, and -EINVAL where it has no such worker. */
static inline int tri_runtime_has_worker(const tarry_runtime *rt, unsigned worker) {
    const int error = tri_runtime_usable(rt);
    return error == 0 && worker >= rt->count ? -EINVAL : error;
}

static inline int64_t tri_runtime_now(const tarry_runtime *rt) {
    return tri_clock_now(&rt->shared.clock);
}

/* The calling thread's worker, bound now if it was not. */
tri_worker *tri_runtime_worker(tarry_runtime *rt);
/* Whatever a worker needs before it gets a timer with a callback: its thread, and one for callbacks.
 * 0 or -EAGAIN. */
int tri_runtime_ensure(tarry_runtime *rt, tri_worker *worker);
/* Take a resident off, the bucket's lock held, which is dropped; the last one that still needed a
 * destroyed runtime frees what is left of that. size: as for tri_resident_leave_locked. */
void tri_runtime_leave_locked(tri_bucket *bucket, tri_resident *resident, size_t size);
/* Free what is left of a destroyed runtime, after its last hold was let go. */
void tri_runtime_free(tri_shared *shared);

#endif
