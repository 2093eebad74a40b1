/* A backend alone: no runtime, no lock, no clock around it. The slots are the bed's; memory is
 * counted and can be made to fail. */
#ifndef TEST_BED_H
#define TEST_BED_H

#include "backend/backend.h"
#include "counting.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct bed {
    counting counting;
    tri_memory memory;
    tri_slots slots;
    const tri_backend_ops *ops;
    tri_backend *backend;
    int64_t tick_ns; /* how late its order may be; 0 for an exact one */
} bed;

/* Slots 0 .. slots - 1 exist, none is in the backend, and there is room for all. */
void bed_init(bed *b, const tri_backend_ops *ops, int64_t tick_ns, int64_t now, uint32_t slots);
/* A CUnit failure if memory is left. */
void bed_fini(bed *b);

/* Only the slots and the memory; a test makes the backend itself. */
void bed_init_bare(bed *b, const tri_backend_ops *ops, uint32_t slots);
int bed_make(bed *b, int64_t tick_ns, int64_t now);

static inline tri_slot *bed_slot(const bed *b, uint32_t slot) {
    return tri_slot_at(&b->slots, slot);
}

static inline bool bed_pending(const bed *b, uint32_t slot) {
    return bed_slot(b, slot)->deadline != TRI_NEVER;
}

/* add or move, as it has to be. */
static inline bool bed_arm(bed *b, uint32_t slot, int64_t deadline) {
    return bed_pending(b, slot) ? b->ops->move(b->backend, slot, deadline)
                                : b->ops->add(b->backend, slot, deadline);
}

static inline void bed_stop(bed *b, uint32_t slot) {
    b->ops->remove(b->backend, slot);
}

static inline size_t bed_pop(bed *b, int64_t now, tri_due *due, size_t max) {
    return b->ops->pop_due(b->backend, now, due, max);
}

static inline int64_t bed_next(bed *b) {
    return b->ops->next(b->backend);
}

/* What is broken is printed on standard error. */
static inline bool bed_sound(const bed *b) {
    return b->ops->check(b->backend, stderr);
}

/* Run body on each backend, on one that may have a tick without it and then with it; its name
 * stands before each failure. */
void bed_each(void (*body)(const tri_backend_ops *ops));

#define ON_EACH_BACKEND(name)                              \
    static void name##_on(const tri_backend_ops *ops);     \
    static void name(void) {                               \
        bed_each(name##_on);                               \
    }                                                      \
    static void name##_on(const tri_backend_ops *ops)
/* An entry of TEST_SUITE, named as its function. */
#define CASE(name) { #name, name }

#endif
