/* The near part of `tiered`: the entries whose time is next, in exact order.
 *
 * A sorted run, made of one slot of the far part when its time came, is consumed from its front;
 * beside it a small 4-ary heap takes what is added when the run is made already. The earliest of
 * all is the smaller of the two heads. To sort a slot's hundred entries at once costs 5 ns each, to
 * take them out of a heap as large as all of them 60 and more.
 *
 * Any key may be here, however late: the head is trusted only up to the point at which the next
 * slot of the far part begins.
 *
 * Versions have 16 bits, since the far part's entries have no room for more. After 65536 new
 * entries of one slot an ancient one could look current, so here the key must be the slot's,
 * too. */
#ifndef TRI_TIERED_NEAR_H
#define TRI_TIERED_NEAR_H

#include "backend/quad.h"

enum {
    TRI_RUN_MOST = 512 /* entries of a run */
};

typedef struct tri_near {
    tri_quad heap;
    size_t brim;              /* from so many entries on, each push looks at a few of the heap */
    tri_quad_entry *run;      /* NULL before tri_near_adopt_run */
    tri_quad_entry *gathered; /* unsorted: the next run */
    uint32_t head, end;       /* of the run */
    uint32_t count;           /* of those gathered */
    uint32_t sweep;           /* how many of the run or of those gathered the sweep has looked at */
} tri_near;

#define TRI_NEAR_INIT { .heap = TRI_QUAD_INIT }

/* For reserve: entries that the heap needs room for when so many slots are live. A round of the
 * looks that pushes take from the brim on ends before the heap is full. */
static inline size_t tri_near_room(uint32_t slots) {
    return slots + (size_t)slots / 4 + 256;
}

static inline size_t tri_near_brim(uint32_t slots) {
    return slots + (size_t)slots / 16 + 64;
}

/* Both arrays of a run, one behind the other. */
static inline size_t tri_near_run_size(void) {
    return 2 * TRI_RUN_MOST * sizeof(tri_quad_entry);
}

void tri_near_adopt_run(tri_near *near, tri_quad_entry *block);
void tri_near_fini(tri_near *near, tri_memory *memory);

/* The earliest entry, or NULL. */
static inline tri_quad_entry *tri_near_head(const tri_near *near) {
    tri_quad_entry *root = &near->heap.at[TRI_QUAD_ROOT];
    const bool some = near->heap.end != TRI_QUAD_ROOT;
    if (near->head == near->end) return some ? root : NULL;
    tri_quad_entry *first = &near->run[near->head];
    return some && root->key < first->key ? root : first;
}

static inline bool tri_near_in_run(const tri_near *near, const tri_quad_entry *head) {
    return near->head != near->end && head == &near->run[near->head];
}

/* Drop the head. */
static inline void tri_near_drop(tri_near *near, tri_backend *base, const tri_quad_entry *head) {
    --base->entries;
    if (tri_near_in_run(near, head))
        ++near->head;
    else
        tri_quad_drop_root(&near->heap, base->slots);
}

/* Whether an entry still stands for a live slot. Writes the slot's key as tri_lazy_keep does. */
static inline bool tri_near_keep(tri_slot *slot, const tri_quad_entry *entry) {
    return slot->key == entry->key && tri_lazy_keep(slot, entry->version);
}

/* Put the slot's entry with its version into the heap, under its deadline. */
void tri_near_push(tri_near *near, tri_backend *base, uint32_t number, tri_slot *slot);

/* Put it among those gathered. Pre: there are fewer than TRI_RUN_MOST. */
static inline void tri_near_gather(tri_near *near, tri_backend *base, uint32_t number,
                                   tri_slot *slot) {
    slot->key = slot->deadline;
    near->gathered[near->count++] = (tri_quad_entry){ slot->deadline, number, slot->mark };
    ++base->entries;
}

/* Make the next run of those gathered, whose deadlines lie in the 2^bits ns from `from` on. Pre:
 * the last run is consumed. */
void tri_near_sort(tri_near *near, int64_t from, unsigned bits);
/* Put those gathered into the heap instead. */
void tri_near_scatter(tri_near *near, tri_backend *base);

/* Look at a few entries, in the heap or in the run, and drop those that nobody needs. *looks is
 * lowered by those taken. False: the last one was looked at. */
bool tri_near_sweep_heap(tri_near *near, tri_backend *base, unsigned *looks);
bool tri_near_sweep_run(tri_near *near, tri_backend *base, unsigned *looks);

/* Check the order, and note each entry. */
void tri_near_audit(tri_audit *audit, const tri_near *near);

#endif
