/* Shows: a backend with overlapped levels keeps every promise at the edges of its slots, whatever
 * lies in one slot, and when it goes from few timers to many and back. All backends do the same. */
#include "check.h"
#include "duel.h"
#include "random.h"
#include "suite.h"

/* The width of a slot of the finest level: of `tiered` with this tick, and of its exact form. */
#define TICK (INT64_C(1) << 21)
#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

enum { LEVELS = 13, RATIO_BITS = 3 };

static const int64_t slots_ahead[] = { 1, 2, 7, 8, 9, 31, 32, 127, 253, 254, 255, 256, 257 };
static const int64_t sides[] = { -TICK - 1, -TICK, -1, 0, 1, TICK, TICK + 1 };

enum {
    AHEAD = sizeof slots_ahead / sizeof *slots_ahead,
    SIDES = sizeof sides / sizeof *sides,
    EDGES = LEVELS * AHEAD * SIDES
};

/* Before, on and behind the edges of a slot of each level, and of its 256 slots. */
static int64_t start_of(unsigned i) {
    const unsigned level = i / 6;
    const unsigned bits = 21 + RATIO_BITS * level + (i % 6 < 3 ? 0 : 8);
    const int64_t edge = INT64_C(1) << (bits < 60 ? bits : 60);
    return (level % 2 == 0 ? edge : -edge) + (int64_t)(i % 3) - 1;
}

enum { STARTS = 6 * LEVELS };

static void arm_edges(duel *d) {
    uint32_t slot = 0;
    for (unsigned level = 0; level < LEVELS; ++level)
        for (unsigned i = 0; i < AHEAD; ++i)
            for (unsigned s = 0; s < SIDES; ++s, ++slot) {
                const int64_t span = test_multiply(slots_ahead[i], TICK << RATIO_BITS * level);
                const int64_t deadline = test_add(test_add(d->now, span), sides[s]);
                duel_arm(d, slot, deadline < INT64_MAX / 2 ? deadline : d->now + slot);
            }
}

ON_EACH_BACKEND(edges_of_slots_at_every_level) {
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        duel_init(&d, ops,
                  &(duel_options){ .slots = EDGES, .start = start_of(i), .tick_ns = TICK });
        arm_edges(&d);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* Many in one slot: spread over it, all but equal, equal, and in clumps. */
static int64_t within(unsigned shape, uint32_t i, uint64_t *random) {
    switch (shape) {
    case 0: return (int64_t)test_random_below(random, TICK);
    case 1: return (int64_t)test_random_below(random, 300);
    case 2: return 77;
    case 3: return (int64_t)(i % 3) * (TICK / 3) + (int64_t)test_random_below(random, 40);
    default: return TICK - 1 - (int64_t)(i % TICK);
    }
}

ON_EACH_BACKEND(whatever_lies_in_one_slot) {
    enum { COUNT = 3000 };
    uint64_t random = 21;
    for (unsigned shape = 0; shape < 5; ++shape)
        for (uint32_t count = 20; count <= COUNT; count = count * 5 / 2) {
            duel d;
            duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
            for (uint32_t i = 0; i < count; ++i)
                duel_arm(&d, i, 60 * SECOND / TICK * TICK + within(shape, i, &random));
            for (uint32_t i = 0; i < count; i += 7) duel_stop(&d, i);
            for (int64_t now = 59 * SECOND; now <= 61 * SECOND; now += TICK / 4)
                do duel_pop(&d, now, 64);
                while (!d.lost && oracle_first(&d.oracle) <= now - TICK);
            duel_sound(&d);
            CHECK_INT(d.oracle.count, 0);
            duel_fini(&d);
        }
}

/* The sleeper asks all the time, timers come and go around the slot that it looks into, and some
 * come before it. */
ON_EACH_BACKEND(next_between_all_else) {
    enum { COUNT = 900 };
    duel d;
    uint64_t random = 22;
    duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
    for (unsigned step = 0; step < 40000 && !d.lost; ++step) {
        const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
        const int64_t near = (int64_t)test_random_below(&random, TICK);
        const int64_t far = (int64_t)(1 + test_random_below(&random, 3)) * 100 * TICK;
        duel_arm(&d, slot, d.now + (step % 3 == 0 ? near : far + near / 16));
        if (step % 5 == 0 && bed_pending(&d.bed, slot)) duel_stop(&d, slot);
        duel_next(&d);
        if (step % 16 == 0) duel_pop(&d, d.now + near, 64);
        if (step % 512 == 0) duel_sound(&d);
    }
    duel_fini(&d);
}

/* Around as many as are kept without levels, up and down. */
ON_EACH_BACKEND(from_few_to_many_and_back) {
    enum { COUNT = 70 };
    duel d;
    uint64_t random = 23;
    duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
    for (unsigned round = 0; round < 300 && !d.lost; ++round) {
        const uint32_t wanted = 40 + (uint32_t)test_random_below(&random, COUNT - 40);
        for (uint32_t i = 0; i < COUNT; ++i) {
            const unsigned bits = 24 + (unsigned)test_random_below(&random, 30);
            const int64_t delay = (int64_t)(test_random(&random) >> bits);
            if (i < wanted && !bed_pending(&d.bed, i)) duel_arm(&d, i, d.now + delay);
            if (i >= wanted && bed_pending(&d.bed, i)) duel_stop(&d, i);
        }
        duel_next(&d);
        duel_pop(&d, d.now + (int64_t)test_random_below(&random, 8 * SECOND), 64);
        duel_sound(&d);
    }
    duel_fini(&d);
}

/* Each entry in a slot of its own, most of them dead: more slots than there is loose room for. */
ON_EACH_BACKEND(entries_that_are_scattered) {
    enum { COUNT = 60 };
    duel d;
    duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
    for (int64_t round = 1; round <= 200 && !d.lost; ++round)
        for (uint32_t i = 0; i < COUNT; ++i) {
            const int64_t ahead = 250 - (round * COUNT + i) % 250;
            duel_arm(&d, i, d.now + (ahead * TICK << RATIO_BITS * (i % 6)));
            if (i % 20 == 0) duel_sound(&d);
        }
    while (!d.lost && d.oracle.count != 0) duel_pop(&d, oracle_first(&d.oracle) + TICK, 64);
    duel_fini(&d);
}

/* So many in one far slot that it would take long to find the first of them: the answer may be its
 * start. Who sleeps until then, and again, is on time, and soon there. */
ON_EACH_BACKEND(next_before_a_far_crowd) {
    enum { COUNT = 20000, TURNS = 12 };
    bed b;
    tri_due due;
    bed_init(&b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, HOUR + i * INT64_C(100));
    unsigned turns = 0;
    int64_t now = 0;
    while (turns < TURNS && bed_pop(&b, now, &due, 1) == 0) {
        const int64_t next = bed_next(&b);
        CHECK(next <= HOUR + TICK);
        now = next > now ? next : now;
        ++turns;
    }
    CHECK(turns < TURNS && now >= HOUR && now <= HOUR + b.tick_ns);
    CHECK(bed_sound(&b));
    bed_fini(&b);
}

/* Slots whose key is another than the one noted; notes them. */
static uint32_t count_moved(bed *b, int64_t *keys, uint32_t count) {
    uint32_t moved = 0;
    for (uint32_t i = 0; i < count; ++i) {
        moved += keys[i] != bed_slot(b, i)->key;
        keys[i] = bed_slot(b, i)->key;
    }
    return moved;
}

/* So many at one point that to bring them there takes long: who comes when next says so finds that
 * no call of it moves them all, and that they are there in time. */
ON_EACH_BACKEND(a_crowd_goes_on_in_pieces) {
    enum { COUNT = 40000, PIECE = 10000, TURNS = 100 };
    static int64_t keys[COUNT];
    bed b;
    tri_due due[64];
    bed_init(&b, ops, TICK, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) bed_arm(&b, i, HOUR);
    count_moved(&b, keys, COUNT);
    unsigned turns = 0;
    int64_t now = 0;
    while (turns++ < TURNS && bed_pop(&b, now, due, 64) == 0) {
        count_moved(&b, keys, COUNT);
        const int64_t next = bed_next(&b);
        CHECK(count_moved(&b, keys, COUNT) <= PIECE);
        CHECK(next > now && next <= HOUR + b.tick_ns);
        now = next;
    }
    CHECK(turns < TURNS && due[63].deadline == HOUR);
    CHECK(bed_sound(&b));
    for (uint32_t fired = 64; fired < COUNT; fired += 64) CHECK_INT(bed_pop(&b, now, due, 64), 64);
    CHECK_INT(b.backend->live, 0);
    bed_fini(&b);
}

/* One that comes in front of a slot that next has begun to look into. */
ON_EACH_BACKEND(what_comes_in_front_of_a_slot_that_is_looked_into) {
    enum { COUNT = 400 };
    for (int64_t before = 0; before < 4; ++before) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
        for (uint32_t i = 0; i < COUNT - 1; ++i) duel_arm(&d, i, 100 * TICK + i * 5000);
        for (uint32_t i = 0; i < 300; ++i) duel_stop(&d, i);
        bed_next(&d.bed);
        duel_arm(&d, COUNT - 1, (100 - before) * TICK + 1);
        duel_arm(&d, 5, (100 - before) * TICK);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

/* As the clock jumps, timers whose time was put off go to a coarser slot, which begins with the one
 * that comes next. */
ON_EACH_BACKEND(a_coarser_slot_that_begins_with_the_next) {
    enum { FEW = 48, COUNT = FEW + 60 };
    for (unsigned level = 0; level < LEVELS - 2; ++level) {
        const int64_t width = TICK << RATIO_BITS * level;
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = 4 * width, .tick_ns = TICK });
        for (uint32_t i = 0; i < FEW; ++i) duel_arm(&d, i, INT64_MAX / 2 + i);
        for (uint32_t i = FEW; i < FEW + 30; ++i) duel_arm(&d, i, 256 * width + i);
        for (uint32_t i = FEW + 30; i < COUNT; ++i) duel_arm(&d, i, d.now);
        for (uint32_t i = FEW + 30; i < COUNT; ++i) duel_arm(&d, i, 260 * width + i);
        duel_pop(&d, 256 * width + TICK, 64);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

/* A slot's entries are numbered, and the numbers come round: an old one that looks like the current
 * one again must not be taken for it, whoever looks at it. */
ON_EACH_BACKEND(versions_that_have_come_round) {
    enum { ROUND = 1 << 16, COUNT = 60 };
    for (int64_t old = 1; old <= 100000; old *= 100000) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
        duel_arm(&d, 0, old * ROUND * TICK);
        for (unsigned i = 1; i < ROUND; ++i) {
            bed_arm(&d.bed, 0, d.now + 1);
            d.now += TICK;
            tri_due due;
            if (!CHECK_INT(bed_pop(&d.bed, d.now, &due, 1), 1)) break;
        }
        oracle_set(&d.oracle, 0, ORACLE_NEVER);
        duel_arm(&d, 0, old * ROUND * TICK / 2 + d.now);
        duel_sound(&d);
        for (unsigned i = 0; i < 20; ++i)
            for (uint32_t j = 1; j < COUNT; ++j) duel_arm(&d, j, d.now + (100 - i) * 50 * TICK + j);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

/* Next has looked into a part of a slot; then what it has found there is stopped, or the slot
 * becomes crowded. */
ON_EACH_BACKEND(a_slot_that_is_looked_into_by_half) {
    enum { COUNT = 1500 };
    for (unsigned then = 0; then < 6; ++then) {
        const uint32_t first = then < 3 ? 400 : 700;
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
        for (uint32_t i = 0; i < first; ++i) duel_arm(&d, i, 100 * TICK + i * 2800);
        for (uint32_t i = 0; i < first; ++i)
            if (i < 48 || i % 8 < 3) duel_stop(&d, i);
        for (unsigned i = 0; i < 2; ++i) bed_next(&d.bed);
        duel_sound(&d);
        for (uint32_t i = 48; then % 3 == 1 && i < first; ++i)
            if (bed_pending(&d.bed, i) && i % 50 != 0) duel_stop(&d, i);
        for (uint32_t i = first; then % 3 == 2 && i < COUNT; ++i)
            duel_arm(&d, i, 100 * TICK + i * 1300);
        duel_sound(&d);
        CHECK(d.bed.backend->entries <= 2 * d.bed.backend->live + 256);
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

/* One slot with a few hundred timers, and so many with one each that no room is left for more such
 * slots: then the one's time comes, or it is cleaned up. */
ON_EACH_BACKEND(a_full_slot_among_many_scattered_ones) {
    enum { FEW = 48, FULL = 31 * 5, ALONE = 540, COUNT = FEW + FULL + ALONE };
    for (unsigned then = 0; then < 2; ++then) {
        const int64_t full = then == 0 ? 60 * SECOND / TICK * TICK : 100 * TICK;
        const int64_t apart = then == 0 ? 3 * TICK : TICK / 1000;
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
        for (uint32_t i = 0; i < FEW; ++i) duel_arm(&d, i, 10 * HOUR + i);
        for (uint32_t i = 0; i < FULL; ++i) duel_arm(&d, FEW + i, full + i * apart);
        for (uint32_t i = 0; i < ALONE; ++i)
            duel_arm(&d, FEW + FULL + i, (70 + i % 180) * (TICK << (9 + i / 180 * RATIO_BITS)));
        duel_sound(&d);
        for (uint32_t i = 0; then == 1 && i < FEW + ALONE; ++i) {
            duel_stop(&d, i < FEW ? i : i + FULL);
            if (i % 10 == 0) duel_sound(&d);
        }
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

TEST_SUITE("backend_levels", 240, CASE(edges_of_slots_at_every_level),
           CASE(whatever_lies_in_one_slot), CASE(next_between_all_else),
           CASE(from_few_to_many_and_back), CASE(entries_that_are_scattered),
           CASE(next_before_a_far_crowd), CASE(a_crowd_goes_on_in_pieces),
           CASE(what_comes_in_front_of_a_slot_that_is_looked_into),
           CASE(a_coarser_slot_that_begins_with_the_next), CASE(versions_that_have_come_round),
           CASE(a_slot_that_is_looked_into_by_half), CASE(a_full_slot_among_many_scattered_ones))
