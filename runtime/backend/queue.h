/* First-in-first-out queues of 8-byte entries, for slots of time: chunks of 31 entries from a pool
 * that is filled beforehand, so that appending allocates nothing. The same wheel on linked lists
 * expired a million timers 11 times slower, since each neighbour in a list is a cold line; here 31
 * of them can be asked for at once, and chunks of 15 were a third slower. */
#ifndef TRI_QUEUE_H
#define TRI_QUEUE_H

#include "system/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tri_queue_entry {
    uint32_t slot;
    uint32_t word; /* the backend's: which of the slot's entries it is, and what else fits */
} tri_queue_entry;

enum { TRI_CHUNK_ENTRIES = 31 };

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

/* All zero: empty. An empty queue has no chunk; no other queue has an empty chunk. The chunks are a
 * ring, so that one link finds both ends: a queue is 16 bytes, and a backend has thousands. */
typedef struct tri_queue {
    tri_chunk *last; /* its `next` is the first */
    uint32_t length;
    uint16_t taken;  /* entries of the first chunk that are gone */
    uint16_t spare;  /* entries of the last chunk that are not used yet */
} tri_queue;

/* Have so many chunks at least. 0 or -ENOMEM with nothing changed. */
int tri_chunks_reserve(tri_chunks *chunks, size_t count);
void tri_chunks_fini(tri_chunks *chunks);
/* How many are free. Slow. */
size_t tri_chunks_free(const tri_chunks *chunks);
/* That many chunks are enough for so many entries in so many queues, however they are spread. */
size_t tri_chunks_for(size_t entries, size_t queues);

/* Make the queue one chunk longer. False, and nothing is changed: the pool has no free chunk. */
static inline bool tri_queue_extend(tri_chunks *chunks, tri_queue *queue) {
    tri_chunk *chunk = chunks->free;
    if (chunk == NULL) return false;
    chunks->free = chunk->next;
    if (queue->length == 0) {
        chunk->next = chunk;
    } else {
        chunk->next = queue->last->next;
        queue->last->next = chunk;
    }
    queue->last = chunk;
    queue->spare = TRI_CHUNK_ENTRIES;
    return true;
}

/* Pre: there is a spare entry. */
static inline void tri_queue_fill(tri_queue *queue, tri_queue_entry entry) {
    queue->last->at[TRI_CHUNK_ENTRIES - queue->spare] = entry;
    --queue->spare;
    ++queue->length;
}

/* False, and nothing is changed: the pool has no free chunk, and the last one is full. */
static inline bool tri_queue_append(tri_chunks *chunks, tri_queue *queue, tri_queue_entry entry) {
    if (queue->spare == 0 && !tri_queue_extend(chunks, queue)) return false;
    tri_queue_fill(queue, entry);
    return true;
}

/* The queue's chunks one by one, from the front; NULL behind the last. */
static inline const tri_chunk *tri_queue_first(const tri_queue *queue) {
    return queue->length != 0 ? queue->last->next : NULL;
}

static inline const tri_chunk *tri_queue_behind(const tri_queue *queue, const tri_chunk *chunk) {
    return chunk != queue->last ? chunk->next : NULL;
}

/* The entries in one of its chunks, and how many. No chunk: none. */
static inline const tri_queue_entry *tri_queue_part(const tri_queue *queue, const tri_chunk *chunk,
                                                    size_t *count) {
    *count = 0;
    if (chunk == NULL) return NULL;
    const size_t from = chunk == queue->last->next ? queue->taken : 0;
    *count = TRI_CHUNK_ENTRIES - from - (chunk == queue->last ? queue->spare : 0);
    return &chunk->at[from];
}

/* The entries at the front that lie side by side, and how many. Pre: the queue is not empty. */
static inline const tri_queue_entry *tri_queue_front(const tri_queue *queue, size_t *count) {
    return tri_queue_part(queue, tri_queue_first(queue), count);
}

/* All entries, where they are in one chunk. Else NULL. Pre: the queue is not empty. */
static inline tri_queue_entry *tri_queue_only(const tri_queue *queue, size_t *count) {
    if (queue->last->next != queue->last) return NULL;
    *count = queue->length;
    return &queue->last->at[queue->taken];
}

/* Remove the first ones. Pre: count is between 1 and what tri_queue_front told. */
static inline void tri_queue_skip(tri_chunks *chunks, tri_queue *queue, size_t count) {
    tri_chunk *first = queue->last->next;
    queue->length -= (uint32_t)count;
    queue->taken = (uint16_t)(queue->taken + count);
    if (queue->length != 0 && queue->taken != TRI_CHUNK_ENTRIES) return;
    queue->taken = 0;
    queue->last->next = first->next;
    if (queue->length == 0) *queue = (tri_queue){ 0 };
    first->next = chunks->free;
    chunks->free = first;
}

#endif
