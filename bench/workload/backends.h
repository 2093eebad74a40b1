/* tarry's backends as contenders. The name of one tells all that sets it apart: the backend,
 * "-tick" where it has one that it could do without, "-nolock" where its runtime takes no lock. */
#ifndef WORKLOAD_BACKENDS_H
#define WORKLOAD_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <tarry/runtime.h>

#define BACKENDS_TICK_NS 1000000 /* of those that have a tick */

/* The i-th name, or NULL past the last. Those with locks come first. */
const char *backends_name(size_t i);
/* The same without those that take no lock. */
const char *backends_locked_name(size_t i);

bool backends_takes_lock(const char *name);
bool backends_has_tick(const char *name);
/* Set all that the name tells; one that takes no lock is driven by hand. Another name becomes the
 * backend's, for tarry to refuse. */
void backends_choose(tarry_options *options, const char *name);
/* A runtime of that name, by hand, on a virtual clock that shows WORKLOAD_START_NS. NULL: why was
 * told on standard error. */
tarry_runtime *backends_make(const char *name, unsigned workers);
/* The same with one worker, a thread of its own turning the crank, where the name takes locks. */
tarry_runtime *backends_make_threaded(const char *name);

#endif
