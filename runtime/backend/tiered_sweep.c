#include "backend/tiered.h"

#include <string.h>

static inline bool keep(const tri_tiered *tiered, tri_queue_entry entry) {
    return tri_lazy_keep(tri_slot_at(tiered->base.slots, entry.slot), tri_levels_version(entry));
}

/* The only chunk of a slot: what is kept moves up in it. Returns how many are dropped, most at
 * most. */
static unsigned sweep_only(const tri_tiered *tiered, tri_queue_entry *at, size_t count,
                           unsigned most) {
    unsigned dropped = 0;
    size_t first = count;
    for (size_t i = count; i-- > 0;) {
        if (dropped == most || keep(tiered, at[i]))
            at[--first] = at[i];
        else
            ++dropped;
    }
    return dropped;
}

/* The front of a slot that has several chunks: what is kept goes to the back. */
static void sweep_front(tri_tiered *tiered, tri_queue *queue, size_t count) {
    tri_queue_entry some[TRI_SWEEP_LOOKS];
    memcpy(some, tri_queue_front(queue, &(size_t){ 0 }), count * sizeof *some);
    tri_levels_skip(&tiered->levels, tiered->sweep, count);
    tiered->base.entries -= count;
    for (size_t i = 0; i < count; ++i) {
        tri_slot *slot = tri_slot_at(tiered->base.slots, some[i].slot);
        if (!tri_lazy_keep(slot, tri_levels_version(some[i]))) continue;
        if (tri_queue_append(&tiered->levels.chunks, queue, some[i]))
            ++tiered->base.entries;
        else
            tri_near_push(&tiered->near, &tiered->base, some[i].slot, slot);
    }
}

/* Look at so many entries of a slot at most; where that is one chunk, at all of it. False: none is
 * left to look at in this round. */
static bool sweep_slot(tri_tiered *tiered, unsigned *looks) {
    tri_queue *queue = &tiered->levels.slots[tiered->sweep];
    size_t count;
    if (queue->length == 0) return false;
    tri_queue_entry *only = tri_queue_only(queue, &count);
    if (only != NULL) {
        const unsigned dropped = sweep_only(tiered, only, count, *looks);
        if (dropped != 0) tri_levels_skip(&tiered->levels, tiered->sweep, dropped);
        tiered->base.entries -= dropped;
        *looks -= count < *looks ? (unsigned)count : *looks;
        return false;
    }
    tri_queue_front(queue, &count);
    if (count > *looks) count = *looks;
    sweep_front(tiered, queue, count);
    *looks -= (unsigned)count;
    if (count >= tiered->to_sweep) return false;
    tiered->to_sweep -= (uint32_t)count;
    return true;
}

static TRI_PREFETCHES void ask_for_next(const tri_tiered *tiered, unsigned slots) {
    if (tiered->sweep >= slots || tiered->levels.slots[tiered->sweep].length == 0) return;
    size_t count;
    const tri_queue *queue = &tiered->levels.slots[tiered->sweep];
    const tri_queue_entry *front = tri_lazy_front_alone(queue, &count);
    for (size_t i = 0; i < count; ++i)
        __builtin_prefetch(tri_slot_at(tiered->base.slots, front[i].slot), 1);
}

/* The next occupied slot, behind the last one the near heap, and then the run. */
static void begin_next_part(tri_tiered *tiered, unsigned slots) {
    const unsigned next = tiered->sweep > slots ? 0 : tiered->sweep + 1;
    tiered->sweep = next < slots ? tri_levels_next_slot(&tiered->levels, next) : next;
    if (tiered->sweep < slots) tiered->to_sweep = tiered->levels.slots[tiered->sweep].length;
}

static bool sweep_part(tri_tiered *tiered, unsigned slots, unsigned *looks) {
    if (tiered->sweep < slots) return sweep_slot(tiered, looks);
    if (tiered->sweep == slots) return tri_near_sweep_heap(&tiered->near, &tiered->base, looks);
    return tri_near_sweep_run(&tiered->near, &tiered->base, looks);
}

/* Only the part begun at an earlier call, the near heap and the run can be empty. */
void tri_tiered_sweep(tri_backend *base) {
    tri_tiered *tiered = tri_tiered_of(base);
    const unsigned slots = tri_levels_slots(&tiered->levels);
    unsigned looks = TRI_SWEEP_LOOKS;
    for (unsigned parts = 0; looks != 0 && parts < TRI_SWEEP_LOOKS + 3;) {
        const bool more = sweep_part(tiered, slots, &looks);
        if (more) continue;
        begin_next_part(tiered, slots);
        ++parts;
    }
    ask_for_next(tiered, slots);
}
