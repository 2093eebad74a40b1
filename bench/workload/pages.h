/* Large arrays of the workloads: zeroed, from the system, on huge pages where those are to be had,
 * so that every contender's timers lie on the same kind of pages. */
#ifndef WORKLOAD_PAGES_H
#define WORKLOAD_PAGES_H

#include <stddef.h>

/* NULL: no memory. */
void *pages_take(size_t bytes);
/* block may be NULL. bytes: as taken. */
void pages_give(void *block, size_t bytes);

#endif
