/* The one table of functions that every backend is: pure order of deadlines. A backend knows no
 * lock (the caller holds the bucket's), no clock, no thread and no callback. Only the bucket layer
 * calls one. A new backend is one new file and one line in table.c. */
#ifndef TRI_BACKEND_H
#define TRI_BACKEND_H

#include "backend/slots.h"
#include "system/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tri_backend_ops tri_backend_ops;

/* First member of every backend. */
typedef struct tri_backend {
    const tri_backend_ops *ops; /* (c) */
    tri_slots *slots;           /* (c) */
    tri_memory *memory;         /* (c) */
    size_t live;                /* (b) slots that are in the backend */
    size_t entries;             /* (b) entries that it keeps for them, dead ones included */
    int64_t earliest;           /* (b) the deadline of some live slot, or TRI_NEVER: not known */
} tri_backend;

typedef struct tri_backend_config {
    tri_memory *memory;
    tri_slots *slots;
    int64_t tick_ns; /* 0: exact; as tri_backend_ops.tick allows */
    int64_t now;     /* no later than any `now` that pop_due will see; may be negative or huge */
} tri_backend_config;

typedef struct tri_due {
    int64_t deadline;
    uint32_t slot;
} tri_due;

/* Whether its order is true to one tick only. */
typedef enum tri_tick_use {
    TRI_TICK_NONE,     /* exact: tick_ns is 0 */
    TRI_TICK_OPTIONAL, /* exact where tick_ns is 0 */
    TRI_TICK_NEEDED    /* tick_ns > 0 */
} tri_tick_use;

/* What every backend keeps:
 *  - A slot is in the backend exactly while its deadline is not TRI_NEVER.
 *  - Deadlines are any int64_t below TRI_NEVER, the past included.
 *  - After reserve(n) succeeded, add and move cannot fail while at most n slots are live.
 *  - entries <= 2 * live + a constant, but for the bounded delay with which each add, move and
 *    remove cleans up a few; no call cleans the whole structure at once.
 *  - Equal calls give equal results: there is no randomness. */
struct tri_backend_ops {
    const char *name;
    tri_tick_use tick;

    /* 0 or -ENOMEM. */
    int (*init)(tri_backend **out, const tri_backend_config *config);
    /* Slots that are still in it are forgotten, not touched. */
    void (*fini)(tri_backend *backend);
    /* Make room for this many live slots in all. 0 or -ENOMEM with nothing changed. Everything
     * that can fail, fails here. */
    int (*reserve)(tri_backend *backend, uint32_t slots);
    /* Pre: the slot is not in it. True: it is now the earliest (said too often, for instance when
     * the earliest was just removed, never too rarely), so the bucket decides about waking the
     * sleeper. */
    bool (*add)(tri_backend *backend, uint32_t slot, int64_t deadline);
    /* Pre: the slot is in it. */
    void (*remove)(tri_backend *backend, uint32_t slot);
    /* Pre: the slot is in it. As remove and add. */
    bool (*move)(tri_backend *backend, uint32_t slot, int64_t deadline);
    /* A point at which pop_due should be called: never later than the truth (for a backend with a
     * tick: than the end of the head's tick, or than the last now, if that has passed), TRI_NEVER
     * if and only if none is live. May clean up a little, and be more exact when asked again. */
    int64_t (*next)(tri_backend *backend);
    /* Take at most max due slots out, earliest first; fewer than max only when no more are due.
     * Never one whose deadline is after now. Exact backends: every one with deadline <= now, in
     * order of deadline. With a tick: at the latest the first call whose now is a tick past it.
     * Pre: now is no smaller than at the last call. */
    size_t (*pop_due)(tri_backend *backend, int64_t now, tri_due *due, size_t max);
    /* Slow; for tests and TARRY_CHECK=2. False: an invariant is broken, and why says which. */
    bool (*check)(const tri_backend *backend, FILE *why);
};

/* The short ways. What is common to every lazy backend needs no call of it, and next to nothing but
 * two stores: as long as a slot has a key, the backend will look at it by then, and see what became
 * of it. A backend that is not lazy leaves the key at TRI_NEVER and is always called.
 *
 * They count instructions: with many timers the slot is a cache miss, and what hides it is the
 * calls after this one that fit into the processor's window. */

/* More dead entries than a backend keeps without cleaning up: three for four live ones. */
static inline bool tri_backend_is_crowded(const tri_backend *backend) {
    return backend->entries > backend->live + backend->live / 4 * 3 + 64;
}

/* As add or move. True: that is done, and the slot is not the earliest; false: nothing is done. */
static inline bool tri_backend_set_shortly(tri_backend *backend, tri_slot *slot, int64_t deadline) {
    const int64_t before = slot->deadline;
    if (deadline < slot->key || deadline < backend->earliest || before == backend->earliest)
        return false;
    backend->live += before == TRI_NEVER;
    slot->deadline = deadline;
    return true;
}

/* As remove. False: nothing is done. Pre: the slot is in it. */
static inline bool tri_backend_remove_shortly(tri_backend *backend, tri_slot *slot) {
    if (slot->key == TRI_NEVER || slot->deadline == backend->earliest ||
        tri_backend_is_crowded(backend))
        return false;
    slot->deadline = TRI_NEVER;
    --backend->live;
    return true;
}

/* The backend of that name, or NULL. */
const tri_backend_ops *tri_backend_find(const char *name);
/* The i-th backend, or NULL past the last: for tools and tests that go through all. */
const tri_backend_ops *tri_backend_at(size_t i);

extern const tri_backend_ops tri_backend_heap;
extern const tri_backend_ops tri_backend_tiered;
extern const tri_backend_ops tri_backend_wheel;

#endif
