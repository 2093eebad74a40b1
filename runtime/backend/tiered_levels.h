/* The far part of `tiered`: where entries wait, unsorted, until their time is near.
 *
 * A level is a ring of 256 slots; a slot of level l is 2^(fine_bits + 3 l) ticks wide, and holds a
 * queue of 8-byte entries (queue.h) whose ticks lie in it. Neighbours overlap: each level is 8
 * times coarser than the one before, but reaches 256 slots ahead. So an entry may wait in any slot
 * that covers its tick, and when a slot's start comes, all that lies in it goes to finer slots, at
 * most 8 times the next level's width ahead. Levels that do not overlap put most timers into one
 * slot before each boundary: pauses of 8 ms at a million.
 *
 *   exact, ticks of 1 ns:  level 4, the main one, has slots of 2 ms and reaches 0.5 s, level 7 of
 *                          1 s and 275 s, level 16 reaches the end of time. Levels 0 to 3 (0.5 us
 *                          to 0.3 ms) are used only to split a crowded slot of the main one.
 *   with a tick:           level 0, the main one, has slots of one tick; coarser ones as many as
 *                          there are ticks in all time.
 *
 * What is always so:
 *  - Each occupied slot begins after the horizon, and less than 256 slots of its level ahead. So
 *    its place in the ring tells its start.
 *  - What lies at the horizon or before it, or in the horizon's own slot of the main level, never
 *    waits here.
 *  - No occupied slot begins before `first`; and what is due before `gate` is not here.
 *
 * An entry keeps 16 bits of its tick: of those that its slot leaves open, the topmost. So the
 * ticks of a coarse slot's entries are rounded down, to a grain that is finer than a slot of the
 * main level up to 5 hours ahead, and they go down without a look at their timers, whose lines
 * are cold. */
#ifndef TRI_TIERED_LEVELS_H
#define TRI_TIERED_LEVELS_H

#include "backend/audit.h"
#include "backend/queue.h"
#include "backend/ring.h"
#include "backend/ticks.h"

#include <stdbool.h>

enum {
    TRI_LEVELS_MOST = 20,  /* as many as 2^64 ticks need */
    TRI_LEVELS_RATIO = 3,  /* bits by which a level is coarser than the one before */
    TRI_LEVELS_OPEN = 16   /* bits of its tick that an entry has */
};

/* An occupied slot. */
typedef struct tri_place {
    unsigned level;
    unsigned slot; /* among those of all levels */
    uint64_t start;
    uint64_t last; /* the last tick that lies in it */
} tri_place;

typedef struct tri_levels {
    uint64_t horizon;    /* see above */
    uint64_t first;      /* TRI_NO_TICK: no slot is occupied */
    int64_t gate;        /* the point at which `first` begins; TRI_NEVER: no slot is occupied */
    tri_place place;     /* if known: the occupied slot that begins first, at `first` */
    bool known;
    tri_queue *slots;    /* NULL before the first reserve; levels * 256 of them */
    int64_t tick_ns;     /* (c) */
    unsigned fine_bits;  /* (c) */
    unsigned main;       /* (c) the finest level that what is added waits in */
    unsigned main_shift; /* (c) its tri_levels_shift */
    unsigned levels;     /* (c) */
    uint32_t in_use;     /* a bit for each level that has an occupied slot */
    tri_chunks chunks;
    uint64_t occupied[TRI_LEVELS_MOST][TRI_RING_WORDS];
} tri_levels;

void tri_levels_init(tri_levels *levels, int64_t tick_ns, int64_t now, tri_memory *memory);
void tri_levels_fini(tri_levels *levels);
/* Have room for about so many entries. 0 or -ENOMEM with nothing changed. */
int tri_levels_reserve(tri_levels *levels, size_t entries);

/* How many slots there are, in all levels. */
static inline unsigned tri_levels_slots(const tri_levels *levels) {
    return levels->slots != NULL ? levels->levels * TRI_RING_SLOTS : 0;
}

static inline unsigned tri_levels_shift(const tri_levels *levels, unsigned level) {
    return levels->fine_bits + TRI_LEVELS_RATIO * level;
}

/* By how many bits the ticks of its entries are rounded down. */
static inline unsigned tri_levels_grain(unsigned shift) {
    return shift > TRI_LEVELS_OPEN ? shift - TRI_LEVELS_OPEN : 0;
}

/* Whether what has this tick may wait here. */
static inline bool tri_levels_reach(const tri_levels *levels, uint64_t tick) {
    return tick >> levels->main_shift > levels->horizon >> levels->main_shift;
}

/* The finest level, from the main one on, that reaches the tick. Pre: tri_levels_reach. */
static inline unsigned tri_levels_of(const tri_levels *levels, uint64_t tick) {
    const unsigned fine = levels->main_shift;
    const uint64_t distance = (tick >> fine) - (levels->horizon >> fine);
    /* A level reaches distances of 8 bits, each next one of 3 more. Counted in its own slots,
     * one may be larger by 1: so a coarse level is left at 254 of 256 slots. Halved, so that
     * nothing overflows. */
    const uint64_t half = (distance >> 1) + (distance >> 8);
    const unsigned bits = 63 - (unsigned)__builtin_clzll(half | 16);
    return levels->main + (bits - 4) / TRI_LEVELS_RATIO;
}

static inline tri_queue *tri_levels_queue(const tri_levels *levels, unsigned level, uint64_t tick) {
    const uint64_t block = tick >> tri_levels_shift(levels, level);
    return &levels->slots[level * TRI_RING_SLOTS + block % TRI_RING_SLOTS];
}

/* Make room for one more entry in a slot. False: there is none. */
bool tri_levels_extend(tri_levels *levels, unsigned level, uint64_t tick);

/* Let an entry with this tick and version wait in a slot of this level. Returns the tick that it is
 * kept with. Pre: the queue is that slot's, and has a spare entry. */
static inline uint64_t tri_levels_fill(const tri_levels *levels, tri_queue *queue, unsigned level,
                                       uint64_t tick, uint32_t number, uint16_t version) {
    const unsigned grain = tri_levels_grain(tri_levels_shift(levels, level));
    const uint32_t offset = (uint32_t)(tick >> grain) << 16;
    tri_queue_fill(queue, (tri_queue_entry){ number, offset | version });
    return tick >> grain << grain;
}

/* The same without the last condition. TRI_NO_TICK: there is no room, and nothing is changed. */
static inline uint64_t tri_levels_append(tri_levels *levels, unsigned level, uint64_t tick,
                                         uint32_t number, uint16_t version) {
    tri_queue *queue = tri_levels_queue(levels, level, tick);
    if (queue->spare == 0 && !tri_levels_extend(levels, level, tick)) return TRI_NO_TICK;
    return tri_levels_fill(levels, queue, level, tick, number, version);
}

static inline uint16_t tri_levels_version(tri_queue_entry entry) {
    return (uint16_t)entry.word;
}

static inline uint64_t tri_levels_tick(const tri_levels *levels, const tri_place *place,
                                       tri_queue_entry entry) {
    const unsigned grain = tri_levels_grain(tri_levels_shift(levels, place->level));
    const uint64_t mask = (uint64_t)UINT16_MAX << grain;
    return (place->start & ~mask) | (uint64_t)(entry.word >> 16) << grain;
}

/* For tri_levels_find. */
void tri_levels_search(tri_levels *levels);

/* Know the occupied slot that begins first, and of several the coarsest, which must go down before
 * the others are complete; if there is one. It stays known until it is empty, or until another one
 * begins no later. */
static inline void tri_levels_find(tri_levels *levels) {
    if (!levels->known) tri_levels_search(levels);
}

/* The next occupied slot from this one on, or the number of all slots. */
unsigned tri_levels_next_slot(const tri_levels *levels, unsigned slot);
/* Remove the first entries of a slot. Pre: as for tri_queue_skip. */
void tri_levels_skip(tri_levels *levels, unsigned slot, size_t count);

/* Everything up to this tick has gone from here. */
static inline void tri_levels_advance(tri_levels *levels, uint64_t tick) {
    if (tick > levels->horizon) levels->horizon = tick;
}

/* Check all this, and note each entry. */
void tri_levels_audit(tri_audit *audit, const tri_levels *levels);

#endif
