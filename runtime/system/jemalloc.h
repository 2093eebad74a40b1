/* jemalloc as the allocator table: an arena and an explicit cache for each worker. A pair costs
 * 10 ns with the cache and 109 ns without one. In a build without jemalloc none of this is
 * compiled, so that the library can be loaded with dlopen. */
#ifndef TRI_JEMALLOC_H
#define TRI_JEMALLOC_H

#include "system/memory.h"

#ifndef TRI_WITH_JEMALLOC
#define TRI_WITH_JEMALLOC 0
#endif

/* 0, or -ENOMEM where jemalloc has no arena or cache left. */
int tri_jemalloc_init(tri_memory *memory);
void tri_jemalloc_fini(tri_memory *memory);
/* What jemalloc's own statistics say is allocated from the arena. */
uint64_t tri_jemalloc_held(const tri_memory *memory);

#endif
