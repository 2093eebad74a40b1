/* K copies of a plan as one stream of operations in order of time.
 *
 * Copy 0 is the trace as it is; each other one is shifted by a phase of its own, drawn from the
 * seed, uniform over the trace's length. Nothing wraps: at the beginning and the end of the stream
 * fewer copies are under way.
 * A speed of S divides the time between operations by S and leaves delays as they are: a program
 * S times as busy with the same timeouts, so S times as many are pending, and more of them are
 * armed again or cancelled before they are due. */
#ifndef TRACE_COPIES_H
#define TRACE_COPIES_H

#include "trace/plan.h"

typedef struct copies_op {
    int64_t t_ns;
    int64_t deadline;
    uint64_t timer; /* copy * plan->ids + id */
    char op;
    bool first, last;
} copies_op;

typedef struct copies {
    const plan *plan;
    double speed;
    struct copies_cursor *heap; /* of the copies under way, the earliest next operation first */
    size_t count;
} copies;

/* speed > 0. False: no memory. */
bool copies_open(copies *c, const plan *p, int64_t count, double speed, uint64_t seed);
/* False: no more. */
bool copies_next(copies_op *out, copies *c);
void copies_close(copies *c);

#endif
