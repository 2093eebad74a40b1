/* wheel: the classic hierarchical timing wheel, 256 + 4 x 64 slots that cascade, with lazy stop and
 * reset (lazy.h). Order is true to one tick, whose length the user chooses.
 *
 *   level   slots   a slot is     the level reaches    with a tick of 1 ms
 *   0       256     1 tick        2^8 ticks            256 ms
 *   1       64      2^8 ticks     2^14 ticks           16 s
 *   2       64      2^14 ticks    2^20 ticks           17 min
 *   3       64      2^20 ticks    2^26 ticks           19 h
 *   4       64      2^26 ticks    2^32 ticks           50 days
 *   beyond  1       all the rest, until the block of 2^26 ticks begins that has the earliest
 *
 * A deadline is rounded up to a tick, once, so nothing fires early; with pop_due called on time it
 * is less than a tick late. An entry lies in the finest level that reaches its tick from the tick
 * that the wheel is at, counted in that level's slots; so a level's slots are those ahead, whatever
 * round number comes between. When the wheel comes to the start of a slot above level 0, the slot's
 * entries cascade: each goes to a finer level. Bitmaps tell the next occupied slot, so that no
 * empty tick is ever walked: a jump over a year costs what lies in it.
 *
 * What the geometry costs: a timer of one minute, at 1 ms, moves two times before it fires, and a
 * slot of level 2 holds a quarter of all one-minute timers, all of which cascade in one call. On
 * linked lists that call took 24 to 94 ms at a million timers; on the queues used here (queue.h) it
 * takes 2. Finer steps between the levels would cure it; this backend keeps the classic shape, so
 * that a comparison shows its price. */
#include "backend/audit.h"
#include "backend/lazy.h"
#include "backend/ring.h"
#include "backend/ticks.h"

#include <errno.h>
#include <string.h>

enum {
    LEVELS = 5,
    FINE = TRI_RING_SLOTS,                 /* slots of level 0 */
    COARSE = 64,                           /* slots of each other level */
    BEYOND = FINE + (LEVELS - 1) * COARSE, /* the slot of what no level reaches */
    SLOTS,
    WORDS = BEYOND / 64 + 1
};

static const unsigned shifts[LEVELS] = { 0, 8, 14, 20, 26 };

typedef struct tri_wheel {
    tri_backend base;
    uint64_t current;  /* every earlier tick is done */
    uint64_t soonest;  /* no occupied slot begins before it; TRI_NO_TICK: none is occupied */
    int64_t tick_ns;   /* (c) */
    uint64_t beyond;   /* no block that BEYOND has entries of begins before it */
    size_t room;       /* entries that there is room for */
    unsigned sweep;    /* the slot that the sweep goes through */
    uint32_t to_sweep; /* entries at its front that it has not looked at in this round */
    tri_chunks chunks;
    uint64_t occupied[WORDS];
    tri_queue slots[SLOTS];
} tri_wheel;

typedef struct tri_place {
    unsigned slot;
    unsigned shift; /* the slot is 2^shift ticks wide; BEYOND has no width */
    uint64_t start;
} tri_place;

static inline tri_wheel *wheel_of(tri_backend *base) {
    return (tri_wheel *)base;
}

/* The earliest deadline that an entry in a slot with this start need not be moved for: it is looked
 * at as soon as its tick comes. */
static inline int64_t key_of(const tri_wheel *wheel, uint64_t start) {
    return start <= wheel->current ? INT64_MIN : tri_tick_first(wheel->tick_ns, start);
}

/* Slots. */

static inline tri_place place_of(const tri_wheel *wheel, uint64_t tick) {
    const uint64_t current = wheel->current;
    if (tick < current) tick = current;
    if (tick - current < FINE) return (tri_place){ tick % FINE, 0, tick };
    for (unsigned level = 1; level < LEVELS; ++level) {
        const unsigned shift = shifts[level];
        const uint64_t block = tick >> shift;
        if (block - (current >> shift) >= COARSE) continue;
        const unsigned first = FINE + (level - 1) * COARSE;
        return (tri_place){ first + block % COARSE, shift, block << shift };
    }
    const unsigned shift = shifts[LEVELS - 1];
    return (tri_place){ BEYOND, shift, tick >> shift << shift };
}

static inline void set_occupied(tri_wheel *wheel, unsigned slot) {
    wheel->occupied[slot / 64] |= (uint64_t)1 << slot % 64;
}

static inline void clear_occupied(tri_wheel *wheel, unsigned slot) {
    wheel->occupied[slot / 64] &= ~((uint64_t)1 << slot % 64);
}

/* Bits from `index` on, and round to those before it: how far the first one is, of one or more. */
static inline unsigned distance_to_bit(uint64_t bits, unsigned index) {
    const uint64_t turned = bits >> index | bits << (64 - index) % 64;
    return (unsigned)__builtin_ctzll(turned);
}

/* The occupied slot that begins first, and of several the widest, which has to cascade before the
 * others are complete. None: start is TRI_NO_TICK. */
static tri_place first_place(const tri_wheel *wheel) {
    tri_place best = { BEYOND, shifts[LEVELS - 1], wheel->beyond };
    for (unsigned level = LEVELS - 1; level > 0; --level) {
        const uint64_t bits = wheel->occupied[FINE / 64 + level - 1];
        if (bits == 0) continue;
        const uint64_t block = wheel->current >> shifts[level];
        const uint64_t found = block + distance_to_bit(bits, block % COARSE);
        const uint64_t start = found << shifts[level];
        if (start >= best.start) continue;
        best.slot = FINE + (level - 1) * COARSE + found % COARSE;
        best.shift = shifts[level];
        best.start = start;
    }
    const unsigned distance = tri_ring_distance(wheel->occupied, wheel->current % FINE);
    const uint64_t tick = wheel->current + distance;
    if (distance < FINE && tick < best.start) best = (tri_place){ tick % FINE, 0, tick };
    return best;
}

/* Entries. */

static inline void append(tri_wheel *wheel, unsigned slot, tri_queue_entry entry) {
    tri_queue_append(&wheel->chunks, &wheel->slots[slot], entry);
    ++wheel->base.entries;
    set_occupied(wheel, slot);
}

static inline void skip(tri_wheel *wheel, unsigned slot, size_t count) {
    tri_queue_skip(&wheel->chunks, &wheel->slots[slot], count);
    wheel->base.entries -= count;
    if (wheel->slots[slot].length == 0) clear_occupied(wheel, slot);
}

static inline tri_slot *slot_of(const tri_wheel *wheel, const tri_queue_entry *entry) {
    return tri_slot_at(wheel->base.slots, entry->slot);
}

/* Give the slot a new entry where its deadline wants it. */
static void enqueue(tri_wheel *wheel, uint32_t number, tri_slot *slot) {
    const tri_place place = place_of(wheel, tri_tick_up(wheel->tick_ns, slot->deadline));
    const uint32_t version = tri_lazy_renew(slot, key_of(wheel, place.start));
    append(wheel, place.slot, (tri_queue_entry){ number, version });
    if (place.start < wheel->soonest) wheel->soonest = place.start;
    if (place.slot == BEYOND && place.start < wheel->beyond) wheel->beyond = place.start;
}

static unsigned next_occupied(const tri_wheel *wheel, unsigned slot) {
    for (unsigned i = 0; i <= WORDS; ++i) {
        const unsigned word = (slot / 64 + i) % WORDS;
        uint64_t bits = wheel->occupied[word];
        if (i == 0) bits &= ~(uint64_t)0 << slot % 64;
        if (bits != 0) return word * 64 + (unsigned)__builtin_ctzll(bits);
    }
    return slot;
}

/* Look at a few entries, and drop those that nobody needs. Goes from slot to slot, and through each
 * by taking from its front and appending what is kept at its back. */
static __attribute__((noinline)) void sweep(tri_backend *base) {
    tri_wheel *wheel = wheel_of(base);
    for (unsigned looks = 0; looks < TRI_SWEEP_LOOKS; ++looks) {
        const tri_queue *queue = &wheel->slots[wheel->sweep];
        if (wheel->to_sweep == 0 || queue->length == 0) {
            wheel->sweep = next_occupied(wheel, (wheel->sweep + 1) % SLOTS);
            wheel->to_sweep = wheel->slots[wheel->sweep].length;
            continue;
        }
        size_t count;
        const tri_queue_entry entry = *tri_queue_front(queue, &count);
        skip(wheel, wheel->sweep, 1);
        if (tri_lazy_keep(slot_of(wheel, &entry), entry.word))
            append(wheel, wheel->sweep, entry);
        --wheel->to_sweep;
    }
    if (wheel->slots[wheel->sweep].length == 0) return;
    size_t count;
    const tri_queue_entry *front = tri_queue_front(&wheel->slots[wheel->sweep], &count);
    for (size_t i = 0; i < count && i < TRI_SWEEP_LOOKS; ++i)
        __builtin_prefetch(slot_of(wheel, &front[i]), 1);
}

static __attribute__((noinline)) bool enter(tri_backend *base, uint32_t number, tri_slot *slot) {
    tri_wheel *wheel = wheel_of(base);
    /* The sweep does not let it come to this; and if it did, every other entry could be dropped. */
    while (base->entries >= wheel->room) sweep(base);
    enqueue(wheel, number, slot);
    if (tri_backend_is_crowded(base)) sweep(base);
    return tri_lazy_note_earliest(base, slot->deadline);
}

static bool wheel_add(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_add(base, number, deadline, enter);
}

static bool wheel_move(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_move(base, number, deadline, enter);
}

static void wheel_remove(tri_backend *base, uint32_t number) {
    tri_lazy_remove(base, number, sweep);
}

/* Whether the place is what it seems: its first entry belongs into it. If not, that entry has been
 * dropped, or put where it belongs by now. */
static bool is_true_place(tri_wheel *wheel, tri_place place) {
    size_t count;
    const tri_queue_entry entry = *tri_queue_front(&wheel->slots[place.slot], &count);
    tri_slot *slot = slot_of(wheel, &entry);
    const bool keep = tri_lazy_keep(slot, entry.word);
    const uint64_t end = place.start + (((uint64_t)1 << place.shift) - 1);
    if (keep && slot->deadline <= tri_tick_start(wheel->tick_ns, end)) {
        wheel->base.earliest = slot->deadline;
        return true;
    }
    skip(wheel, place.slot, 1);
    if (keep) enqueue(wheel, entry.slot, slot);
    return false;
}

static int64_t wheel_next(tri_backend *base) {
    tri_wheel *wheel = wheel_of(base);
    if (base->live == 0) return TRI_NEVER;
    tri_place place = first_place(wheel);
    for (unsigned looks = 0; looks < TRI_NEXT_LOOKS; ++looks) {
        if (place.slot == BEYOND || is_true_place(wheel, place)) break;
        place = first_place(wheel);
    }
    return tri_tick_start(wheel->tick_ns, place.start);
}

/* Take due slots out of the slot of the current tick. What was moved to later is put there. */
static size_t fire(tri_wheel *wheel, unsigned from, tri_due *due, size_t max) {
    const int64_t end = tri_tick_start(wheel->tick_ns, wheel->current);
    bool begun = false;
    size_t fired = 0;
    while (fired < max && wheel->slots[from].length != 0) {
        size_t count;
        const tri_queue_entry *entries =
            tri_lazy_front(wheel->base.slots, &wheel->slots[from], &begun, &count);
        if (count > max - fired) count = max - fired;
        for (size_t i = 0; i < count; ++i) {
            tri_slot *slot = slot_of(wheel, &entries[i]);
            if (!tri_lazy_keep(slot, entries[i].word)) continue;
            if (slot->deadline > end) {
                enqueue(wheel, entries[i].slot, slot);
                continue;
            }
            due[fired++] = tri_lazy_fire(&wheel->base, slot, entries[i].slot);
        }
        skip(wheel, from, count);
    }
    return fired;
}

/* The wheel is at the start of a slot above level 0: bring its entries to where they belong now.
 * Those of BEYOND may belong there again, so the queue is taken off first. */
static void cascade(tri_wheel *wheel, unsigned from) {
    tri_queue queue = wheel->slots[from];
    wheel->slots[from] = (tri_queue){ 0 };
    clear_occupied(wheel, from);
    bool begun = false;
    if (from == BEYOND) wheel->beyond = TRI_NO_TICK;
    while (queue.length != 0) {
        size_t count;
        const tri_queue_entry *entries =
            tri_lazy_front(wheel->base.slots, &queue, &begun, &count);
        for (size_t i = 0; i < count; ++i) {
            tri_slot *slot = slot_of(wheel, &entries[i]);
            if (tri_lazy_keep(slot, entries[i].word)) enqueue(wheel, entries[i].slot, slot);
        }
        tri_queue_skip(&wheel->chunks, &queue, count);
        wheel->base.entries -= count;
    }
}

/* Come to the last tick, or as far as max firings go. */
static size_t advance(tri_wheel *wheel, uint64_t last, tri_due *due, size_t max) {
    size_t fired = 0;
    while (wheel->soonest <= last) {
        const tri_place place = first_place(wheel);
        wheel->soonest = place.start;
        if (place.start > last) break;
        wheel->current = place.start;
        if (place.shift != 0)
            cascade(wheel, place.slot);
        else
            fired += fire(wheel, place.slot, due + fired, max - fired);
        if (fired == max) return fired;
    }
    if (wheel->current < last) wheel->current = last;
    return fired;
}

static size_t wheel_pop_due(tri_backend *base, int64_t now, tri_due *due, size_t max) {
    tri_wheel *wheel = wheel_of(base);
    const size_t fired = advance(wheel, tri_tick_down(wheel->tick_ns, now), due, max);
    for (size_t i = 0; i < fired && tri_backend_is_crowded(base); ++i) sweep(base);
    return fired;
}

static int wheel_reserve(tri_backend *base, uint32_t slots) {
    tri_wheel *wheel = wheel_of(base);
    const size_t room = tri_lazy_room(slots);
    if (room <= wheel->room) return 0;
    if (room > UINT32_MAX / 2) return -ENOMEM; /* a queue's length has 32 bits */
    /* Entries of a queue that is being emptied lie in their old chunk until all of that chunk have
     * their new place; and a cascade has a queue of its own. */
    const size_t chunks = tri_chunks_for(room + TRI_CHUNK_ENTRIES, SLOTS + 1);
    const int error = tri_chunks_reserve(&wheel->chunks, chunks);
    if (error == 0) wheel->room = room;
    return error;
}

static int wheel_init(tri_backend **out, const tri_backend_config *config) {
    tri_wheel *wheel = tri_memory_take(config->memory, sizeof *wheel);
    if (wheel == NULL) return -ENOMEM;
    memset(wheel, 0, sizeof *wheel);
    wheel->base = tri_lazy_base(&tri_backend_wheel, config);
    wheel->tick_ns = config->tick_ns;
    wheel->current = tri_tick_down(wheel->tick_ns, config->now);
    wheel->soonest = wheel->beyond = TRI_NO_TICK;
    wheel->chunks.memory = config->memory;
    *out = &wheel->base;
    return 0;
}

static void wheel_fini(tri_backend *base) {
    tri_wheel *wheel = wheel_of(base);
    tri_chunks_fini(&wheel->chunks);
    tri_memory_give(base->memory, wheel, sizeof *wheel);
}

/* The start of a slot, given that it is occupied; BEYOND has none. */
static uint64_t start_of_slot(const tri_wheel *wheel, unsigned slot) {
    if (slot < FINE) return wheel->current + (slot - wheel->current) % FINE;
    const unsigned level = (slot - FINE) / COARSE + 1;
    const uint64_t block = wheel->current >> shifts[level];
    return (block + (slot - FINE - block) % COARSE) << shifts[level];
}

static void check_entry(tri_audit *audit, const tri_wheel *wheel, unsigned slot,
                        const tri_queue_entry *entry) {
    if (!tri_audit_entry(audit, entry->slot, entry->word)) return;
    const int64_t key = slot_of(wheel, entry)->key;
    uint64_t start = tri_tick_up(wheel->tick_ns, key);
    if (key == INT64_MIN && start < wheel->current) start = wheel->current;
    if (slot == BEYOND)
        tri_audit_expect(audit, start >= wheel->beyond, "a block beyond is missed", entry->slot);
    else
        tri_audit_expect(audit, start == start_of_slot(wheel, slot), "a wrong key", entry->slot);
    tri_audit_expect(audit, start >= wheel->soonest, "a slot begins before the soonest", slot);
}

/* Returns how many chunks the queue has. */
static size_t check_queue(tri_audit *audit, const tri_wheel *wheel, unsigned slot) {
    const bool occupied = wheel->occupied[slot / 64] >> slot % 64 & 1;
    const tri_queue *queue = &wheel->slots[slot];
    tri_audit_expect(audit, occupied == (queue->length != 0), "a bitmap is wrong", slot);
    tri_audit_expect(audit, slot < FINE || slot == BEYOND || queue->length == 0 ||
                     start_of_slot(wheel, slot) > wheel->current, "a slot has not cascaded", slot);
    size_t chunks = 0, length = 0, count;
    const tri_chunk *chunk = tri_queue_first(queue);
    for (; chunk != NULL; chunk = tri_queue_behind(queue, chunk), ++chunks, length += count) {
        const tri_queue_entry *entries = tri_queue_part(queue, chunk, &count);
        tri_audit_expect(audit, count != 0, "a queue has an empty chunk", slot);
        for (size_t i = 0; i < count; ++i) check_entry(audit, wheel, slot, &entries[i]);
    }
    tri_audit_expect(audit, length == queue->length, "a queue is miscounted", slot);
    return chunks;
}

static bool wheel_check(const tri_backend *base, FILE *why) {
    const tri_wheel *wheel = (const tri_wheel *)base;
    tri_audit audit;
    tri_audit_begin(&audit, base, why);
    tri_audit_expect(&audit, base->entries <= wheel->room, "too many entries", base->entries);
    size_t chunks = 0;
    for (unsigned slot = 0; slot < SLOTS; ++slot) chunks += check_queue(&audit, wheel, slot);
    chunks += tri_chunks_free(&wheel->chunks);
    tri_audit_expect(&audit, chunks == wheel->chunks.count, "chunks are lost", chunks);
    return tri_audit_end(&audit);
}

const tri_backend_ops tri_backend_wheel = {
    .name = "wheel",
    .tick = TRI_TICK_NEEDED,
    .init = wheel_init,
    .fini = wheel_fini,
    .reserve = wheel_reserve,
    .add = wheel_add,
    .remove = wheel_remove,
    .move = wheel_move,
    .next = wheel_next,
    .pop_due = wheel_pop_due,
    .check = wheel_check,
};
