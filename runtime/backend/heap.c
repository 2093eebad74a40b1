/* heap: one 4-ary min-heap (quad.h) with lazy stop and reset (lazy.h), Go's shape. Order is exact.
 *
 * ns per stop + add, and per expiry, of a million (no lock): an array of pointers with an index in
 * each timer 145 and 390, keys in the array and the index kept 138 and 224, this one 60 and 100.
 *
 * Keys only ever are too early: the root's is a lower bound for all deadlines. An entry that
 * surfaces before its slot's deadline is sifted down again under that deadline. */
#include "backend/quad.h"

#include <errno.h>

typedef struct tri_heap {
    tri_backend base;
    tri_quad quad;
} tri_heap;

static inline tri_heap *heap_of(tri_backend *base) {
    return (tri_heap *)base;
}

static bool keep(tri_slot *slot, tri_quad_entry *entry) {
    return tri_lazy_keep(slot, entry->version);
}

static __attribute__((noinline)) void sweep(tri_backend *base) {
    unsigned looks = TRI_SWEEP_LOOKS;
    tri_quad_sweep(&heap_of(base)->quad, base, &looks, keep);
}

static __attribute__((noinline)) bool enter(tri_backend *base, uint32_t number, tri_slot *slot) {
    tri_quad *quad = &heap_of(base)->quad;
    /* The sweep does not let it come to this, but for entries that expiry moves out of its way; and
     * if it did, every other entry could be dropped. */
    while (base->entries >= quad->room) sweep(base);
    const int64_t key = slot->deadline;
    tri_quad_push(quad, (tri_quad_entry){ key, number, tri_lazy_renew(slot, key) });
    ++base->entries;
    if (tri_backend_is_crowded(base)) sweep(base);
    return tri_lazy_note_earliest(base, key);
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

static void drop_root(tri_heap *heap) {
    tri_quad_drop_root(&heap->quad, heap->base.slots);
    --heap->base.entries;
}

static inline int64_t root_key(const tri_heap *heap) {
    return heap->quad.at[TRI_QUAD_ROOT].key;
}

/* The root's slot where the root is current and tells the slot's deadline. If not, NULL, and the
 * root has been dropped or sifted down. Pre: there is an entry. */
static inline tri_slot *true_root(tri_heap *heap) {
    tri_quad_entry root = heap->quad.at[TRI_QUAD_ROOT];
    tri_slot *slot = tri_slot_at(heap->base.slots, root.slot);
    if (!tri_lazy_keep(slot, root.version)) {
        drop_root(heap);
        return NULL;
    }
    if (slot->deadline == root.key) return slot;
    root.key = slot->key = slot->deadline;
    tri_quad_sift_down(&heap->quad, TRI_QUAD_ROOT, root);
    return NULL;
}

static int64_t heap_next(tri_backend *base) {
    tri_heap *heap = heap_of(base);
    if (base->live == 0) return TRI_NEVER;
    for (unsigned looks = 0; looks < TRI_NEXT_LOOKS; ++looks)
        if (true_root(heap) != NULL) return base->earliest = root_key(heap);
    return root_key(heap);
}

static size_t heap_pop_due(tri_backend *base, int64_t now, tri_due *due, size_t max) {
    tri_heap *heap = heap_of(base);
    size_t count = 0;
    while (count < max && base->live != 0 && root_key(heap) <= now) {
        tri_slot *slot = true_root(heap);
        if (slot == NULL) continue;
        due[count++] = tri_lazy_fire(base, slot, heap->quad.at[TRI_QUAD_ROOT].slot);
        drop_root(heap);
        if (tri_backend_is_crowded(base)) sweep(base);
    }
    return count;
}

static int heap_reserve(tri_backend *base, uint32_t slots) {
    tri_heap *heap = heap_of(base);
    const size_t room = tri_lazy_room(slots), size = tri_quad_size(room);
    if (room <= heap->quad.room) return 0;
    tri_quad_entry *at = tri_memory_take(base->memory, size);
    if (at == NULL) return -ENOMEM;
    tri_quad_move(&heap->quad, base->memory, at, size);
    return 0;
}

static int heap_init(tri_backend **out, const tri_backend_config *config) {
    tri_heap *heap = tri_memory_take(config->memory, sizeof *heap);
    if (heap == NULL) return -ENOMEM;
    *heap = (tri_heap){
        .base = tri_lazy_base(&tri_backend_heap, config),
        .quad = TRI_QUAD_INIT,
    };
    *out = &heap->base;
    return 0;
}

static void heap_fini(tri_backend *base) {
    tri_heap *heap = heap_of(base);
    tri_memory_give(base->memory, heap->quad.at, heap->quad.size);
    tri_memory_give(base->memory, heap, sizeof *heap);
}

static bool heap_check(const tri_backend *base, FILE *why) {
    const tri_heap *heap = (const tri_heap *)base;
    tri_audit audit;
    tri_audit_begin(&audit, base, why);
    tri_quad_audit(&audit, &heap->quad);
    return tri_audit_end(&audit);
}

const tri_backend_ops tri_backend_heap = {
    .name = "heap",
    .tick = TRI_TICK_NONE,
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
