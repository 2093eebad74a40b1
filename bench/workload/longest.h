/* The time of each operation of a sequence, as the minimum over identical repeats of the sequence:
 * what the machine did now and then (interrupts, preemption) falls away, what the structure does
 * at that very operation stays. */
#ifndef WORKLOAD_LONGEST_H
#define WORKLOAD_LONGEST_H

#include "report/row.h"

typedef struct longest {
    uint32_t *least; /* ns */
    size_t room, at, used;
} longest;

/* room: operations of the sequence, at most. 0 or -ENOMEM. */
int longest_init(longest *l, size_t room);
void longest_free(longest *l);
/* The sequence begins anew. */
void longest_rewind(longest *l);
/* The time of its next operation. Operations past the room are not kept. */
static inline void longest_add(longest *l, int64_t ns) {
    if (l->at == l->room) return;
    if (ns < 0) ns = 0;
    if (ns > UINT32_MAX) ns = UINT32_MAX;
    if ((uint32_t)ns < l->least[l->at]) l->least[l->at] = (uint32_t)ns;
    if (++l->at > l->used) l->used = l->at;
}
/* Fills ops, ns_per_op and p50 to max. Sorts: no more times can be added. */
void longest_row(longest *l, row *r);

#endif
