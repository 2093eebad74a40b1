/* First-in-first-out queues of 8-byte entries, for the slots of a wheel: chunks of 15 entries from
 * a pool that is filled beforehand, so that appending cannot fail. The same wheel on linked lists
 * expired a million timers 11 times slower, since each neighbour in a list is a cold line; here 15
 * of them can be asked for at once. */
#ifndef TRI_QUEUE_H
#define TRI_QUEUE_H

#include "system/memory.h"

#include <stddef.h>
#include <stdint.h>

typedef struct tri_queue_entry {
    uint32_t slot;
    uint32_t version;
} tri_queue_entry;

enum { TRI_CHUNK_ENTRIES = 15 };

typedef struct tri_chunk {
    struct tri_chunk *next;
    tri_queue_entry at[TRI_CHUNK_ENTRIES];
} tri_chunk;

_Static_assert(sizeof(tri_chunk) % TRI_CACHE_LINE == 0, "a chunk is whole cache lines");

typedef struct tri_slab tri_slab;

typedef struct tri_chunks {
    tri_memory *memory;
    tri_slab *slabs;
    tri_chunk *free;
    size_t count; /* chunks in all, free or not */
} tri_chunks;

/* All zero: empty. An empty queue has no chunk and taken is 0; no queue has an empty chunk. */
typedef struct tri_queue {
    tri_chunk *first, *last;
    uint32_t length;
    uint16_t taken;  /* entries of the first chunk that are gone */
    uint16_t filled; /* entries of the last chunk that are used */
} tri_queue;

/* Have so many chunks at least. 0 or -ENOMEM with nothing changed. */
int tri_chunks_reserve(tri_chunks *chunks, size_t count);
void tri_chunks_fini(tri_chunks *chunks);
/* That many chunks are enough for so many entries in so many queues, however they are spread. */
size_t tri_chunks_for(size_t entries, size_t queues);

/* Pre: the pool has a free chunk, or the last one has room. */
static inline void tri_queue_append(tri_chunks *chunks, tri_queue *queue, tri_queue_entry entry) {
    if (queue->length == 0 || queue->filled == TRI_CHUNK_ENTRIES) {
        tri_chunk *chunk = chunks->free;
        chunks->free = chunk->next;
        if (queue->length == 0)
            queue->first = chunk;
        else
            queue->last->next = chunk;
        queue->last = chunk;
        queue->filled = 0;
    }
    queue->last->at[queue->filled++] = entry;
    ++queue->length;
}

/* The entries at the front that lie side by side, and how many. Pre: the queue is not empty. */
static inline const tri_queue_entry *tri_queue_front(const tri_queue *queue, size_t *count) {
    const size_t end = queue->first == queue->last ? queue->filled : TRI_CHUNK_ENTRIES;
    *count = end - queue->taken;
    return &queue->first->at[queue->taken];
}

/* The entries behind those, in the same way; and the chunk after them is asked for. */
static inline const tri_queue_entry *tri_queue_second(const tri_queue *queue, size_t *count) {
    *count = 0;
    if (queue->first == queue->last) return NULL;
    const tri_chunk *second = queue->first->next;
    *count = second == queue->last ? queue->filled : TRI_CHUNK_ENTRIES;
    if (second != queue->last)
        for (size_t i = 0; i < sizeof *second; i += TRI_CACHE_LINE)
            __builtin_prefetch((const char *)second->next + i);
    return second->at;
}

/* Remove the first ones. Pre: count is between 1 and what tri_queue_front told. */
static inline void tri_queue_skip(tri_chunks *chunks, tri_queue *queue, size_t count) {
    tri_chunk *first = queue->first;
    queue->length -= (uint32_t)count;
    queue->taken = (uint16_t)(queue->taken + count);
    if (queue->length != 0 && queue->taken != TRI_CHUNK_ENTRIES) return;
    queue->first = first->next;
    queue->taken = 0;
    first->next = chunks->free;
    chunks->free = first;
}

#endif
