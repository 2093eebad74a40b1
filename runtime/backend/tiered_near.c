#include "backend/tiered_near.h"

#include <string.h>

enum { FEW = 16, DIGIT = 7, DIGIT_MOST = 10 };

void tri_near_adopt_run(tri_near *near, tri_quad_entry *block) {
    near->run = block;
    near->gathered = block + TRI_RUN_MOST;
}

void tri_near_fini(tri_near *near, tri_memory *memory) {
    tri_quad_entry *block = near->run < near->gathered ? near->run : near->gathered;
    tri_memory_give(memory, block, tri_near_run_size());
    tri_memory_give(memory, near->heap.at, near->heap.size);
}

/* The one that is kept gets a new version, so that no other of its slot is kept beside it: each
 * round leaves one a slot at most, and where the heap is full, there is one to drop. */
static bool keep(tri_slot *slot, tri_quad_entry *entry) {
    if (!tri_near_keep(slot, entry)) return false;
    entry->version = slot->mark = (uint16_t)(slot->mark + 1);
    return true;
}

bool tri_near_sweep_heap(tri_near *near, tri_backend *base, unsigned *looks) {
    return tri_quad_sweep(&near->heap, base, looks, keep);
}

static __attribute__((noinline)) void make_room(tri_near *near, tri_backend *base) {
    do {
        unsigned looks = TRI_SWEEP_LOOKS;
        tri_near_sweep_heap(near, base, &looks);
    } while (tri_quad_count(&near->heap) >= near->heap.room);
}

static void push(tri_near *near, tri_backend *base, tri_quad_entry entry) {
    tri_quad_push(&near->heap, entry);
    ++base->entries;
}

void tri_near_push(tri_near *near, tri_backend *base, uint32_t number, tri_slot *slot) {
    if (tri_quad_count(&near->heap) >= near->brim) make_room(near, base);
    slot->key = slot->deadline;
    push(near, base, (tri_quad_entry){ slot->deadline, number, slot->mark });
}

void tri_near_scatter(tri_near *near, tri_backend *base) {
    base->entries -= near->count;
    for (uint32_t i = 0; i < near->count; ++i) {
        tri_slot *slot = tri_slot_at(base->slots, near->gathered[i].slot);
        if (tri_near_keep(slot, &near->gathered[i]))
            tri_near_push(near, base, near->gathered[i].slot, slot);
    }
    near->count = near->sweep = 0;
}

static void insertion_sort(tri_quad_entry *at, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const tri_quad_entry entry = at[i];
        uint32_t hole = i;
        for (; hole != 0 && at[hole - 1].key > entry.key; --hole) at[hole] = at[hole - 1];
        at[hole] = entry;
    }
}

static void swap_arrays(tri_near *near) {
    tri_quad_entry *run = near->run;
    near->run = near->gathered;
    near->gathered = run;
}

static inline unsigned digit_of(const tri_quad_entry *entry, int64_t from, unsigned shift,
                                unsigned digits) {
    return (unsigned)(((uint64_t)entry->key - (uint64_t)from) >> shift) & (digits - 1);
}

/* Distribute those gathered by some bits of their offset from `from`, in the order in which they
 * lie. Returns how many share the bits that most share. */
static unsigned distribute(tri_near *near, int64_t from, unsigned shift, unsigned bits) {
    uint16_t starts[1 << DIGIT_MOST];
    const unsigned digits = 1u << bits;
    memset(starts, 0, digits * sizeof *starts);
    for (uint32_t i = 0; i < near->count; ++i)
        ++starts[digit_of(&near->gathered[i], from, shift, digits)];
    unsigned start = 0, most = 0;
    for (unsigned i = 0; i < digits; ++i) {
        const unsigned count = starts[i];
        starts[i] = (uint16_t)start;
        start += count;
        if (count > most) most = count;
    }
    for (uint32_t i = 0; i < near->count; ++i) {
        const tri_quad_entry entry = near->gathered[i];
        near->run[starts[digit_of(&entry, from, shift, digits)]++] = entry;
    }
    swap_arrays(near);
    return most;
}

/* By the topmost bits, about as many values as there are entries; an insertion sort does the
 * rest. If the keys lie so that it would have much to do, by all bits first, from the lowest on. */
void tri_near_sort(tri_near *near, int64_t from, unsigned bits) {
    if (near->count > FEW) {
        unsigned top = 32 - (unsigned)__builtin_clz(near->count);
        if (top > DIGIT_MOST) top = DIGIT_MOST;
        if (top > bits) top = bits;
        if (distribute(near, from, bits - top, top) > FEW)
            for (unsigned shift = 0; shift < bits; shift += DIGIT)
                distribute(near, from, shift, DIGIT);
    }
    insertion_sort(near->gathered, near->count);
    swap_arrays(near);
    near->head = 0;
    near->end = near->count;
    near->count = near->sweep = 0;
}

/* What is gathered is in no order, so the last takes a dropped one's place. */
static void sweep_gathered(tri_near *near, tri_backend *base, unsigned *looks) {
    for (; *looks != 0 && near->sweep < near->count; --*looks) {
        const tri_quad_entry *entry = &near->gathered[near->sweep];
        if (tri_near_keep(tri_slot_at(base->slots, entry->slot), entry)) {
            ++near->sweep;
            continue;
        }
        near->gathered[near->sweep] = near->gathered[--near->count];
        --base->entries;
    }
}

/* Those before the dropped ones move up, once for all of them. */
static void sweep_sorted(tri_near *near, tri_backend *base, unsigned *looks) {
    const uint32_t from = near->sweep > near->head ? near->sweep : near->head;
    const uint32_t until = near->end - from < *looks ? near->end : from + *looks;
    uint32_t kept = until;
    for (uint32_t i = until; i-- > from;) {
        const tri_quad_entry entry = near->run[i];
        if (tri_near_keep(tri_slot_at(base->slots, entry.slot), &entry)) near->run[--kept] = entry;
    }
    const uint32_t dropped = kept - from;
    memmove(&near->run[near->head + dropped], &near->run[near->head],
            (from - near->head) * sizeof *near->run);
    near->head += dropped;
    near->sweep = until;
    *looks -= until - from;
    base->entries -= dropped;
}

bool tri_near_sweep_run(tri_near *near, tri_backend *base, unsigned *looks) {
    const bool sorted = near->head != near->end;
    if (sorted)
        sweep_sorted(near, base, looks);
    else
        sweep_gathered(near, base, looks);
    if (near->sweep < (sorted ? near->end : near->count)) return true;
    near->sweep = 0;
    return false;
}

static void audit_list(tri_audit *audit, const tri_quad_entry *at, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        tri_audit_keyed(audit, at[i].slot, at[i].version, at[i].key);
}

void tri_near_audit(tri_audit *audit, const tri_near *near) {
    tri_quad_audit(audit, &near->heap);
    if (near->run == NULL) return;
    tri_audit_expect(audit, near->head <= near->end && near->end <= TRI_RUN_MOST &&
                     near->count <= TRI_RUN_MOST, "a run is too long", near->end);
    for (uint32_t i = near->head + 1; i < near->end; ++i)
        tri_audit_expect(audit, near->run[i - 1].key <= near->run[i].key, "a run is unsorted", i);
    audit_list(audit, near->run + near->head, near->end - near->head);
    audit_list(audit, near->gathered, near->count);
}
