#include "system/jemalloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#if TRI_WITH_JEMALLOC

#include <jemalloc/jemalloc.h>
#include <stdio.h>

static int flags_of(const tri_memory *memory, size_t alignment) {
    return (int)(MALLOCX_ARENA(memory->arena) | MALLOCX_TCACHE(memory->cache)) |
           MALLOCX_ALIGN(alignment);
}

static void *allocate(void *context, size_t size, size_t alignment) {
    return mallocx(size, flags_of(context, alignment));
}

static void release(void *context, void *block, size_t size, size_t alignment) {
    sdallocx(block, size, flags_of(context, alignment));
}

/* Empty arenas of runtimes that have ended, for the next ones: each number plus 1, 0 where there is
 * none. jemalloc keeps the address space of an arena that is destroyed, 2 MB each time. */
#define KEPT_ARENAS 64u
static _Atomic unsigned kept[KEPT_ARENAS];

static bool take_kept(unsigned *arena) {
    for (unsigned i = 0; i < KEPT_ARENAS; ++i) {
        const unsigned found = atomic_exchange(&kept[i], 0);
        if (found == 0) continue;
        *arena = found - 1;
        return true;
    }
    return false;
}

static bool keep(unsigned arena) {
    for (unsigned i = 0; i < KEPT_ARENAS; ++i) {
        unsigned none = 0;
        if (atomic_compare_exchange_strong(&kept[i], &none, arena + 1)) return true;
    }
    return false;
}

int tri_jemalloc_init(tri_memory *memory) {
    unsigned arena, cache;
    size_t size = sizeof arena;
    if (!take_kept(&arena) && mallctl("arenas.create", &arena, &size, NULL, 0) != 0)
        return -ENOMEM;
    memory->arena = arena;
    memory->own_arena = 1;
    if (mallctl("tcache.create", &cache, &size, NULL, 0) != 0) {
        tri_jemalloc_fini(memory);
        return -ENOMEM;
    }
    memory->cache = cache;
    memory->own_cache = 1;
    memory->table = (tarry_allocator){ allocate, release, memory };
    return 0;
}

void tri_jemalloc_fini(tri_memory *memory) {
    char name[48];
    unsigned cache = memory->cache;
    if (memory->own_cache) mallctl("tcache.destroy", NULL, NULL, &cache, sizeof cache);
    if (!keep(memory->arena)) {
        snprintf(name, sizeof name, "arena.%u.destroy", memory->arena);
        mallctl(name, NULL, NULL, NULL, 0);
    }
    memory->own_arena = memory->own_cache = 0;
}

static uint64_t statistic(unsigned arena, const char *kind) {
    char name[64];
    size_t value = 0, size = sizeof value;
    snprintf(name, sizeof name, "stats.arenas.%u.%s.allocated", arena, kind);
    return mallctl(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

uint64_t tri_jemalloc_held(const tri_memory *memory) {
    uint64_t epoch = 1;
    unsigned cache = memory->cache;
    /* What lies in the cache would count as allocated. */
    mallctl("tcache.flush", NULL, NULL, &cache, sizeof cache);
    mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    return statistic(memory->arena, "small") + statistic(memory->arena, "large");
}

#else

int tri_jemalloc_init(tri_memory *memory) {
    (void)memory;
    return -ENOSYS;
}

void tri_jemalloc_fini(tri_memory *memory) {
    (void)memory;
}

uint64_t tri_jemalloc_held(const tri_memory *memory) {
    return atomic_load_explicit(&memory->held, memory_order_relaxed);
}

#endif
