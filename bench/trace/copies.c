#include "trace/copies.h"

#include "workload/random.h"

#include <stdlib.h>

typedef struct copies_cursor {
    int64_t next_ns;
    int64_t phase_ns;
    uint64_t copy;
    size_t at; /* in the plan */
} copies_cursor;

static int64_t scaled(const copies *c, int64_t t_ns) {
    return c->speed == 1 ? t_ns : (int64_t)((long double)t_ns / (long double)c->speed);
}

/* Equal times: the lower copy first, so that the order is the same everywhere. */
static bool is_before(const copies_cursor *a, const copies_cursor *b) {
    return a->next_ns != b->next_ns ? a->next_ns < b->next_ns : a->copy < b->copy;
}

static void sink(copies *c, size_t at) {
    const copies_cursor moved = c->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= c->count) break;
        if (child + 1 < c->count && is_before(&c->heap[child + 1], &c->heap[child])) ++child;
        if (!is_before(&c->heap[child], &moved)) break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = moved;
}

bool copies_open(copies *c, const plan *p, int64_t count, double speed, uint64_t seed) {
    *c = (copies){ .plan = p, .speed = speed, .count = (size_t)count };
    c->heap = calloc(c->count, sizeof *c->heap);
    if (c->heap == NULL) return false;
    const int64_t length = scaled(c, p->length_ns);
    for (size_t i = 0; i < c->count; ++i) {
        const int64_t phase = i == 0 ? 0 : random_between(&seed, 0, length + 1);
        c->heap[i] = (copies_cursor){ .copy = i, .phase_ns = phase,
                                      .next_ns = phase + scaled(c, p->ops[0].t_ns) };
    }
    for (size_t at = c->count; at-- > 0;) sink(c, at);
    return true;
}

bool copies_next(copies_op *out, copies *c) {
    if (c->count == 0) return false;
    copies_cursor *first = &c->heap[0];
    const plan_op *op = &c->plan->ops[first->at];
    *out = (copies_op){ .t_ns = first->next_ns, .timer = first->copy * c->plan->ids + op->id,
                        .op = op->op, .first = op->first, .last = op->last };
    out->deadline = op->deadline == TARRY_FOREVER
                        ? TARRY_FOREVER
                        : plan_deadline(out->t_ns, op->deadline - op->t_ns);
    if (++first->at < c->plan->count)
        first->next_ns = first->phase_ns + scaled(c, c->plan->ops[first->at].t_ns);
    else
        *first = c->heap[--c->count];
    if (c->count > 0) sink(c, 0);
    return true;
}

void copies_close(copies *c) {
    free(c->heap);
    *c = (copies){ 0 };
}
