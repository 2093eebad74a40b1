/* Threads that take turns at a lock for a span of time. */
#ifndef LOCKS_CROWD_H
#define LOCKS_CROWD_H

#include "locks/kinds.h"
#include "locks/scenes.h"
#include "report/histogram.h"

/* Learn how fast this machine's idle work goes. Once, before the first run. */
void crowd_calibrate(void);

/* ns of the clock for each turn, those of all threads counted together. waits: NULL, or where the
 * time of each take goes, by the clock (which slows the turns: a run of its own). NAN: check failed
 * or no more threads (told). */
double crowd_run(const scene *s, enum lock_kind kind, int64_t span_ns, histogram *waits);

#endif
