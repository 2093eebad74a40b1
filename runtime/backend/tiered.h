/* What the parts of `tiered` are put together in. */
#ifndef TRI_TIERED_H
#define TRI_TIERED_H

#include "backend/tiered_levels.h"
#include "backend/tiered_near.h"

typedef struct tri_tiered {
    tri_backend base;
    size_t few;        /* while the near heap ends before this index, all goes into it */
    tri_near near;
    tri_levels levels;
    uint64_t reached;  /* the tick of the last `now` */
    uint32_t reserved; /* slots that there is room for */
    bool exact;        /* (c) */
    unsigned sweep;    /* what the sweep goes through: a slot, then the heap, then the run */
    uint32_t to_sweep; /* of a slot: entries at its front not yet looked at in this round */
} tri_tiered;

static inline tri_tiered *tri_tiered_of(tri_backend *base) {
    return (tri_tiered *)base;
}

/* Look at a few entries, and drop those that nobody needs: round and round, through the slots, the
 * near heap and the run. */
void tri_tiered_sweep(tri_backend *base);

#endif
