/* Shows: around the edge of every slot of every level of a wheel, and wherever the clock stands,
 * nothing fires early or more than a tick late, a sleeper who goes by `next` alone is on time, and
 * no jump of the clock is too far. */
#include "check.h"
#include "duel.h"
#include "random.h"
#include "suite.h"

enum { TICK = 1000, LEVELS = 5, SIDES = 15 };

static const struct {
    unsigned bits, slots;
} levels[LEVELS] = { { 0, 256 }, { 8, 64 }, { 14, 64 }, { 20, 64 }, { 26, 64 } };

enum { POINTS = (256 + 4 * 64 + 1) * SIDES };

/* In ticks. Before, on and behind the boundaries of each level, and not on any. */
static const int64_t starts[] = {
    0, 1, -1, 255, 256, -256, (1 << 14) - 1, 1 << 14, (1 << 20) - 1, -(1 << 20) + 1, (1 << 26) - 1,
    (1 << 26) + 255, (INT64_C(1) << 32) - 1, INT64_C(1) << 32, 123456789, -987654321,
};

enum { STARTS = sizeof starts / sizeof *starts };

/* Two ticks to either side, and one ns to either side of each of those. */
static int64_t side(unsigned i) {
    return ((int64_t)(i / 3) - 2) * TICK + (int64_t)(i % 3) - 1;
}

static void arm_all_edges(duel *d) {
    uint32_t slot = 0;
    for (unsigned level = 0; level < LEVELS; ++level)
        for (unsigned i = 1; i <= levels[level].slots + (level == LEVELS - 1); ++i)
            for (unsigned s = 0; s < SIDES; ++s) {
                const int64_t span = ((int64_t)i << levels[level].bits) * TICK;
                duel_arm(d, slot++, d->now + span + side(s));
            }
    CHECK_INT(slot, POINTS);
}

ON_EACH_BACKEND(every_edge_of_every_slot) {
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        const int64_t start = starts[i] * TICK + (int64_t)(i % 3) - 1;
        duel_init(&d, ops, &(duel_options){ .slots = POINTS, .start = start, .tick_ns = TICK });
        arm_all_edges(&d);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* All that lies before a jump fires with it, in the order of its ticks. */
ON_EACH_BACKEND(a_jump_past_every_edge) {
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = POINTS, .start = starts[i] * TICK,
                                            .tick_ns = TICK });
        arm_all_edges(&d);
        const int64_t to = d.now + (INT64_C(1) << 33) * TICK;
        while (!d.lost && d.oracle.count != 0) duel_pop(&d, to, 7);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* Returns how many turns the sleeper made; the last one fires. */
static unsigned sleep_by_next(duel *d) {
    unsigned turns = 0;
    while (!d->lost && d->oracle.count != 0 && turns < 100) {
        duel_next(d);
        const int64_t next = bed_next(&d->bed);
        duel_pop(d, next > d->now ? next : d->now, 1);
        ++turns;
    }
    return turns;
}

/* A wheel's sleeper wakes where slots begin, but never more often than there are levels. */
ON_EACH_BACKEND(a_sleeper_who_goes_by_next_is_on_time) {
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = 1, .start = starts[i] * TICK + 1,
                                            .tick_ns = TICK });
        for (unsigned bits = 0; bits < 33; ++bits)
            for (unsigned s = 0; s < SIDES; ++s) {
                const int64_t deadline = d.now + ((INT64_C(1) << bits) + 3) * TICK + side(s);
                duel_arm(&d, 0, deadline);
                const unsigned turns = sleep_by_next(&d);
                CHECK(turns >= 1 && turns <= (d.bed.tick_ns == 0 ? 1 : LEVELS + 1));
                CHECK(d.now >= deadline && (d.now == deadline || d.now - deadline < d.bed.tick_ns));
            }
        duel_fini(&d);
    }
}

/* To walk the ticks in between would take longer than the watchdog lives. */
ON_EACH_BACKEND(empty_ticks_are_not_walked) {
    duel d;
    duel_init(&d, ops, &(duel_options){ .slots = 64, .start = INT64_MIN, .tick_ns = 1 });
    for (unsigned i = 0; i < 63; ++i) duel_arm(&d, i, INT64_MIN + (INT64_C(1) << i));
    duel_arm(&d, 63, 0);
    for (int64_t now = INT64_MIN; !d.lost && now < 0; now /= 2) duel_pop(&d, now, 1);
    duel_pop(&d, INT64_MAX - 1, 64);
    CHECK_INT(d.oracle.count, 0);
    duel_fini(&d);
}

static int64_t tick_of(int64_t deadline) {
    return deadline / TICK + (deadline % TICK > 0);
}

ON_EACH_BACKEND(ticks_fire_in_order) {
    enum { COUNT = 3000 };
    bed b;
    tri_due due[5];
    uint64_t random = 11;
    bed_init(&b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
        bed_arm(&b, i, (int64_t)(test_random(&random) >> (20 + test_random_below(&random, 40))));
    int64_t last = 0;
    size_t count, fired = 0;
    while ((count = bed_pop(&b, INT64_C(1) << 45, due, 5)) != 0)
        for (size_t i = 0; i < count; ++i, ++fired) {
            if (!CHECK(tick_of(due[i].deadline) >= tick_of(last))) return;
            last = due[i].deadline;
        }
    CHECK_INT(fired, COUNT);
    bed_fini(&b);
}

/* Whoever fires arms itself for now again, as a callback may, while others are due. */
ON_EACH_BACKEND(what_is_armed_for_now_fires_behind_what_is_due) {
    enum { COUNT = 100, NOW = 50 * TICK };
    bed b;
    tri_due due;
    bool fired[COUNT] = { false };
    bed_init(&b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, NOW - 1 - i % 7);
    for (uint32_t i = 0; i < COUNT; ++i) {
        CHECK_INT(bed_pop(&b, NOW, &due, 1), 1);
        CHECK(!fired[due.slot]);
        fired[due.slot] = true;
        bed_arm(&b, due.slot, NOW);
    }
    bed_fini(&b);
}

/* What fires, folded into one number. */
static uint64_t story(const tri_backend_ops *ops) {
    bed b;
    tri_due due[16];
    uint64_t random = 5, told = 0;
    bed_init(&b, ops, TICK, 0, 500);
    for (int64_t now = 0; now < 20000 * TICK; now += TICK / 2) {
        bed_arm(&b, (uint32_t)test_random_below(&random, 500),
                now + (int64_t)test_random_below(&random, 1000) * TICK);
        const size_t count = bed_pop(&b, now, due, 16);
        for (size_t i = 0; i < count; ++i) told = told * 31 + due[i].slot;
    }
    bed_fini(&b);
    return told;
}

/* At other addresses, so that those cannot matter. */
ON_EACH_BACKEND(equal_calls_give_equal_results) {
    bed in_the_way;
    const uint64_t first = story(ops);
    bed_init(&in_the_way, ops, TICK, 0, 500);
    CHECK_INT(story(ops), first);
    bed_fini(&in_the_way);
}

TEST_SUITE("backend_boundaries", 120, CASE(every_edge_of_every_slot), CASE(a_jump_past_every_edge),
           CASE(a_sleeper_who_goes_by_next_is_on_time), CASE(empty_ticks_are_not_walked),
           CASE(ticks_fire_in_order), CASE(what_is_armed_for_now_fires_behind_what_is_due),
           CASE(equal_calls_give_equal_results))
