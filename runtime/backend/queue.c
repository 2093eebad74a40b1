#include "backend/queue.h"

#include <errno.h>

enum { SLAB_CHUNKS = 63 };

/* Chunks are asked for in slabs of 16 KiB that never move: growth copies nothing. */
struct tri_slab {
    tri_slab *next;
    _Alignas(TRI_CACHE_LINE) tri_chunk at[SLAB_CHUNKS];
};

static void give_slabs(tri_memory *memory, tri_slab *slab, const tri_slab *end) {
    while (slab != end) {
        tri_slab *next = slab->next;
        tri_memory_give(memory, slab, sizeof *slab);
        slab = next;
    }
}

/* The first chunk of a slab is used first. To link them touches all the memory, here and not when
 * a timer is armed. */
static void add_to_free(tri_chunks *chunks, tri_slab *slab) {
    for (size_t i = SLAB_CHUNKS; i-- > 0;) {
        slab->at[i].next = chunks->free;
        chunks->free = &slab->at[i];
    }
    chunks->count += SLAB_CHUNKS;
}

int tri_chunks_reserve(tri_chunks *chunks, size_t count) {
    tri_slab *slabs = chunks->slabs;
    for (size_t room = chunks->count; room < count; room += SLAB_CHUNKS) {
        tri_slab *slab = tri_memory_take(chunks->memory, sizeof *slab);
        if (slab == NULL) {
            give_slabs(chunks->memory, slabs, chunks->slabs);
            return -ENOMEM;
        }
        slab->next = slabs;
        slabs = slab;
    }
    for (tri_slab *slab = slabs; slab != chunks->slabs; slab = slab->next)
        add_to_free(chunks, slab);
    chunks->slabs = slabs;
    return 0;
}

void tri_chunks_fini(tri_chunks *chunks) {
    give_slabs(chunks->memory, chunks->slabs, NULL);
}

size_t tri_chunks_free(const tri_chunks *chunks) {
    size_t count = 0;
    for (const tri_chunk *chunk = chunks->free; chunk != NULL; chunk = chunk->next) ++count;
    return count;
}

/* In each queue the first and the last chunk may be all but empty, but no chunk is empty. */
size_t tri_chunks_for(size_t entries, size_t queues) {
    const size_t spread = entries / TRI_CHUNK_ENTRIES + 2 * queues;
    return entries < spread ? entries : spread;
}
