/* What the buckets of one runtime have in common. It outlives them, and every resident. */
#ifndef TRI_SHARED_H
#define TRI_SHARED_H

#include "system/clock.h"
#include "system/lock.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct tri_shared {
    tri_clock clock;
    tri_lock lock;           /* rank RUNTIME: starting threads */
    _Atomic int state;       /* (a) 0: alive. Else what every call answers: -ESHUTDOWN, -ECHILD */
    _Atomic unsigned holds;  /* (a) set by destroy: buckets with residents, and destroy itself */
    bool no_locks;           /* (c) single_threaded */
    bool foreign;            /* (c) in a child of fork: some thread that is not here may hold any
                              * lock for ever: nothing of it is touched again, after its end
                              * neither */
} tri_shared;

static inline int tri_shared_state(const tri_shared *shared) {
    return atomic_load_explicit(&shared->state, memory_order_acquire);
}

/* Let go of a hold. True: it was the last, and the caller must free the runtime. */
static inline bool tri_shared_let_go(tri_shared *shared) {
    return atomic_fetch_sub(&shared->holds, 1) == 1;
}

#endif
