/* What heap, tiered and wheel share: they are lazy. A slot in the backend has one current entry in
 * the structure, and slot.key is the point at which the structure will look at that entry.
 *
 *   stop            one store, deadline = TRI_NEVER. The entry stays.
 *   reset to later, or added again, not before slot.key: one store. The entry keeps its older key,
 *                   and is put back when that point comes.
 *   else            a new entry. slot.mark is raised, so that the one before is no longer current.
 *
 * An entry is current while its version is the slot's mark. After 2^32 new entries of one slot an
 * ancient one could look current again: it would be looked at once more than needed, for what
 * fires is decided by slot.deadline alone.
 *
 * Entries that are not current, or whose slot is stopped, are dropped when they surface, or by the
 * sweep: as soon as there are three of them for four live ones, each new entry, each stop and each
 * firing looks at TRI_SWEEP_LOOKS entries, round and round. To purge all at once held the lock for
 * 10 ms at a million timers. The sweep keeps the keys as they are: refreshing them made the next
 * arming 4 to 6 times slower. */
#ifndef TRI_LAZY_H
#define TRI_LAZY_H

#include "backend/backend.h"
#include "backend/queue.h"

#define TRI_SWEEP_LOOKS 8u
/* How many entries `next` may throw away before it answers with what it has. */
#define TRI_NEXT_LOOKS 64u

/* gcc 12 takes a function that does nothing but prefetch for one without effect, and drops its
 * calls, unless it must be inlined. */
#define TRI_PREFETCHES inline __attribute__((always_inline))

/* Entries that there must be room for. A round of the sweep takes an eighth as many new entries as
 * there are entries: begun at 1.75 x live, it ends below 2 x live. */
static inline size_t tri_lazy_room(uint32_t slots) {
    return 2 * (size_t)slots + 256;
}

static inline tri_backend tri_lazy_base(const tri_backend_ops *ops,
                                        const tri_backend_config *config) {
    return (tri_backend){ ops, config->slots, config->memory, 0, 0, TRI_NEVER };
}

/* Give the slot a new current entry, to be looked at at key. Returns the entry's version. */
static inline uint32_t tri_lazy_renew(tri_slot *slot, int64_t key) {
    slot->key = key;
    return ++slot->mark;
}

/* Whether an entry that is looked at still stands for a live slot. If not, it must be dropped:
 * where its slot is stopped, the slot has none from now on. */
static inline bool tri_lazy_keep(tri_slot *slot, uint32_t version) {
    if (slot->mark != version || slot->key == TRI_NEVER) return false;
    if (slot->deadline != TRI_NEVER) return true;
    slot->key = TRI_NEVER;
    return false;
}

/* A deadline that is not below that of some live slot is not the earliest: one compare. */
static inline bool tri_lazy_note_earliest(tri_backend *backend, int64_t deadline) {
    if (deadline >= backend->earliest) return false;
    backend->earliest = deadline;
    return true;
}

/* A slot no longer has this deadline. */
static inline void tri_lazy_forget_earliest(tri_backend *backend, int64_t deadline) {
    if (deadline == backend->earliest) backend->earliest = TRI_NEVER;
}

/* Take a slot, whose entry is being dropped, out of the backend: it is due. */
static inline tri_due tri_lazy_fire(tri_backend *backend, tri_slot *slot, uint32_t number) {
    const tri_due due = { slot->deadline, number };
    tri_lazy_forget_earliest(backend, slot->deadline);
    slot->deadline = slot->key = TRI_NEVER;
    --backend->live;
    return due;
}

/* add, move and remove, up to what the structures differ in. What these add to every call is
 * counted in instructions, so the rest is out of line: enter gives a slot that has its deadline
 * a new entry, sweeps where that is due, and notes the earliest. */
typedef bool tri_lazy_enter(tri_backend *backend, uint32_t number, tri_slot *slot);

static inline bool tri_lazy_set(tri_backend *backend, uint32_t number, tri_slot *slot,
                                int64_t deadline, tri_lazy_enter *enter) {
    slot->deadline = deadline;
    if (__builtin_expect(slot->key > deadline, 0)) return enter(backend, number, slot);
    return tri_lazy_note_earliest(backend, deadline);
}

static inline bool tri_lazy_add(tri_backend *backend, uint32_t number, int64_t deadline,
                                tri_lazy_enter *enter) {
    ++backend->live;
    return tri_lazy_set(backend, number, tri_slot_at(backend->slots, number), deadline, enter);
}

static inline bool tri_lazy_move(tri_backend *backend, uint32_t number, int64_t deadline,
                                 tri_lazy_enter *enter) {
    tri_slot *slot = tri_slot_at(backend->slots, number);
    tri_lazy_forget_earliest(backend, slot->deadline);
    return tri_lazy_set(backend, number, slot, deadline, enter);
}

static inline void tri_lazy_remove(tri_backend *backend, uint32_t number,
                                   void (*sweep)(tri_backend *backend)) {
    tri_slot *slot = tri_slot_at(backend->slots, number);
    tri_lazy_forget_earliest(backend, slot->deadline);
    slot->deadline = TRI_NEVER;
    --backend->live;
    if (tri_backend_is_crowded(backend)) sweep(backend);
}

static TRI_PREFETCHES void tri_lazy_ask_chunk(const tri_chunk *chunk) {
    for (size_t i = 0; i < sizeof *chunk; i += TRI_CACHE_LINE)
        __builtin_prefetch((const char *)chunk + i);
}

static TRI_PREFETCHES void tri_lazy_ask_slots(const tri_slots *slots, const tri_queue *queue,
                                              const tri_chunk *chunk) {
    size_t count;
    const tri_queue_entry *entries = tri_queue_part(queue, chunk, &count);
    for (size_t i = 0; i < count; ++i)
        __builtin_prefetch(tri_slot_at(slots, entries[i].slot), 1);
}

/* The front of a queue that is to be emptied, with what lies behind it on its way. */
static inline const tri_queue_entry *tri_lazy_front_alone(const tri_queue *queue, size_t *count) {
    const tri_chunk *first = tri_queue_first(queue), *second = tri_queue_behind(queue, first);
    if (second != NULL) tri_lazy_ask_chunk(second->next);
    return tri_queue_part(queue, first, count);
}

/* The same with all slots of it and of the two chunks behind it; *begun tells whether those of it
 * and of the next were asked for already. With the front's alone, a million expiries took twice as
 * long. */
static TRI_PREFETCHES const tri_queue_entry *tri_lazy_front(const tri_slots *slots,
                                                            const tri_queue *queue, bool *begun,
                                                            size_t *count) {
    const tri_chunk *first = tri_queue_first(queue), *second = tri_queue_behind(queue, first);
    if (!*begun) {
        tri_lazy_ask_slots(slots, queue, first);
        tri_lazy_ask_slots(slots, queue, second);
        *begun = true;
    }
    if (second != NULL) {
        const tri_chunk *third = tri_queue_behind(queue, second);
        tri_lazy_ask_slots(slots, queue, third);
        if (third != NULL) tri_lazy_ask_chunk(third->next);
    }
    return tri_queue_part(queue, first, count);
}

#endif
