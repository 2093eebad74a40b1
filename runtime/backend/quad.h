/* A 4-ary min-heap of entries in one array.
 *
 * An entry is 16 bytes and has its key in it, so that a sift reads no slots; and no index goes back
 * into the slot, so that it writes to none. The root is at index 3, so the four children of a node
 * are at 4i - 8 .. 4i - 5 and share one cache line. Behind the last entry stand four whose key is
 * TRI_NEVER: the least of four children is found without asking how many there are. */
#ifndef TRI_QUAD_H
#define TRI_QUAD_H

#include "backend/audit.h"
#include "backend/lazy.h"

enum { TRI_QUAD_ROOT = 3, TRI_QUAD_ARITY = 4 };

typedef struct tri_quad_entry {
    int64_t key; /* never TRI_NEVER */
    uint32_t slot;
    uint32_t version;
} tri_quad_entry;

_Static_assert(sizeof(tri_quad_entry) * TRI_QUAD_ARITY == TRI_CACHE_LINE,
               "four children share a line");

typedef struct tri_quad {
    tri_quad_entry *at; /* at[TRI_QUAD_ROOT] is the root; NULL before the first growth */
    size_t end;         /* the index behind the last entry */
    size_t room;        /* entries that there is room for */
    size_t sweep;       /* index of the entry that the sweep looks at next */
    size_t size;        /* bytes of `at` */
} tri_quad;

#define TRI_QUAD_INIT { .end = TRI_QUAD_ROOT, .sweep = TRI_QUAD_ROOT }

static inline size_t tri_quad_count(const tri_quad *quad) {
    return quad->end - TRI_QUAD_ROOT;
}

static inline size_t tri_quad_parent(size_t i) {
    return i / TRI_QUAD_ARITY + 2;
}

static inline size_t tri_quad_children(size_t i) {
    return i * TRI_QUAD_ARITY - 8;
}

/* Where an array of this size ends that has room for so many entries. Growth is geometric. */
size_t tri_quad_size(size_t room);
/* Move into a new array of that size; the old one is given back. */
void tri_quad_move(tri_quad *quad, tri_memory *memory, tri_quad_entry *at, size_t size);

/* Put the entry where the hole is, or above it, or below it. */
static inline void tri_quad_sift_up(tri_quad *quad, size_t hole, tri_quad_entry entry) {
    tri_quad_entry *at = quad->at;
    while (hole > TRI_QUAD_ROOT && entry.key < at[tri_quad_parent(hole)].key) {
        at[hole] = at[tri_quad_parent(hole)];
        hole = tri_quad_parent(hole);
    }
    at[hole] = entry;
}

void tri_quad_sift_down(tri_quad *quad, size_t hole, tri_quad_entry entry);

/* Pre: there is room. */
static inline void tri_quad_push(tri_quad *quad, tri_quad_entry entry) {
    quad->at[quad->end + TRI_QUAD_ARITY].key = TRI_NEVER;
    tri_quad_sift_up(quad, quad->end++, entry);
}

/* One of the root's children will be the root next, and its slot will be read: so it is asked
 * for. */
void tri_quad_drop_root(tri_quad *quad, const tri_slots *slots);
/* What takes the place of the dropped one comes from behind it or from a child. */
void tri_quad_drop(tri_quad *quad, size_t i);

/* Look at a few entries, and drop those that keep refuses. Goes from the root to the end, where the
 * call stops, and what takes a dropped one's place is looked at next: so a round passes over no
 * entry but the few that a sift moves up across it. *looks is lowered by those taken. False: the
 * round is done. */
static inline bool tri_quad_sweep(tri_quad *quad, tri_backend *base, unsigned *looks,
                                  bool (*keep)(tri_slot *slot, tri_quad_entry *entry)) {
    size_t i = quad->sweep;
    for (; *looks != 0 && i < quad->end; --*looks) {
        if (keep(tri_slot_at(base->slots, quad->at[i].slot), &quad->at[i])) {
            ++i;
            continue;
        }
        tri_quad_drop(quad, i);
        --base->entries;
    }
    const bool more = i < quad->end;
    quad->sweep = more ? i : TRI_QUAD_ROOT;
    for (i = quad->sweep; i < quad->sweep + TRI_SWEEP_LOOKS && i < quad->end; ++i)
        __builtin_prefetch(tri_slot_at(base->slots, quad->at[i].slot), 1);
    return more;
}

/* Check the order, the sentinels and the room, and note each entry. */
void tri_quad_audit(tri_audit *audit, const tri_quad *quad);

#endif
