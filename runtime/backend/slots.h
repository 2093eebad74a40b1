/* The slot array that a bucket and its backend share: what the order of deadlines needs of a timer,
 * packed into half a cache line, at an address that never changes and is never given back while
 * the bucket lives. Callbacks are kept beside it (bucket/slot.c), since stop and reset do not
 * touch them. 32 bytes were twice as fast as 64 at a million timers. */
#ifndef TRI_SLOTS_H
#define TRI_SLOTS_H

#include <stdint.h>

/* As tri_slot.deadline or .key: none. No deadline ever has this value (see system/clock.h). */
#define TRI_NEVER INT64_MAX
/* As a slot number or a link: none. */
#define TRI_NO_SLOT UINT32_MAX

typedef struct tri_slot {
    int64_t deadline;    /* (b) the backend's: when it is due; TRI_NEVER: not in the backend */
    int64_t key;         /* (b) the backend's: it looks at the slot no later than this by itself,
                          * see backend.h; TRI_NEVER when the slot is made. Kept over reuse */
    uint32_t generation; /* (b) slot.c alone */
    uint32_t state;      /* (b) bucket/state.h */
    uint32_t mark;       /* (b) the backend's; 0 when the slot is made. Kept over reuse */
    uint32_t link;       /* (b) next in the due queue, or next free slot */
} tri_slot;

_Static_assert(sizeof(tri_slot) == 32, "two slots share a cache line, none straddles");

#define TRI_SEGMENT_BITS 12u
#define TRI_SEGMENT_SLOTS (1u << TRI_SEGMENT_BITS)

typedef struct tri_slots {
    tri_slot **segments; /* (b) may move when the bucket grows; the segments do not */
    uint32_t made;       /* (b) slots that were ever used: all below it are initialised */
    uint32_t room;       /* (b) slots that exist */
} tri_slots;

static inline tri_slot *tri_slot_at(const tri_slots *slots, uint32_t slot) {
    return &slots->segments[slot >> TRI_SEGMENT_BITS][slot & (TRI_SEGMENT_SLOTS - 1)];
}

#endif
