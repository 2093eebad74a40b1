/* Driving a runtime by hand: no thread is started, the caller turns the crank of each worker. Made
 * with tarry_options.by_hand. Callbacks run within tarry_run_expired. */
#ifndef TARRY_DRIVE_H
#define TARRY_DRIVE_H

#include <tarry/base.h>
#include <tarry/runtime.h>

TARRY_BEGIN_DECLS

/* When a worker has to be driven next: a point not later than its earliest deadline, which may
 * lie in the past; TARRY_FOREVER where nothing is pending.
 * Returns    0. -EINVAL: a NULL, no such worker, not driven by hand. -ESHUTDOWN, -ECHILD.
 * Threads    any. In a callback: allowed. */
TARRY_API int tarry_next_deadline(int64_t *out, tarry_runtime *rt, unsigned worker);

/* Run what is due by `now`, in the backend's order, at most `limit` firings. What a callback arms
 * for a point already reached takes its turn among the rest; a call makes no more firings than
 * timers were pending when it began, so it ends even if each callback arms its timer anew.
 * now        the caller's. One that lies before an earlier call's counts as that one (and is
 *            counted in tarry_stats.backsteps). A virtual clock is moved forward to it.
 * limit      0: no limit.
 * Returns    how many fired. -EINVAL: rt is NULL, no such worker, now is at the end of time
 *            (TARRY_FOREVER or the point before), not driven by hand. -EBUSY: another thread
 *            drives this worker. -EDEADLK: called from a callback of this worker. -ESHUTDOWN,
 *            -ECHILD.
 * Threads    one at a time for each worker. */
TARRY_API int64_t tarry_run_expired(tarry_runtime *rt, unsigned worker, int64_t now, size_t limit);

TARRY_END_DECLS

#endif
