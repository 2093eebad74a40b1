#include "backend/quad.h"

#include <string.h>

enum { ROOT = TRI_QUAD_ROOT, ARITY = TRI_QUAD_ARITY };

/* Written so that compilers choose by moves: which child is least cannot be predicted. */
static inline size_t least_of_four(const tri_quad_entry *at, size_t first) {
    const int64_t k0 = at[first].key, k1 = at[first + 1].key;
    const int64_t k2 = at[first + 2].key, k3 = at[first + 3].key;
    const int64_t low = k1 < k0 ? k1 : k0, high = k3 < k2 ? k3 : k2;
    const size_t a = k1 < k0, b = 2 + (size_t)(k3 < k2);
    return first + (high < low ? b : a);
}

/* Ask for the children of four siblings, 16 entries in four lines, while it is not yet known whose
 * will be needed: so a way down waits for half its misses. */
static TRI_PREFETCHES void prefetch_children_of_four(const tri_quad_entry *at, size_t first) {
    const uintptr_t line = (uintptr_t)at + tri_quad_children(first) * sizeof *at;
    for (unsigned i = 0; i < ARITY; ++i)
        __builtin_prefetch((const void *)(line + i * TRI_CACHE_LINE));
}

void tri_quad_sift_down(tri_quad *quad, size_t hole, tri_quad_entry entry) {
    tri_quad_entry *at = quad->at;
    const size_t end = quad->end;
    for (size_t child = tri_quad_children(hole); child < end; child = tri_quad_children(hole)) {
        prefetch_children_of_four(at, child);
        child = least_of_four(at, child);
        if (entry.key <= at[child].key) break;
        at[hole] = at[child];
        hole = child;
    }
    at[hole] = entry;
}

static inline tri_quad_entry take_last(tri_quad *quad) {
    const tri_quad_entry last = quad->at[--quad->end];
    quad->at[quad->end].key = TRI_NEVER;
    return last;
}

void tri_quad_drop_root(tri_quad *quad, const tri_slots *slots) {
    const size_t first = tri_quad_children(ROOT);
    for (size_t i = first; i < first + ARITY && i < quad->end; ++i)
        __builtin_prefetch(tri_slot_at(slots, quad->at[i].slot), 1);
    const tri_quad_entry last = take_last(quad);
    if (quad->end != ROOT) tri_quad_sift_down(quad, ROOT, last);
}

void tri_quad_drop(tri_quad *quad, size_t i) {
    const tri_quad_entry last = take_last(quad);
    if (i == quad->end) return;
    if (i > ROOT && last.key < quad->at[tri_quad_parent(i)].key)
        tri_quad_sift_up(quad, i, last);
    else
        tri_quad_sift_down(quad, i, last);
}

/* Four sizes an octave, as allocators have them too: at most a quarter is room that was not asked
 * for. */
size_t tri_quad_size(size_t room) {
    const size_t size = (ROOT + room + ARITY) * sizeof(tri_quad_entry);
    size_t step = TRI_CACHE_LINE;
    while (size > 8 * step) step *= 2;
    return (size + step - 1) / step * step;
}

void tri_quad_move(tri_quad *quad, tri_memory *memory, tri_quad_entry *at, size_t size) {
    if (quad->at != NULL)
        memcpy(at, quad->at, (quad->end + ARITY) * sizeof *at);
    else
        for (size_t i = ROOT; i < ROOT + ARITY; ++i) at[i].key = TRI_NEVER;
    tri_memory_give(memory, quad->at, quad->size);
    quad->at = at;
    quad->size = size;
    quad->room = size / sizeof *at - ROOT - ARITY;
}

void tri_quad_audit(tri_audit *audit, const tri_quad *quad) {
    const tri_quad_entry *at = quad->at;
    tri_audit_expect(audit, tri_quad_count(quad) <= quad->room, "there are too many entries",
                     tri_quad_count(quad));
    for (size_t i = ROOT; at != NULL && i < quad->end; ++i) {
        tri_audit_expect(audit, i == ROOT || at[tri_quad_parent(i)].key <= at[i].key,
                         "a child is earlier than its parent", i);
        tri_audit_keyed(audit, at[i].slot, at[i].version, at[i].key);
    }
    for (size_t i = quad->end; at != NULL && i < quad->end + ARITY; ++i)
        tri_audit_expect(audit, at[i].key == TRI_NEVER, "no sentinel behind the last", i);
}
