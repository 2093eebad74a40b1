/* What a runtime does while its only timer is an hour away: nothing, is the promise. */
#ifndef COMPARE_IDLE_H
#define COMPARE_IDLE_H

#include "compare/options.h"
#include "report/row.h"

/* A row for each backend: how often its timerproc woke in so many seconds, and the CPU time of
 * that. EXIT_FINE, EXIT_CHECK (it woke; told) or EXIT_CANNOT (told). */
int idle_measure(const option_names *backends, int64_t seconds, rows *out);

#endif
