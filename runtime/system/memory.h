/* The allocator table of one worker: every byte that a runtime holds comes from here. */
#ifndef TRI_MEMORY_H
#define TRI_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <tarry/hooks.h>

/* All blocks are aligned to a cache line, so that a structure decides its own padding. */
#define TRI_CACHE_LINE 64u

typedef struct tri_memory {
    tarry_allocator table;     /* (c) */
    _Atomic uint64_t held;     /* (a) bytes asked for and not yet released */
    uint32_t arena;            /* (c) jemalloc's arena and explicit cache, where it is the table */
    uint32_t cache;            /* (c) */
    uint32_t own_arena;        /* (c) 1: ours to destroy */
    uint32_t own_cache;        /* (c) */
} tri_memory;

/* table: NULL for the build's default. 0 or -ENOMEM. The struct must not move afterwards. */
int tri_memory_init(tri_memory *memory, const tarry_allocator *table);
/* As tri_memory_init, but the default is malloc: for the few blocks that no worker owns. */
void tri_memory_init_plain(tri_memory *memory, const tarry_allocator *table);
/* Everything must have been released. */
void tri_memory_fini(tri_memory *memory);
/* NULL: no memory. size > 0. The content is undefined. Under the owner's lock: the cache of a
 * worker serves one thread at a time. */
void *tri_memory_take(tri_memory *memory, size_t size);
/* block may be NULL. size: as it was asked for. */
void tri_memory_give(tri_memory *memory, void *block, size_t size);
/* Under the owner's lock too. What the allocator says it has given out and not got back, size
 * classes included; where it cannot say, what was asked for. */
uint64_t tri_memory_held(const tri_memory *memory);

#endif
