/* heap: one 4-ary min-heap with lazy stop and reset (lazy.h), Go's shape. Order is exact.
 *
 * An entry is 16 bytes and has its key in it, so that a sift reads no slots; and no index goes back
 * into the slot, so that it writes to none. The root is at index 3, so the four children of a node
 * are at 4i - 8 .. 4i - 5 and share one cache line. Behind the last entry stand four whose key is
 * TRI_NEVER: the least of four children is found without asking how many there are.
 *
 * ns per stop + add, and per expiry, of a million (no lock): an array of pointers with an index in
 * each timer 145 and 390, keys in the array and the index kept 138 and 224, this one 60 and 100.
 *
 * Keys only ever are too early: the root's is a lower bound for all deadlines. An entry that
 * surfaces before its slot's deadline is sifted down again under that deadline. */
#include "backend/audit.h"
#include "backend/lazy.h"

#include <errno.h>
#include <string.h>

enum { ROOT = 3, ARITY = 4 };

typedef struct tri_heap_entry {
    int64_t key;
    uint32_t slot;
    uint32_t version;
} tri_heap_entry;

_Static_assert(sizeof(tri_heap_entry) * ARITY == TRI_CACHE_LINE, "four children share a line");

typedef struct tri_heap {
    tri_backend base;
    tri_heap_entry *at; /* at[ROOT] is the root; NULL before the first reserve */
    size_t room;        /* entries that there is room for */
    size_t sweep;       /* index of the entry that the sweep looks at next */
    size_t size;        /* bytes of `at` */
} tri_heap;

static inline tri_heap *heap_of(tri_backend *base) {
    return (tri_heap *)base;
}

static inline size_t parent_of(size_t i) {
    return i / ARITY + 2;
}

static inline size_t children_of(size_t i) {
    return i * ARITY - 8;
}

static inline size_t end_of(const tri_heap *heap) {
    return heap->base.entries + ROOT;
}

static inline tri_slot *slot_of(const tri_heap *heap, const tri_heap_entry *entry) {
    return tri_slot_at(heap->base.slots, entry->slot);
}

/* Written so that compilers choose by moves: which child is least cannot be predicted. */
static inline size_t least_of_four(const tri_heap_entry *at, size_t first) {
    const int64_t k0 = at[first].key, k1 = at[first + 1].key;
    const int64_t k2 = at[first + 2].key, k3 = at[first + 3].key;
    const int64_t low = k1 < k0 ? k1 : k0, high = k3 < k2 ? k3 : k2;
    const size_t a = k1 < k0, b = 2 + (size_t)(k3 < k2);
    return first + (high < low ? b : a);
}

static inline void sift_up(tri_heap *heap, size_t hole, tri_heap_entry entry) {
    tri_heap_entry *at = heap->at;
    while (hole > ROOT && entry.key < at[parent_of(hole)].key) {
        at[hole] = at[parent_of(hole)];
        hole = parent_of(hole);
    }
    at[hole] = entry;
}

/* Ask for the children of four siblings, 16 entries in four lines, while it is not yet known whose
 * will be needed: so a way down waits for half its misses. */
static TRI_PREFETCHES void prefetch_children_of_four(const tri_heap_entry *at, size_t first) {
    const uintptr_t line = (uintptr_t)at + children_of(first) * sizeof *at;
    for (unsigned i = 0; i < ARITY; ++i)
        __builtin_prefetch((const void *)(line + i * TRI_CACHE_LINE));
}

static void sift_down(tri_heap *heap, size_t hole, tri_heap_entry entry) {
    tri_heap_entry *at = heap->at;
    const size_t end = end_of(heap);
    for (size_t child = children_of(hole); child < end; child = children_of(hole)) {
        prefetch_children_of_four(at, child);
        child = least_of_four(at, child);
        if (entry.key <= at[child].key) break;
        at[hole] = at[child];
        hole = child;
    }
    at[hole] = entry;
}

static inline tri_heap_entry take_last(tri_heap *heap) {
    --heap->base.entries;
    const tri_heap_entry last = heap->at[end_of(heap)];
    heap->at[end_of(heap)].key = TRI_NEVER;
    return last;
}

/* One of its children will be the root next, and its slot be read. */
static TRI_PREFETCHES void prefetch_heirs(const tri_heap *heap) {
    const size_t first = children_of(ROOT);
    for (size_t i = first; i < first + ARITY && i < end_of(heap); ++i)
        __builtin_prefetch(slot_of(heap, &heap->at[i]), 1);
}

static void drop_root(tri_heap *heap) {
    prefetch_heirs(heap);
    const tri_heap_entry last = take_last(heap);
    if (heap->base.entries != 0) sift_down(heap, ROOT, last);
}

static void drop_at(tri_heap *heap, size_t i) {
    const tri_heap_entry last = take_last(heap);
    if (i == end_of(heap)) return;
    if (i > ROOT && last.key < heap->at[parent_of(i)].key)
        sift_up(heap, i, last);
    else
        sift_down(heap, i, last);
}

/* Look at a few entries, and drop those that nobody needs. Goes from the root to the end, and what
 * takes a dropped one's place is looked at next: so a round passes over no entry but the few that
 * a sift moves up across it. */
static __attribute__((noinline)) void sweep(tri_backend *base) {
    tri_heap *heap = heap_of(base);
    tri_heap_entry *at = heap->at;
    size_t i = heap->sweep;
    for (unsigned looks = 0; looks < TRI_SWEEP_LOOKS && heap->base.entries != 0; ++looks) {
        if (i >= end_of(heap)) i = ROOT;
        if (tri_lazy_keep(slot_of(heap, &at[i]), at[i].version)) {
            ++i;
            continue;
        }
        drop_at(heap, i);
    }
    heap->sweep = i;
    for (size_t next = i; next < i + TRI_SWEEP_LOOKS && next < end_of(heap); ++next)
        __builtin_prefetch(slot_of(heap, &at[next]), 1);
}

static __attribute__((noinline)) bool enter(tri_backend *base, uint32_t number, tri_slot *slot) {
    tri_heap *heap = heap_of(base);
    /* The sweep does not let it come to this, but for entries that expiry moves out of its way; and
     * if it did, every other entry could be dropped. */
    while (base->entries >= heap->room) sweep(base);
    const tri_heap_entry entry = { slot->deadline, number, tri_lazy_renew(slot, slot->deadline) };
    heap->at[end_of(heap) + ARITY].key = TRI_NEVER;
    ++base->entries;
    sift_up(heap, end_of(heap) - 1, entry);
    if (tri_backend_is_crowded(base)) sweep(base);
    return tri_lazy_note_earliest(base, slot->deadline);
}

static bool heap_add(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_add(base, number, deadline, enter);
}

static bool heap_move(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_move(base, number, deadline, enter);
}

static void heap_remove(tri_backend *base, uint32_t number) {
    tri_lazy_remove(base, number, sweep);
}

/* The root's slot where the root is current and tells the slot's deadline. If not, NULL, and the
 * root has been dropped or sifted down. Pre: there is an entry. */
static inline tri_slot *true_root(tri_heap *heap) {
    tri_heap_entry root = heap->at[ROOT];
    tri_slot *slot = slot_of(heap, &root);
    if (!tri_lazy_keep(slot, root.version)) {
        drop_root(heap);
        return NULL;
    }
    if (slot->deadline == root.key) return slot;
    root.key = slot->key = slot->deadline;
    sift_down(heap, ROOT, root);
    return NULL;
}

static int64_t heap_next(tri_backend *base) {
    tri_heap *heap = heap_of(base);
    if (base->live == 0) return TRI_NEVER;
    for (unsigned looks = 0; looks < TRI_NEXT_LOOKS; ++looks)
        if (true_root(heap) != NULL) return base->earliest = heap->at[ROOT].key;
    return heap->at[ROOT].key;
}

static size_t heap_pop_due(tri_backend *base, int64_t now, tri_due *due, size_t max) {
    tri_heap *heap = heap_of(base);
    size_t count = 0;
    while (count < max && base->live != 0 && heap->at[ROOT].key <= now) {
        tri_slot *slot = true_root(heap);
        if (slot == NULL) continue;
        due[count++] = tri_lazy_fire(base, slot, heap->at[ROOT].slot);
        drop_root(heap);
        if (tri_backend_is_crowded(base)) sweep(base);
    }
    return count;
}

/* Four sizes an octave, as allocators have them too: growth is geometric, and at most a quarter is
 * room that was not asked for. */
static size_t round_up(size_t size) {
    size_t step = TRI_CACHE_LINE;
    while (size > 8 * step) step *= 2;
    return (size + step - 1) / step * step;
}

static int heap_reserve(tri_backend *base, uint32_t slots) {
    tri_heap *heap = heap_of(base);
    const size_t wanted = tri_lazy_room(slots);
    if (wanted <= heap->room) return 0;
    if (wanted > SIZE_MAX / 2 / sizeof *heap->at) return -ENOMEM;
    const size_t size = round_up((ROOT + wanted + ARITY) * sizeof *heap->at);
    tri_heap_entry *at = tri_memory_take(base->memory, size);
    if (at == NULL) return -ENOMEM;
    if (heap->at != NULL)
        memcpy(at, heap->at, (end_of(heap) + ARITY) * sizeof *at);
    else
        for (size_t i = ROOT; i < ROOT + ARITY; ++i) at[i].key = TRI_NEVER;
    tri_memory_give(base->memory, heap->at, heap->size);
    heap->at = at;
    heap->size = size;
    heap->room = size / sizeof *at - ROOT - ARITY;
    return 0;
}

static int heap_init(tri_backend **out, const tri_backend_config *config) {
    tri_heap *heap = tri_memory_take(config->memory, sizeof *heap);
    if (heap == NULL) return -ENOMEM;
    *heap = (tri_heap){
        .base = tri_lazy_base(&tri_backend_heap, config),
        .sweep = ROOT,
    };
    *out = &heap->base;
    return 0;
}

static void heap_fini(tri_backend *base) {
    tri_heap *heap = heap_of(base);
    tri_memory_give(base->memory, heap->at, heap->size);
    tri_memory_give(base->memory, heap, sizeof *heap);
}

static bool heap_check(const tri_backend *base, FILE *why) {
    const tri_heap *heap = (const tri_heap *)base;
    const tri_heap_entry *at = heap->at;
    tri_audit audit;
    tri_audit_begin(&audit, base, why);
    tri_audit_expect(&audit, base->entries <= heap->room, "too many entries", base->entries);
    for (size_t i = ROOT; at != NULL && i < end_of(heap); ++i) {
        tri_audit_expect(&audit, i == ROOT || at[parent_of(i)].key <= at[i].key,
                         "a child is earlier than its parent", i);
        if (!tri_audit_entry(&audit, at[i].slot, at[i].version)) continue;
        tri_audit_expect(&audit, at[i].key == slot_of(heap, &at[i])->key,
                         "an entry has not its slot's key", i);
    }
    for (size_t i = end_of(heap); at != NULL && i < end_of(heap) + ARITY; ++i)
        tri_audit_expect(&audit, at[i].key == TRI_NEVER, "no sentinel behind the last", i);
    return tri_audit_end(&audit);
}

const tri_backend_ops tri_backend_heap = {
    .name = "heap",
    .has_tick = false,
    .init = heap_init,
    .fini = heap_fini,
    .reserve = heap_reserve,
    .add = heap_add,
    .remove = heap_remove,
    .move = heap_move,
    .next = heap_next,
    .pop_due = heap_pop_due,
    .check = heap_check,
};
