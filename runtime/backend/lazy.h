/* What heap and wheel share: they are lazy. A slot in the backend has one current entry in the
 * structure, and slot.key is the point at which the structure will look at that entry.
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

#define TRI_SWEEP_LOOKS 8u
/* How many entries `next` may throw away before it answers with what it has. */
#define TRI_NEXT_LOOKS 64u

/* gcc 12 takes a function that does nothing but prefetch for one without effect, and drops its
 * calls, unless it must be inlined. */
#define TRI_PREFETCHES inline __attribute__((always_inline))

static inline bool tri_lazy_crowded(const tri_backend *backend) {
    return backend->entries > backend->live + backend->live / 4 * 3 + 64;
}

/* Entries that there must be room for. A round of the sweep takes an eighth as many new entries as
 * there are entries: begun at 1.75 x live, it ends below 2 x live. */
static inline size_t tri_lazy_room(uint32_t slots) {
    return 2 * (size_t)slots + 256;
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

/* Take a slot, whose entry is being dropped, out of the backend: it is due. */
static inline tri_due tri_lazy_fire(tri_backend *backend, tri_slot *slot, uint32_t number) {
    const tri_due due = { slot->deadline, number };
    slot->deadline = slot->key = TRI_NEVER;
    --backend->live;
    return due;
}

/* *earliest is the deadline of some live slot, or TRI_NEVER: so a deadline that is not below it is
 * not the earliest, at the cost of one compare. */
static inline bool tri_lazy_note_earliest(int64_t *earliest, int64_t deadline) {
    if (deadline >= *earliest) return false;
    *earliest = deadline;
    return true;
}

/* A slot no longer has this deadline. */
static inline void tri_lazy_forget_earliest(int64_t *earliest, int64_t deadline) {
    if (deadline == *earliest) *earliest = TRI_NEVER;
}

#endif
