/* A backend and a sorted list do the same things; each answer of the one is held against the other.
 * The first answer that is wrong is reported as a CUnit failure, with the seed and the step. */
#ifndef TEST_DUEL_H
#define TEST_DUEL_H

#include "bed.h"
#include "oracle.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct duel_options {
    uint64_t seed;
    uint64_t steps;
    uint32_t slots;
    int64_t start;   /* the clock's first now */
    int64_t tick_ns; /* for an exact backend too: its boundaries are where deadlines are put */
} duel_options;

typedef struct duel {
    bed bed;
    oracle oracle;
    int64_t now;
    duel_options options;
    uint64_t random;
    uint64_t step;
    bool lost; /* an answer was wrong; nothing is asked any more */
} duel;

void duel_init(duel *d, const tri_backend_ops *ops, const duel_options *options);
void duel_fini(duel *d);

/* Each returns whether the answer was right. */

/* Checked: "it is now the earliest" is said whenever it is so; an exact backend does not say it
 * where a deadline is known to be earlier. */
bool duel_arm(duel *d, uint32_t slot, int64_t deadline);
bool duel_stop(duel *d, uint32_t slot);
/* Checked: not later than the earliest deadline (with a tick: than the end of its tick, or than now
 * where it has passed), TRI_NEVER exactly when none is pending; and asking on, an exact backend
 * names it exactly. */
bool duel_next(duel *d);
/* Checked: nothing early, nothing twice, nothing left behind; an exact backend's order. */
bool duel_pop(duel *d, int64_t now, size_t max);
/* Let time go on to the last of them: one ns before the next deadline, at it, and behind it by
 * `step`, which is no less than a tick. What lies in the last tick of all time stays. */
void duel_walk(duel *d, int64_t step);
/* Checked: the backend's own invariants. */
bool duel_sound(duel *d);

/* Random steps, with deadlines and jumps of the clock around every boundary of a wheel and at both
 * ends of time. */
bool duel_random(const tri_backend_ops *ops, const duel_options *options);

#endif
