#include "oracle.h"

#include <stdlib.h>
#include <string.h>

void oracle_init(oracle *o, uint32_t slots) {
    o->count = 0;
    o->list = calloc(slots, sizeof *o->list);
    o->deadlines = calloc(slots, sizeof *o->deadlines);
    if (o->list == NULL || o->deadlines == NULL) abort();
    for (uint32_t i = 0; i < slots; ++i) o->deadlines[i] = ORACLE_NEVER;
}

void oracle_fini(oracle *o) {
    free(o->list);
    free(o->deadlines);
}

/* How many items stand before this one. */
static size_t place_of(const oracle *o, oracle_item item) {
    size_t low = 0, high = o->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const oracle_item at = o->list[middle];
        if (at.deadline < item.deadline || (at.deadline == item.deadline && at.slot < item.slot))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_out(oracle *o, uint32_t slot) {
    const size_t place = place_of(o, (oracle_item){ o->deadlines[slot], slot });
    --o->count;
    memmove(&o->list[place], &o->list[place + 1], (o->count - place) * sizeof *o->list);
}

static void put_in(oracle *o, oracle_item item) {
    const size_t place = place_of(o, item);
    memmove(&o->list[place + 1], &o->list[place], (o->count - place) * sizeof *o->list);
    o->list[place] = item;
    ++o->count;
}

void oracle_set(oracle *o, uint32_t slot, int64_t deadline) {
    if (o->deadlines[slot] != ORACLE_NEVER) take_out(o, slot);
    o->deadlines[slot] = deadline;
    if (deadline != ORACLE_NEVER) put_in(o, (oracle_item){ deadline, slot });
}
