/* Shows: check finds what is broken and says so, so that "check passed" in other tests means
 * something. Only what every backend has in common is broken here, from outside. */
#include "bed.h"
#include "check.h"
#include "random.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { TICK = 1000000, COUNT = 400, STOPPED = 100 };

/* Slots below STOPPED are stopped, and their entries still lie there; some have a dead one too. */
static void prepare(bed *b, const tri_backend_ops *ops) {
    uint64_t random = 4;
    bed_init(b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
        bed_arm(b, i, (int64_t)test_random_below(&random, INT64_C(5000) * TICK));
    for (uint32_t i = 200; i < 300; ++i) bed_arm(b, i, bed_slot(b, i)->deadline / 2);
    for (uint32_t i = 0; i < STOPPED; ++i) bed_stop(b, i);
    CHECK(bed_sound(b));
}

/* check says no, and why, in lines that begin with the backend's name. */
static bool finds_it(const bed *b) {
    char *text = NULL;
    size_t size = 0;
    FILE *why = open_memstream(&text, &size);
    const bool sound = b->ops->check(b->backend, why);
    fclose(why);
    const bool told = strncmp(text, b->ops->name, strlen(b->ops->name)) == 0;
    free(text);
    return !sound && told;
}

/* Break a slot, see it found, mend it. */
#define BREAK(b, slot, change)                       \
    do {                                             \
        const tri_slot whole = *bed_slot(b, slot);   \
        change;                                      \
        CHECK(finds_it(b));                          \
        *bed_slot(b, slot) = whole;                  \
        CHECK(bed_sound(b));                         \
    } while (0)

ON_EACH_BACKEND(a_slot_that_would_be_looked_at_too_late) {
    bed b;
    prepare(&b, ops);
    for (uint32_t i = STOPPED; i < COUNT; i += 13)
        BREAK(&b, i, bed_slot(&b, i)->deadline = bed_slot(&b, i)->key - 1);
    bed_fini(&b);
}

ON_EACH_BACKEND(a_key_that_is_not_the_entrys) {
    bed b;
    prepare(&b, ops);
    for (uint32_t i = STOPPED; i < COUNT; i += 13) BREAK(&b, i, bed_slot(&b, i)->key -= 2 * TICK);
    bed_fini(&b);
}

ON_EACH_BACKEND(a_slot_without_an_entry) {
    bed b;
    prepare(&b, ops);
    for (uint32_t i = 0; i < COUNT; i += 13) BREAK(&b, i, ++bed_slot(&b, i)->mark);
    bed_fini(&b);
}

/* The version of the entry that the move to earlier left dead. */
ON_EACH_BACKEND(a_dead_entry_that_is_taken_for_the_current_one) {
    bed b;
    prepare(&b, ops);
    for (uint32_t i = 200; i < 300; i += 7) BREAK(&b, i, --bed_slot(&b, i)->mark);
    bed_fini(&b);
}

ON_EACH_BACKEND(a_live_slot_that_is_not_counted) {
    bed b;
    prepare(&b, ops);
    BREAK(&b, 5, bed_slot(&b, 5)->deadline = bed_slot(&b, 5)->key);
    BREAK(&b, 300, bed_slot(&b, 300)->deadline = TRI_NEVER);
    ++b.backend->live;
    CHECK(finds_it(&b));
    --b.backend->live;
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(an_earliest_deadline_that_is_nobodys) {
    bed b;
    prepare(&b, ops);
    bed_next(&b);
    const int64_t earliest = b.backend->earliest;
    CHECK(earliest != TRI_NEVER);
    b.backend->earliest = earliest + 1;
    CHECK(finds_it(&b));
    b.backend->earliest = earliest;
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(an_entry_that_is_not_counted) {
    bed b;
    prepare(&b, ops);
    --b.backend->entries;
    CHECK(finds_it(&b));
    ++b.backend->entries;
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(an_entry_that_names_no_slot) {
    bed b;
    prepare(&b, ops);
    b.slots.made = 350;
    CHECK(finds_it(&b));
    b.slots.made = COUNT;
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

TEST_SUITE("backend_check", 60, CASE(a_slot_that_would_be_looked_at_too_late),
           CASE(a_key_that_is_not_the_entrys), CASE(a_slot_without_an_entry),
           CASE(a_dead_entry_that_is_taken_for_the_current_one),
           CASE(a_live_slot_that_is_not_counted), CASE(an_earliest_deadline_that_is_nobodys),
           CASE(an_entry_that_is_not_counted),
           CASE(an_entry_that_names_no_slot))
