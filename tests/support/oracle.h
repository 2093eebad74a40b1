/* The plainest order of deadlines there is: a sorted list. What a backend answers is held against
 * what this one knows. */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include <stddef.h>
#include <stdint.h>

/* As a deadline: not in the list. Greater than every deadline. */
#define ORACLE_NEVER INT64_MAX

typedef struct oracle_item {
    int64_t deadline;
    uint32_t slot;
} oracle_item;

typedef struct oracle {
    oracle_item *list;  /* sorted by deadline, then by slot */
    size_t count;
    int64_t *deadlines; /* by slot */
} oracle;

/* For slots 0 .. slots - 1, all of them ORACLE_NEVER. */
void oracle_init(oracle *o, uint32_t slots);
void oracle_fini(oracle *o);

/* Put a slot in, move it, or take it out with ORACLE_NEVER. */
void oracle_set(oracle *o, uint32_t slot, int64_t deadline);

static inline int64_t oracle_deadline(const oracle *o, uint32_t slot) {
    return o->deadlines[slot];
}

/* The earliest deadline, or ORACLE_NEVER. */
static inline int64_t oracle_first(const oracle *o) {
    return o->count != 0 ? o->list[0].deadline : ORACLE_NEVER;
}

#endif
