#include "system/memory.h"

#include "system/jemalloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void *libc_allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    void *block = NULL;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

static void libc_release(void *context, void *block, size_t size, size_t alignment) {
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
}

void tri_memory_init_plain(tri_memory *memory, const tarry_allocator *table) {
    memset(memory, 0, sizeof *memory);
    memory->table =
        table != NULL ? *table : (tarry_allocator){ libc_allocate, libc_release, NULL };
}

int tri_memory_init(tri_memory *memory, const tarry_allocator *table) {
    tri_memory_init_plain(memory, table);
    return table == NULL && TRI_WITH_JEMALLOC ? tri_jemalloc_init(memory) : 0;
}

void tri_memory_fini(tri_memory *memory) {
    if (memory->own_arena) tri_jemalloc_fini(memory);
}

void *tri_memory_take(tri_memory *memory, size_t size) {
    void *block = memory->table.allocate(memory->table.context, size, TRI_CACHE_LINE);
    if (block != NULL) atomic_fetch_add_explicit(&memory->held, size, memory_order_relaxed);
    return block;
}

void tri_memory_give(tri_memory *memory, void *block, size_t size) {
    if (block == NULL) return;
    atomic_fetch_sub_explicit(&memory->held, size, memory_order_relaxed);
    memory->table.release(memory->table.context, block, size, TRI_CACHE_LINE);
}

uint64_t tri_memory_held(const tri_memory *memory) {
    if (memory->own_arena) return tri_jemalloc_held(memory);
    return atomic_load_explicit(&memory->held, memory_order_relaxed);
}
