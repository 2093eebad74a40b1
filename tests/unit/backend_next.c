/* Shows: `next` skips what was stopped or moved away, in bounded steps; with it known, add and move
 * tell exactly what became the earliest; the table names each backend once. */
#include "backend/lazy.h"
#include "bed.h"
#include "check.h"
#include "suite.h"


enum { TICK = 1000000 };

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

/* Ask until the answer no longer changes. */
static int64_t settled_next(bed *b) {
    int64_t next = bed_next(b), before;
    do {
        before = next;
        next = bed_next(b);
    } while (next != before);
    return next;
}

/* An exact backend names the deadline; one with a tick, a point on the way that is not before the
 * given one. */
static bool waits_for(bed *b, int64_t deadline, int64_t not_before) {
    const int64_t next = settled_next(b);
    return b->tick_ns == 0 ? CHECK_INT(next, deadline)
                           : CHECK(next > not_before && next <= deadline + b->tick_ns);
}

ON_EACH_BACKEND(stopped_heads_wake_nobody) {
    bed b;
    bed_init(&b, ops, TICK, 0, 101);
    bed_arm(&b, 100, HOUR);
    for (uint32_t i = 0; i < 100; ++i) bed_arm(&b, i, SECOND + i * TICK);
    waits_for(&b, SECOND, 0);
    for (uint32_t i = 0; i < 100; ++i) bed_stop(&b, i);
    waits_for(&b, HOUR, 2 * SECOND);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(stopped_heads_close_by_wake_nobody) {
    bed b;
    bed_init(&b, ops, TICK, 0, 1001);
    bed_arm(&b, 1000, HOUR);
    for (uint32_t i = 0; i < 1000; ++i) bed_arm(&b, i, 20 * TICK + i * (TICK / 10));
    for (uint32_t i = 0; i < 1000; ++i) bed_stop(&b, i);
    waits_for(&b, HOUR, 2 * SECOND);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(heads_that_were_moved_away_wake_nobody) {
    bed b;
    bed_init(&b, ops, TICK, 0, 100);
    for (uint32_t i = 0; i < 100; ++i) bed_arm(&b, i, SECOND + i * TICK);
    for (uint32_t i = 0; i < 100; ++i) bed_arm(&b, i, HOUR + i * TICK);
    waits_for(&b, HOUR, 2 * SECOND);
    bed_arm(&b, 7, 5 * SECOND);
    waits_for(&b, 5 * SECOND, 0);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(one_tick_later_is_not_the_same_tick) {
    static const int64_t ticks[] = { 10, 255, 256, 1 << 14, 1 << 20 };
    bed b;
    bed_init(&b, ops, TICK, 0, 1);
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; ++i) {
        bed_arm(&b, 0, ticks[i] * TICK);
        bed_arm(&b, 0, (ticks[i] + 1) * TICK);
        waits_for(&b, (ticks[i] + 1) * TICK, ticks[i] * TICK - TICK);
        if (ticks[i] < 256) CHECK_INT(settled_next(&b), (ticks[i] + 1) * TICK);
        /* It is at its place now: to look again puts it nowhere else. */
        const uint32_t mark = bed_slot(&b, 0)->mark;
        settled_next(&b);
        CHECK_INT(bed_slot(&b, 0)->mark, mark);
        bed_stop(&b, 0);
    }
    bed_fini(&b);
}

/* As many heads as can be dead before the sweep begins, and yet no call throws away more than a
 * few, nor answers with a point that is too late. */
ON_EACH_BACKEND(dead_heads_are_cleaned_away_in_bounded_steps) {
    enum { COUNT = 10000, LIVE = 6000 };
    bed b;
    bed_init(&b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, i < LIVE ? HOUR + i : SECOND + i);
    for (uint32_t i = LIVE; i < COUNT; ++i) bed_stop(&b, i);
    CHECK_INT(b.backend->entries, COUNT);
    size_t before = b.backend->entries;
    for (;;) {
        const int64_t next = bed_next(&b);
        CHECK(next <= HOUR + TICK);
        CHECK(before - b.backend->entries <= TRI_NEXT_LOOKS);
        if (before == b.backend->entries) break;
        before = b.backend->entries;
    }
    CHECK_INT(b.backend->entries, LIVE);
    waits_for(&b, HOUR, 2 * SECOND);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

ON_EACH_BACKEND(what_becomes_the_earliest_is_told) {
    bed b;
    tri_due due[4];
    bed_init(&b, ops, TICK, 0, 4);
    CHECK(bed_arm(&b, 0, 50 * SECOND));
    CHECK(!bed_arm(&b, 1, 60 * SECOND));
    CHECK(!bed_arm(&b, 2, 50 * SECOND));
    CHECK(bed_arm(&b, 3, 50 * SECOND - 1));
    CHECK(!bed_arm(&b, 1, 55 * SECOND));
    CHECK(bed_arm(&b, 1, 40 * SECOND));
    /* Who was the earliest goes: before next has looked, a yes too many is allowed, a no is not. */
    bed_stop(&b, 1);
    CHECK(bed_arm(&b, 1, 45 * SECOND));
    bed_stop(&b, 1);
    settled_next(&b);
    CHECK(!bed_arm(&b, 1, 50 * SECOND + TICK));
    CHECK(bed_arm(&b, 1, 30 * SECOND));
    CHECK_INT(bed_pop(&b, 30 * SECOND, due, 4), 1);
    settled_next(&b);
    CHECK(!bed_arm(&b, 1, 50 * SECOND + TICK));
    CHECK(bed_arm(&b, 1, 49 * SECOND));
    bed_fini(&b);
}

/* The earliest, moved to a later point that is still the earliest: told again. */
ON_EACH_BACKEND(the_earliest_stays_the_earliest) {
    bed b;
    bed_init(&b, ops, TICK, 0, 2);
    bed_arm(&b, 0, 10 * SECOND);
    bed_arm(&b, 1, 50 * SECOND);
    settled_next(&b);
    CHECK(bed_arm(&b, 0, 20 * SECOND));
    waits_for(&b, 20 * SECOND, 0);
    CHECK(!bed_arm(&b, 1, 60 * SECOND));
    bed_fini(&b);
}

static void the_table_names_each_once(void) {
    size_t count = 0;
    for (; tri_backend_at(count) != NULL; ++count) {
        const tri_backend_ops *ops = tri_backend_at(count);
        CHECK(tri_backend_find(ops->name) == ops);
    }
    CHECK_INT(count, 3);
    CHECK(tri_backend_find("heap") == &tri_backend_heap && tri_backend_heap.tick == TRI_TICK_NONE);
    CHECK(tri_backend_find("tiered") == &tri_backend_tiered &&
          tri_backend_tiered.tick == TRI_TICK_OPTIONAL);
    CHECK(tri_backend_find("wheel") == &tri_backend_wheel &&
          tri_backend_wheel.tick == TRI_TICK_NEEDED);
    static const char *const unknown[] = { "", "Heap", "heap ", "tier", "whee", "wheels", "tree" };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
        CHECK(tri_backend_find(unknown[i]) == NULL);
}

TEST_SUITE("backend_next", 60, CASE(stopped_heads_wake_nobody),
           CASE(stopped_heads_close_by_wake_nobody),
           CASE(heads_that_were_moved_away_wake_nobody),
           CASE(one_tick_later_is_not_the_same_tick),
           CASE(dead_heads_are_cleaned_away_in_bounded_steps),
           CASE(what_becomes_the_earliest_is_told), CASE(the_earliest_stays_the_earliest),
           CASE(the_table_names_each_once))
