/* One-shot timers, as Go's time.Timer, time.AfterFunc and time.Sleep. */
#ifndef TARRY_TIMER_H
#define TARRY_TIMER_H

#include <tarry/base.h>
#include <tarry/mailbox.h>
#include <tarry/runtime.h>

TARRY_BEGIN_DECLS

typedef struct tarry_timer tarry_timer;

/* A callback. No lock of tarry is held: it may call any tarry function, on its own timer too, and
 * may block (unless callbacks are inline). It must return: leaving it by longjmp, pthread_exit or
 * a C++ exception is undefined. Runs of one timer never overlap. */
typedef void tarry_function(void *argument);

/* Make a timer and arm it: once `delay` ns have passed there is one message in its mailbox.
 * delay      <= 0: due at once. Past the end of time: never.
 * Returns    0. -EINVAL: a NULL. -ENOMEM. -ESHUTDOWN, -ECHILD.
 * Ownership  the caller's, until tarry_timer_free. It lives in the calling thread's worker.
 * Cost       in a runtime with threads a deadline that is written down: no backend holds it, and no
 *            thread is woken for it. Whoever looks into the mailbox after the deadline makes the
 *            message; who waits on it sleeps until the deadline itself, to the nanosecond whatever
 *            the backend's tick. Driven by hand, the crank makes the message.
 * Threads    any. In a callback: allowed. Like: time.NewTimer (Go 1.23). */
TARRY_API int tarry_timer_new(tarry_timer **out, tarry_runtime *rt, int64_t delay);

/* As tarry_timer_new, due at a point on the runtime's clock. */
TARRY_API int tarry_timer_new_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline);

/* Make a timer that calls function(argument) instead; it has no mailbox.
 * Returns    as tarry_timer_new; -EINVAL also where function is NULL. -EAGAIN: the worker's thread,
 *            or one for callbacks, could not be started.
 * Runs       in a callback thread, inline, or by the runtime's executor, possibly before this
 *            returns; *out is written by then. Like: time.AfterFunc. */
TARRY_API int tarry_after_func(tarry_timer **out, tarry_runtime *rt, int64_t delay,
                               tarry_function *function, void *argument);

/* As tarry_after_func, due at a point on the runtime's clock. */
TARRY_API int tarry_after_func_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline,
                                  tarry_function *function, void *argument);

/* Stop a timer, without waiting for a callback that already runs.
 * Returns    1: this call kept it from firing, or took its message back before anyone received it.
 *            0: its message was received, its callback ran or runs, or it was not armed.
 *            -EINVAL: timer is NULL. -ESHUTDOWN: its runtime was destroyed. -ECHILD.
 * After it   no message from before can be received; of an arming that it stopped no callback runs.
 * Threads    any number at once; of several, one gets 1. In a callback: allowed, its own too.
 * Blocks     never long: takes the bucket's lock. Like: Timer.Stop, Go 1.23. */
TARRY_API int tarry_timer_stop(tarry_timer *timer);

/* As tarry_timer_stop; then, if its callback runs, wait until that has returned.
 * Returns    as tarry_timer_stop. -EDEADLK: called from that callback itself, or from one that it
 *            (directly or through others) waits for; the timer is stopped all the same.
 * After it   the callback does not run, unless somebody has armed the timer again meanwhile: to
 *            exclude that, call tarry_timer_shutdown first.
 * Threads    any. Do not hold a lock that the callback takes. Like: kernel timer_delete_sync. */
TARRY_API int tarry_timer_stop_wait(tarry_timer *timer);

/* Stop for good: every later arming, from its own callback or any thread, answers -ESHUTDOWN.
 * Does not wait: follow it with tarry_timer_stop_wait before you free what the callback uses.
 * Returns    as tarry_timer_stop. Like: kernel timer_shutdown. */
TARRY_API int tarry_timer_shutdown(tarry_timer *timer);

/* Stop, and arm afresh, as one step that nobody sees the middle of.
 * Returns    what tarry_timer_stop would have: 1 or 0, or its errors. -ESHUTDOWN also after
 *            tarry_timer_shutdown.
 * After it   no message of an earlier arming can be received.
 * Threads    any number at once: one order of the calls. In a callback: allowed, its own too; the
 *            next run begins when this one has returned. Like: Timer.Reset, Go 1.23. */
TARRY_API int tarry_timer_reset(tarry_timer *timer, int64_t delay);

/* As tarry_timer_reset, due at a point on the runtime's clock. */
TARRY_API int tarry_timer_reset_at(tarry_timer *timer, int64_t deadline);

/* The time left until it fires: 0 where it is due, TARRY_FOREVER where it is not armed or never
 * fires.
 * Returns    0. -EINVAL: a NULL. -ESHUTDOWN, -ECHILD. Threads: any. In a callback: allowed. */
TARRY_API int tarry_timer_remaining(int64_t *out, tarry_timer *timer);

/* The timer's mailbox, for receives and select; NULL for a timer with a callback, or for NULL.
 * Ownership  the timer's. Threads: any. */
TARRY_API tarry_mailbox *tarry_timer_mailbox(tarry_timer *timer);

/* Shut down and free, in any state, in its own callback too: a callback that runs finishes, and
 * none begins afterwards. Those who wait on its mailbox wake with -EPIPE. Does not wait for a
 * callback, only for such waiters to leave.
 * Returns    0. -EINVAL: timer is NULL. -ECHILD: in a child of fork, before its runtime is
 *            destroyed there; afterwards 0, and the memory is let go of.
 * Threads    any, while no other thread starts a new call on it. */
TARRY_API int tarry_timer_free(tarry_timer *timer);

/* Block the calling thread for delay ns of the runtime's clock. <= 0: returns at once.
 * Returns    0: no less has passed, signals or not. -EINVAL: rt is NULL, or it is driven by hand
 *            (nobody would turn the crank). -EPIPE: the runtime was destroyed meanwhile.
 *            -ESHUTDOWN, -ECHILD.
 * Threads    any. In an inline callback it delays the bucket. Like: time.Sleep. */
TARRY_API int tarry_sleep(tarry_runtime *rt, int64_t delay);

/* As tarry_sleep, up to a point on the runtime's clock. */
TARRY_API int tarry_sleep_until(tarry_runtime *rt, int64_t deadline);

TARRY_END_DECLS

#endif
