/* Shows: overlapped levels of slots keep every promise around each edge of each slot of each level,
 * also of the finer slots that a crowded one is split into; far away, where an entry knows its
 * time only roughly; at both ends of time; for any tick and every offset within one. Written for
 * `tiered`, whose slots these are; all backends do the same. */
#include "check.h"
#include "duel.h"
#include "random.h"
#include "suite.h"

/* The width of a slot of the main level: of `tiered` with this tick, and of its exact form. */
enum { MAIN_BITS = 21, RATIO_BITS = 3, RING = 256, LEVELS = 12, FINER = 4 };

#define TICK (INT64_C(1) << MAIN_BITS)

/* The i-th edge of a level's slots after this point. */
static int64_t edge_after(int64_t point, unsigned bits, int64_t i) {
    const int64_t width = INT64_C(1) << bits, into = point & (width - 1);
    return test_add(point - into, test_multiply(i, width));
}

enum { EDGES = LEVELS * (RING + 1) * 3 };

static void arm_every_edge(duel *d) {
    uint32_t slot = 0;
    for (unsigned level = 0; level < LEVELS; ++level)
        for (unsigned i = 1; i <= RING + 1; ++i)
            for (int side = -1; side <= 1; ++side)
                duel_arm(d, slot++, test_add(edge_after(d->now, MAIN_BITS + RATIO_BITS * level, i),
                                             side));
    CHECK_INT(slot, EDGES);
}

/* At an edge of all levels, of the finest alone, of none, and before time zero. */
static const int64_t starts[] = { 0, 5 * TICK - 1, 0x123456789abcde, -3 * TICK, -0x1fedcba9876543 };

enum { STARTS = sizeof starts / sizeof *starts };

ON_EACH_BACKEND(each_edge_of_each_slot_of_each_level) {
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = EDGES, .start = starts[i], .tick_ns = TICK });
        arm_every_edge(&d);
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* To an edge of each level at once, and a bit further: all before it comes out, in its order. */
ON_EACH_BACKEND(jumps_to_an_edge_of_each_level) {
    for (unsigned i = 0; i < STARTS; ++i)
        for (unsigned level = 0; level < LEVELS; level += 3) {
            const int64_t edge = edge_after(starts[i], MAIN_BITS + RATIO_BITS * level, 3);
            duel d;
            duel_init(&d, ops,
                      &(duel_options){ .slots = EDGES, .start = starts[i], .tick_ns = TICK });
            arm_every_edge(&d);
            for (int side = -1; side <= 1; ++side) {
                size_t before;
                do {
                    before = d.oracle.count;
                    duel_pop(&d, edge + side, level % 2 == 0 ? 64 : 7);
                } while (!d.lost && d.oracle.count != before);
                duel_next(&d);
                duel_sound(&d);
            }
            duel_fini(&d);
        }
}

/* Armed on one side of an edge, and moved to another, before and after the sleeper has looked. */
ON_EACH_BACKEND(moves_across_each_edge) {
    enum { PLACES = 5, AHEAD = 4, FAR = 60, COUNT = FAR + AHEAD * PLACES * PLACES };
    static const int64_t ahead[AHEAD] = { 1, 2, 33, 255 };
    for (unsigned level = 0; level < LEVELS; ++level) {
        const unsigned bits = MAIN_BITS + RATIO_BITS * level;
        const int64_t width = INT64_C(1) << bits, places[PLACES] = { -width, -1, 0, 1, width };
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = 77, .tick_ns = TICK });
        for (uint32_t i = 0; i < FAR; ++i) duel_arm(&d, i, INT64_MAX / 2 + i);
        for (unsigned pass = 0; pass < 2; ++pass) {
            for (uint32_t i = FAR; i < COUNT; ++i) {
                const unsigned pair = (i - FAR) % (PLACES * PLACES);
                const int64_t edge = edge_after(d.now, bits, ahead[(i - FAR) / (PLACES * PLACES)]);
                const int64_t place = places[pass == 0 ? pair / PLACES : pair % PLACES];
                duel_arm(&d, i, test_add(edge, place));
            }
            duel_next(&d);
            duel_sound(&d);
        }
        duel_walk(&d, TICK);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* So many in one slot that it is split: with eight slots of a finer level, each of which has more
 * than a run takes, all their edges, and some just beside the slot that is split. */
ON_EACH_BACKEND(edges_of_the_finer_slots_of_a_crowded_one) {
    enum { FULL = 600, EACH = FULL + 3, COUNT = 8 * EACH };
    for (unsigned finer = 0; finer < FINER; ++finer) {
        const unsigned bits = MAIN_BITS - RATIO_BITS * (finer + 1);
        const int64_t width = INT64_C(1) << bits, crowded = 1000 * TICK;
        for (unsigned which = 0; which < 3; ++which) {
            const int64_t first = crowded + (int64_t)which * (TICK / 2 - 4 * width);
            duel d;
            uint32_t slot = 0;
            duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = 5, .tick_ns = TICK });
            for (int64_t i = 0; i < 8; ++i) {
                for (int64_t j = 0; j < FULL; ++j)
                    duel_arm(&d, slot++, first + i * width + j * width / FULL);
                for (int64_t side = -1; side <= 1; ++side)
                    duel_arm(&d, slot++, first + i * width + side);
            }
            duel_sound(&d);
            duel_walk(&d, TICK);
            duel_sound(&d);
            duel_fini(&d);
        }
    }
}

/* Hours and years ahead an entry has lost the lower bits of its time: neighbours of all distances
 * come in order all the same, and none comes early. */
ON_EACH_BACKEND(neighbours_far_away) {
    enum { FROM = 30, TO = 62, COUNT = 3 * (TO - FROM) * TO };
    for (unsigned i = 0; i < STARTS; ++i) {
        duel d;
        uint32_t slot = 0;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = starts[i], .tick_ns = TICK });
        for (unsigned bits = FROM; bits < TO; ++bits)
            for (unsigned apart = 0; apart < bits; ++apart)
                for (int side = -1; side <= 1; ++side) {
                    const int64_t base = test_add(d.now, INT64_C(1) << bits);
                    duel_arm(&d, slot++, test_add(base, (INT64_C(1) << apart) + side));
                }
        duel_sound(&d);
        duel_walk(&d, TICK);
        duel_fini(&d);
    }
}

/* From wherever the clock starts, points at every distance from there and from both ends. */
ON_EACH_BACKEND(the_ends_of_time) {
    static const int64_t clocks[] = { INT64_MIN,     INT64_MIN + 1, INT64_MIN / 2,
                                      -1,            0,             INT64_MAX / 2,
                                      INT64_MAX - 2, INT64_MAX - 2 * TICK,
                                      INT64_MAX - (TICK << 9) };
    static const int64_t ticks[] = { 1, 7, TICK, INT64_MAX / 3, INT64_MAX };
    enum { COUNT = 3 * 3 * 63 };
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; ++i)
        for (size_t j = 0; j < sizeof ticks / sizeof *ticks; ++j) {
            duel d;
            uint32_t slot = 0;
            duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = clocks[i],
                                                .tick_ns = ticks[j] });
            for (unsigned bits = 0; bits < 63; ++bits)
                for (int side = -1; side <= 1; ++side) {
                    const int64_t span = INT64_C(1) << bits;
                    duel_arm(&d, slot++, test_add(test_add(d.now, span), side));
                    duel_arm(&d, slot++, test_add(INT64_MAX - span, side));
                    duel_arm(&d, slot++, test_add(test_add(INT64_MIN, span), side));
                }
            duel_sound(&d);
            duel_next(&d);
            duel_walk(&d, ticks[j]);
            duel_sound(&d);
            duel_fini(&d);
        }
}

/* A point may lie anywhere in its tick, and whole ticks are what the levels count. */
ON_EACH_BACKEND(each_offset_within_a_tick_at_each_level) {
    static const int64_t ticks[] = { 2, 3, 7, 10, 1000 };
    static const int64_t clocks[] = { 0, -1, 5, -123456789, 123456789 };
    enum { OFFSETS = 26, COUNT = LEVELS * OFFSETS * 2 };
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; ++i)
        for (size_t j = 0; j < sizeof clocks / sizeof *clocks; ++j) {
            const int64_t tick = ticks[i], step = tick > OFFSETS - 2 ? tick / (OFFSETS - 2) : 1;
            duel d;
            uint32_t slot = 0;
            duel_init(&d, ops, &(duel_options){ .slots = COUNT, .start = clocks[j],
                                                .tick_ns = tick });
            for (unsigned level = 0; level < LEVELS; ++level)
                for (int64_t from = 1; from <= RING; from += RING - 1)
                    for (int64_t o = 0; o < OFFSETS; ++o) {
                        const int64_t ticks_ahead = from << RATIO_BITS * level;
                        const int64_t edge = (d.now / tick + ticks_ahead) * tick;
                        duel_arm(&d, slot++, edge - tick + o * step);
                    }
            duel_sound(&d);
            duel_walk(&d, tick);
            duel_fini(&d);
        }
}

TEST_SUITE("tiered_edges", 240, CASE(each_edge_of_each_slot_of_each_level),
           CASE(jumps_to_an_edge_of_each_level), CASE(moves_across_each_edge),
           CASE(edges_of_the_finer_slots_of_a_crowded_one), CASE(neighbours_far_away),
           CASE(the_ends_of_time), CASE(each_offset_within_a_tick_at_each_level))
