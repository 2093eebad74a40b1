/* The core surface: timers as handles, for runtimes that embed tarry. No call here but
 * tarry_handle_new allocates; a stale handle is an error, never another timer. */
#ifndef TARRY_CORE_H
#define TARRY_CORE_H

#include <tarry/base.h>
#include <tarry/runtime.h>
#include <tarry/timer.h>

TARRY_BEGIN_DECLS

/* Names one timer of one runtime. Passed by value; all zero names none. */
typedef struct tarry_handle {
    uint32_t bucket;
    uint32_t slot;
    uint32_t generation;
    uint32_t reserved; /* 0 */
} tarry_handle;

/* What tarry_disarm and tarry_rearm found. */
enum {
    TARRY_IDLE = 0,    /* it was not armed */
    TARRY_STOPPED = 1, /* it was armed and will not run */
    TARRY_RUNNING = 2  /* its callback is running now */
};

/* Make a timer that is not armed, in a worker's bucket.
 * worker     below tarry_workers(rt).
 * Returns    0. -EINVAL: a NULL, no such worker. -ENOMEM. -EAGAIN: a thread could not be started.
 *            -ESHUTDOWN, -ECHILD.
 * Ownership  the runtime's: freed by tarry_handle_free or with the runtime.
 * Threads    any. In a callback: allowed. */
TARRY_API int tarry_handle_new(tarry_handle *out, tarry_runtime *rt, unsigned worker,
                               tarry_function *function, void *argument);

/* Arm a timer; one that is armed already is moved.
 * delay      <= 0: due at once. Past the end of time: never.
 * Returns    0. -EINVAL: rt is NULL. -ESTALE: the handle names no timer. -ESHUTDOWN, -ECHILD.
 * Threads    any. In a callback: allowed, its own too; its next run begins after this one.
 * Blocks     never long: takes the bucket's lock, and wakes its thread if now the earliest. */
TARRY_API int tarry_arm(tarry_runtime *rt, tarry_handle handle, int64_t delay);

/* As tarry_arm, due at a point on the runtime's clock; reads no clock. */
TARRY_API int tarry_arm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline);

/* As tarry_arm, and tells what it found: TARRY_IDLE, TARRY_STOPPED, TARRY_RUNNING, or an error. */
TARRY_API int tarry_rearm(tarry_runtime *rt, tarry_handle handle, int64_t delay);

/* As tarry_rearm, due at a point on the runtime's clock; reads no clock. */
TARRY_API int tarry_rearm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline);

/* Disarm a timer. Does not wait for its callback.
 * Returns    TARRY_STOPPED: this call kept it from running (also if it runs now for an earlier
 *            arming). TARRY_RUNNING: it is running now. TARRY_IDLE: it was not armed. -EINVAL,
 *            -ESTALE, -ESHUTDOWN, -ECHILD.
 * Threads    any number at once; of several, one gets TARRY_STOPPED. In a callback: allowed.
 * Blocks     never long: takes the bucket's lock. */
TARRY_API int tarry_disarm(tarry_runtime *rt, tarry_handle handle);

/* Disarm and free. The handle, and every copy of it, is stale from now on. A callback that runs
 * finishes; none begins afterwards.
 * Returns    as tarry_disarm. Threads: any. In a callback: allowed, its own too. */
TARRY_API int tarry_handle_free(tarry_runtime *rt, tarry_handle handle);

TARRY_END_DECLS

#endif
