/* Shows: on a million random operations each backend answers as a sorted list does (one with a
 * tick: to within that tick and never early), and its structure is sound all the way, wherever the
 * clock starts and whatever the tick is. */
#include "duel.h"
#include "suite.h"
#include "threads.h"

#include <stdio.h>

enum { MILLION = 1000000, MILLISECOND = 1000000 };

/* A power of two, so that its multiples with every level's width are whole. */
#define TICK (INT64_C(1) << 20)

static uint64_t few_steps(void) {
    return test_rounds(20000, MILLION);
}

ON_EACH_BACKEND(a_million_operations_from_zero) {
    duel_random(ops, &(duel_options){ 1, MILLION, 300, 0, MILLISECOND });
}

ON_EACH_BACKEND(many_seeds) {
    const uint64_t seeds = test_rounds(10, 100);
    for (uint64_t seed = 2; seed < 2 + seeds; ++seed)
        if (!duel_random(ops, &(duel_options){ seed, few_steps(), 300, 0, MILLISECOND })) return;
}

/* One slot, a handful, and more than there are slots in a level. */
ON_EACH_BACKEND(few_slots_and_many) {
    static const uint32_t slots[] = { 1, 2, 5, 30, 48, 49, 60, 1500, 6000 };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i)
        if (!duel_random(ops, &(duel_options){ 200 + i, few_steps(), slots[i], 1, TICK })) return;
}

ON_EACH_BACKEND(clocks_that_start_anywhere) {
    static const int64_t starts[] = {
        -1, 1, -MILLISECOND, INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, -(TICK << 32) - 1,
        (INT64_C(1) << 31) - 1, INT64_C(1) << 31, (INT64_C(1) << 31) + 1,
        (INT64_C(1) << 32) - 1, -(INT64_C(1) << 31) - 1,
        (TICK << 32) - 2 * TICK - 1, (TICK << 32) - 1, TICK << 32, (TICK << 32) + 2 * TICK + 1,
        (INT64_C(1) << 62) - 1, INT64_C(1) << 62,
        INT64_MAX - (TICK << 32), INT64_MAX - 300 * TICK, INT64_MAX - TICK, INT64_MAX - 1,
    };
    const uint64_t steps = few_steps();
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
        if (!duel_random(ops, &(duel_options){ 300 + i, steps, 200, starts[i], TICK })) return;
}

ON_EACH_BACKEND(any_tick) {
    static const int64_t ticks[] = { 1, 2, 7, 1000, MILLISECOND, 1000 * MILLISECOND,
                                     INT64_C(1) << 40, INT64_MAX / 3, INT64_MAX };
    static const int64_t starts[] = { 0, -5, INT64_MIN, INT64_C(1) << 62 };
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; ++i)
        for (size_t j = 0; j < sizeof starts / sizeof *starts; ++j)
            if (!duel_random(ops, &(duel_options){ 400 + i, few_steps() / 2, 200, starts[j],
                                                   ticks[i] })) return;
}

TEST_SUITE("backend_random", 1200, CASE(a_million_operations_from_zero), CASE(many_seeds),
           CASE(few_slots_and_many), CASE(clocks_that_start_anywhere), CASE(any_tick))
