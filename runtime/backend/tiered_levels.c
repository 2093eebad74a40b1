#include "backend/tiered_levels.h"

#include <errno.h>
#include <string.h>

/* Bits of the slots that an exact backend's main level has, and of its finest ones. With 18 a
 * million expiries took 36 ns each where 21 took 27. */
enum { MAIN_BITS = 21, SPLIT_BITS = 9 };

static size_t slots_of(const tri_levels *levels) {
    return (size_t)levels->levels * TRI_RING_SLOTS;
}

static void set_first(tri_levels *levels, uint64_t start) {
    levels->first = start;
    levels->gate = start != TRI_NO_TICK ? tri_tick_start(levels->tick_ns, start) : TRI_NEVER;
}

/* As many as reach from the first point to the last: one more than if the horizon began a slot of
 * each level, but never more than end with one whose 256 slots are all 2^64 ticks. */
static unsigned levels_for(const tri_levels *levels) {
    const uint64_t first = tri_tick_down(levels->tick_ns, INT64_MIN);
    const uint64_t last = tri_tick_up(levels->tick_ns, TRI_NEVER - 1);
    const unsigned most = (56 - levels->fine_bits + 2) / TRI_LEVELS_RATIO + 1;
    const unsigned wanted = tri_levels_of(levels, last - first) + 2;
    return wanted < most ? wanted : most;
}

void tri_levels_init(tri_levels *levels, int64_t tick_ns, int64_t now, tri_memory *memory) {
    const bool exact = tick_ns == 0;
    *levels = (tri_levels){ .tick_ns = exact ? 1 : tick_ns, .chunks = { .memory = memory } };
    levels->fine_bits = exact ? SPLIT_BITS : 0;
    levels->main = exact ? (MAIN_BITS - SPLIT_BITS) / TRI_LEVELS_RATIO : 0;
    levels->main_shift = tri_levels_shift(levels, levels->main);
    levels->levels = levels_for(levels);
    levels->horizon = tri_tick_down(levels->tick_ns, now);
    set_first(levels, TRI_NO_TICK);
}

void tri_levels_fini(tri_levels *levels) {
    tri_chunks_fini(&levels->chunks);
    tri_memory_give(levels->chunks.memory, levels->slots, slots_of(levels) * sizeof(tri_queue));
}

/* Chunks for full queues, and for some that are not. Entries for which there is none stay in the
 * near part: so what is bounded here is memory, and not what can be added. */
static size_t chunks_for(size_t entries) {
    const size_t most_loose = 1024, loose = entries / 6 < most_loose ? entries / 6 : most_loose;
    return entries / TRI_CHUNK_ENTRIES + loose;
}

int tri_levels_reserve(tri_levels *levels, size_t entries) {
    const size_t size = slots_of(levels) * sizeof(tri_queue);
    tri_queue *slots = levels->slots;
    if (slots == NULL) slots = tri_memory_take(levels->chunks.memory, size);
    if (slots == NULL) return -ENOMEM;
    const int error = tri_chunks_reserve(&levels->chunks, chunks_for(entries));
    if (levels->slots != NULL) return error;
    if (error != 0) {
        tri_memory_give(levels->chunks.memory, slots, size);
        return error;
    }
    memset(slots, 0, size);
    levels->slots = slots;
    return 0;
}

__attribute__((noinline)) bool tri_levels_extend(tri_levels *levels, unsigned level,
                                                 uint64_t tick) {
    const unsigned shift = tri_levels_shift(levels, level);
    const unsigned index = (tick >> shift) % TRI_RING_SLOTS;
    tri_queue *queue = &levels->slots[level * TRI_RING_SLOTS + index];
    if (!tri_queue_extend(&levels->chunks, queue)) return false;
    if (queue->length != 0) return true;
    levels->occupied[level][index / 64] |= (uint64_t)1 << index % 64;
    levels->in_use |= 1u << level;
    const uint64_t start = tick >> shift << shift;
    if (start > levels->first) return true;
    levels->known = false;
    set_first(levels, start);
    return true;
}

/* The level has no occupied slot. */
static bool is_empty(const tri_levels *levels, unsigned level) {
    uint64_t some = 0;
    for (unsigned i = 0; i < TRI_RING_WORDS; ++i) some |= levels->occupied[level][i];
    return some == 0;
}

void tri_levels_skip(tri_levels *levels, unsigned slot, size_t count) {
    tri_queue_skip(&levels->chunks, &levels->slots[slot], count);
    if (levels->slots[slot].length != 0) return;
    const unsigned level = slot / TRI_RING_SLOTS, index = slot % TRI_RING_SLOTS;
    levels->occupied[level][index / 64] &= ~((uint64_t)1 << index % 64);
    if (is_empty(levels, level)) levels->in_use &= ~(1u << level);
    if (slot == levels->place.slot) levels->known = false;
}

/* The first occupied slot of one level, counted in its slots. Pre: there is one. */
static inline uint64_t first_in(const tri_levels *levels, unsigned level) {
    const uint64_t from = (levels->horizon >> tri_levels_shift(levels, level)) + 1;
    return from + tri_ring_distance(levels->occupied[level], from % TRI_RING_SLOTS);
}

void tri_levels_search(tri_levels *levels) {
    unsigned level = 0;
    uint64_t best = TRI_NO_TICK;
    for (uint32_t rest = levels->in_use; rest != 0; rest &= rest - 1) {
        const unsigned next = (unsigned)__builtin_ctz(rest);
        const uint64_t start = first_in(levels, next) << tri_levels_shift(levels, next);
        if (start > best) continue;
        best = start;
        level = next;
    }
    set_first(levels, best);
    if (best == TRI_NO_TICK) return;
    const unsigned shift = tri_levels_shift(levels, level);
    const unsigned slot = level * TRI_RING_SLOTS + (best >> shift) % TRI_RING_SLOTS;
    levels->place = (tri_place){ level, slot, best, best + (((uint64_t)1 << shift) - 1) };
    levels->known = true;
}

unsigned tri_levels_next_slot(const tri_levels *levels, unsigned slot) {
    const unsigned words = levels->levels * TRI_RING_WORDS;
    for (unsigned word = slot / 64; word < words; ++word) {
        uint64_t some = levels->occupied[word / TRI_RING_WORDS][word % TRI_RING_WORDS];
        if (word == slot / 64) some &= ~(uint64_t)0 << slot % 64;
        if (some != 0) return word * 64 + (unsigned)__builtin_ctzll(some);
    }
    return words * 64;
}

/* Returns how many chunks it has. */
static size_t audit_slot(tri_audit *audit, const tri_levels *levels, const tri_place *place) {
    const tri_queue *queue = &levels->slots[place->slot];
    size_t chunks = 0, length = 0, count;
    const tri_chunk *chunk = tri_queue_first(queue);
    for (; chunk != NULL; chunk = tri_queue_behind(queue, chunk), ++chunks, length += count) {
        const tri_queue_entry *entries = tri_queue_part(queue, chunk, &count);
        tri_audit_expect(audit, count != 0, "a queue has an empty chunk", place->slot);
        for (size_t i = 0; i < count; ++i) {
            const uint64_t tick = tri_levels_tick(levels, place, entries[i]);
            tri_audit_expect(audit, tick >= place->start && tick <= place->last,
                             "an entry has a tick that is not its slot's", tick);
            tri_audit_keyed(audit, entries[i].slot, tri_levels_version(entries[i]),
                            tri_tick_first(levels->tick_ns, tick));
        }
    }
    tri_audit_expect(audit, length == queue->length, "a queue is miscounted", place->slot);
    return chunks;
}

/* An occupied slot of a level, so many slots ahead of the horizon. */
static void audit_place(tri_audit *audit, const tri_levels *levels, const tri_place *place,
                        uint64_t ahead) {
    tri_audit_expect(audit, ahead < TRI_RING_SLOTS, "a slot is at the horizon", place->slot);
    tri_audit_expect(audit, place->start >= levels->first, "a slot begins before the first",
                     place->slot);
    tri_audit_expect(audit, !levels->known || place->start > levels->first ||
                     place->level <= levels->place.level, "a coarser slot is first", place->slot);
}

/* Returns how many chunks it has. */
static size_t audit_level(tri_audit *audit, const tri_levels *levels, unsigned level) {
    const unsigned shift = tri_levels_shift(levels, level);
    bool some = false;
    size_t chunks = 0;
    for (uint64_t ahead = 1; ahead <= TRI_RING_SLOTS; ++ahead) {
        const uint64_t block = (levels->horizon >> shift) + ahead;
        const unsigned index = block % TRI_RING_SLOTS;
        const tri_place place = { level, level * TRI_RING_SLOTS + index, block << shift,
                                  (block << shift) + (((uint64_t)1 << shift) - 1) };
        const bool occupied = levels->occupied[level][index / 64] >> index % 64 & 1;
        const bool filled = levels->slots[place.slot].length != 0;
        tri_audit_expect(audit, occupied == filled, "a bitmap is wrong", place.slot);
        if (!filled) continue;
        some = true;
        audit_place(audit, levels, &place, ahead);
        chunks += audit_slot(audit, levels, &place);
    }
    tri_audit_expect(audit, some == (levels->in_use >> level & 1), "a level's bit is wrong", level);
    return chunks;
}

void tri_levels_audit(tri_audit *audit, const tri_levels *levels) {
    size_t chunks = tri_chunks_free(&levels->chunks);
    const int64_t gate = levels->first == TRI_NO_TICK
                             ? TRI_NEVER : tri_tick_start(levels->tick_ns, levels->first);
    tri_audit_expect(audit, gate == levels->gate, "the gate is not the first slot's start", 0);
    tri_audit_expect(audit, !levels->known || levels->place.start == levels->first,
                     "what is known to be the first slot is not it", levels->place.slot);
    for (unsigned level = 0; levels->slots != NULL && level < levels->levels; ++level)
        chunks += audit_level(audit, levels, level);
    tri_audit_expect(audit, chunks == levels->chunks.count, "chunks are lost", chunks);
}
