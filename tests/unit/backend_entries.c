/* Shows: entries that nobody needs any more do not pile up (entries <= 2 x live + a constant), no
 * call cleans more than a few of them, and nothing but reserve allocates. */
#include "backend/lazy.h"
#include "bed.h"
#include "check.h"
#include "random.h"
#include "suite.h"

enum { SECOND = 1000000000, TICK = 1000000, CONSTANT = 256 };

static bool few_entries(const bed *b) {
    return b->backend->entries <= 2 * b->backend->live + CONSTANT;
}

/* One call, and what it may cost. */
static void stop_one(bed *b, uint32_t slot) {
    const size_t before = b->backend->entries;
    bed_stop(b, slot);
    const size_t cleaned = before - b->backend->entries;
    if (cleaned > TRI_SWEEP_LOOKS) CHECK_INT(cleaned, TRI_SWEEP_LOOKS);
}

static void arm_one(bed *b, uint32_t slot, int64_t deadline) {
    const size_t before = b->backend->entries;
    bed_arm(b, slot, deadline);
    const size_t cleaned = before + 1 - b->backend->entries;
    if (cleaned > TRI_SWEEP_LOOKS + 1) CHECK_INT(cleaned, TRI_SWEEP_LOOKS + 1);
}

static void drain(bed *b, int64_t now, size_t expected) {
    tri_due due[64];
    size_t count, all = 0;
    while ((count = bed_pop(b, now, due, 64)) != 0) all += count;
    CHECK_INT(all, expected);
    CHECK_INT(bed_next(b), TRI_NEVER);
    CHECK(few_entries(b));
    CHECK(bed_sound(b));
}

ON_EACH_BACKEND(a_million_are_added_and_nearly_all_stopped) {
    enum { COUNT = 1000000, KEPT = COUNT / 20 };
    bed b;
    uint64_t random = 1;
    bed_init(&b, ops, TICK, 0, COUNT);
    const uint64_t calls = b.counting.calls;
    for (uint32_t i = 0; i < COUNT; ++i)
        arm_one(&b, i, SECOND + (int64_t)test_random_below(&random, 59 * (uint64_t)SECOND));
    /* In an order that has nothing to do with deadlines: 611953 and the count have no divisor. */
    for (uint64_t i = 0; i < COUNT - KEPT; ++i) stop_one(&b, (uint32_t)(i * 611953 % COUNT));
    CHECK_INT(b.backend->live, KEPT);
    CHECK(few_entries(&b));
    CHECK_INT(b.counting.calls, calls);
    CHECK(bed_sound(&b));
    drain(&b, INT64_C(60) * SECOND + TICK, KEPT);
    bed_fini(&b);
}

/* Deadlines as a server's request timeouts: armed, stopped, armed again, none fires. */
ON_EACH_BACKEND(add_and_stop_for_ever) {
    enum { COUNT = 1000, ROUNDS = 300000 };
    bed b;
    uint64_t random = 2;
    int64_t now = 0;
    tri_due due[1];
    bed_init(&b, ops, TICK, now, COUNT);
    const uint64_t calls = b.counting.calls;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
        const int64_t delay = INT64_C(4) * SECOND + (int64_t)test_random_below(&random, SECOND);
        now += 10000;
        if (bed_pending(&b, slot))
            stop_one(&b, slot);
        else
            arm_one(&b, slot, now + delay);
        if (!few_entries(&b) && !CHECK(few_entries(&b))) break;
        if (i % 64 == 0) bed_pop(&b, now, due, 1);
    }
    CHECK_INT(b.counting.calls, calls);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

/* Each move to an earlier deadline leaves an entry behind, at full room: all slots are live. */
ON_EACH_BACKEND(reset_to_earlier_for_ever) {
    enum { COUNT = 1000, ROUNDS = 300 };
    bed b;
    bed_init(&b, ops, TICK, 0, COUNT);
    const uint64_t calls = b.counting.calls;
    int64_t deadline = INT64_C(1000) * SECOND;
    for (unsigned round = 0; round < ROUNDS; ++round, deadline -= SECOND)
        for (uint32_t i = 0; i < COUNT; ++i) {
            arm_one(&b, i, deadline);
            if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
        }
    CHECK_INT(b.counting.calls, calls);
    drain(&b, INT64_C(1000) * SECOND, COUNT);
    bed_fini(&b);
}

/* The same with deadlines that have passed. */
ON_EACH_BACKEND(reset_to_earlier_in_the_past_for_ever) {
    enum { COUNT = 1000, ROUNDS = 100 };
    bed b;
    bed_init(&b, ops, TICK, 0, COUNT);
    const uint64_t calls = b.counting.calls;
    for (int64_t round = 0; round < ROUNDS; ++round)
        for (uint32_t i = 0; i < COUNT; ++i) {
            arm_one(&b, i, -round * SECOND - i);
            if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
        }
    CHECK_INT(b.counting.calls, calls);
    CHECK(bed_sound(&b));
    drain(&b, 0, COUNT);
    bed_fini(&b);
}

/* Dead entries with the very key of the live one: earlier, later, and back to the same points. */
ON_EACH_BACKEND(equal_keys_for_ever) {
    enum { COUNT = 100, ROUNDS = 3000 };
    bed b;
    tri_due due[1];
    bed_init(&b, ops, TICK, 0, COUNT);
    for (unsigned round = 0; round < ROUNDS; ++round)
        for (uint32_t i = 0; i < COUNT; ++i) {
            arm_one(&b, i, 20 * (int64_t)SECOND);
            arm_one(&b, i, 10 * (int64_t)SECOND);
            if (round % 2 == 0) stop_one(&b, i);
            if (round % 7 == 0) bed_pop(&b, 0, due, 1);
            if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
        }
    CHECK(bed_sound(&b));
    drain(&b, 20 * (int64_t)SECOND, COUNT);
    bed_fini(&b);
}

/* Fired, and armed anew for an earlier point than the entries that earlier armings left. */
ON_EACH_BACKEND(fire_and_arm_for_ever) {
    enum { COUNT = 100, ROUNDS = 100000 };
    bed b;
    tri_due due[COUNT];
    uint64_t random = 3;
    bed_init(&b, ops, TICK, 0, COUNT);
    for (int64_t now = 0; now < ROUNDS; ++now) {
        const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
        arm_one(&b, slot, now * TICK + 100 * (int64_t)SECOND);
        arm_one(&b, slot, now * TICK + 1);
        bed_pop(&b, (now + 1) * TICK, due, COUNT);
        if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
    }
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

/* One deadline for each, to which it comes back after every firing, and each time it is nearer: old
 * entries for it may lie in several places. */
ON_EACH_BACKEND(back_to_the_same_deadline_for_ever) {
    enum { COUNT = 300, ROUNDS = 1200 };
    bed b;
    tri_due due[COUNT];
    bed_init(&b, ops, TICK, 0, COUNT);
    for (int64_t round = 0; round < ROUNDS; ++round) {
        const int64_t now = round * SECOND;
        for (uint32_t i = 0; i < COUNT; ++i) {
            arm_one(&b, i, (int64_t)ROUNDS * SECOND + i);
            arm_one(&b, i, now + 1);
            if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
        }
        bed_pop(&b, now + TICK, due, COUNT);
        CHECK_INT(b.backend->live, 0);
    }
    CHECK(bed_sound(&b));
    for (uint32_t i = 0; i < COUNT; ++i) arm_one(&b, i, (int64_t)ROUNDS * SECOND + i);
    drain(&b, (int64_t)ROUNDS * SECOND + TICK, COUNT);
    bed_fini(&b);
}

/* A sleeper asks while they go: what it has brought near is cleaned up, too. */
ON_EACH_BACKEND(next_in_between_leaves_nothing_behind) {
    enum { COUNT = 1000 };
    bed b;
    tri_due due[1];
    uint64_t random = 4;
    bed_init(&b, ops, TICK, 0, COUNT);
    for (unsigned round = 0; round < 100; ++round) {
        for (uint32_t i = 0; i < COUNT; ++i) {
            arm_one(&b, i, INT64_C(3600) * SECOND + i * 100);
            if (test_random_below(&random, 700) == 0) bed_next(&b);
        }
        for (uint32_t i = 0; i < COUNT; ++i) {
            stop_one(&b, i);
            if (test_random_below(&random, 700) == 0) bed_next(&b);
            if (!few_entries(&b) && !CHECK(few_entries(&b))) return;
        }
        bed_pop(&b, round, due, 1);
    }
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

/* The last one goes: nothing is pending, whatever entries are left, and all can begin again. */
ON_EACH_BACKEND(the_last_one_goes) {
    enum { COUNT = 20 };
    bed b;
    tri_due due[COUNT];
    bed_init(&b, ops, TICK, 0, COUNT);
    for (unsigned round = 1; round <= 50; ++round) {
        for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, (int64_t)round * SECOND + i);
        for (uint32_t i = 0; i < COUNT; ++i) bed_stop(&b, i);
        CHECK_INT(bed_next(&b), TRI_NEVER);
        CHECK_INT(b.backend->live, 0);
        CHECK(few_entries(&b));
        if (round % 2 == 0) CHECK_INT(bed_pop(&b, (int64_t)round * SECOND, due, COUNT), 0);
        if (round % 2 == 0) CHECK_INT(bed_next(&b), TRI_NEVER);
        CHECK(bed_sound(&b));
    }
    for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, INT64_C(100) * SECOND + i);
    CHECK_INT(bed_pop(&b, INT64_C(99) * SECOND, due, COUNT), 0);
    CHECK(bed_next(&b) <= INT64_C(100) * SECOND + TICK);
    drain(&b, INT64_C(100) * SECOND + TICK, COUNT);
    bed_fini(&b);
}

/* Slots that are still in it are forgotten: their memory may go in any order. */
ON_EACH_BACKEND(fini_with_pending_slots) {
    bed b;
    bed_init(&b, ops, TICK, 0, 100);
    for (uint32_t i = 0; i < 100; ++i) bed_arm(&b, i, (int64_t)i * SECOND);
    ops->fini(b.backend);
    b.backend = NULL;
    for (uint32_t i = 0; i < 100; ++i) CHECK_INT(bed_slot(&b, i)->deadline, (int64_t)i * SECOND);
    bed_fini(&b);
}

TEST_SUITE("backend_entries", 120, CASE(a_million_are_added_and_nearly_all_stopped),
           CASE(add_and_stop_for_ever), CASE(reset_to_earlier_for_ever),
           CASE(reset_to_earlier_in_the_past_for_ever), CASE(equal_keys_for_ever),
           CASE(fire_and_arm_for_ever), CASE(back_to_the_same_deadline_for_ever),
           CASE(next_in_between_leaves_nothing_behind), CASE(the_last_one_goes),
           CASE(fini_with_pending_slots))
