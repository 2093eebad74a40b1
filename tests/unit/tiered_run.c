/* Shows: what lies in a run, in the near heap or in a far slot may be stopped, moved and added to
 * at any moment, between two firings, at the number of timers at which another way is taken, and
 * while a sweep goes through it; versions that come round, and keys that were there before, change
 * nothing. Written for `tiered`, whose parts these are; all backends do the same. */
#include "check.h"
#include "duel.h"
#include "random.h"
#include "suite.h"

/* The width of a slot of the main level: of `tiered` with this tick, and of its exact form. */
#define TICK (INT64_C(1) << 21)
#define SECOND INT64_C(1000000000)

/* One fires, and before the next some that lie in the same run are stopped, put off to a place
 * before, in or behind it, or come back. */
ON_EACH_BACKEND(between_the_firings_of_a_run) {
    enum { COUNT = 500 };
    uint64_t random = 31;
    for (unsigned round = 0; round < 8; ++round) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
        const int64_t begin = 100 * TICK;
        for (uint32_t i = 0; i < COUNT; ++i)
            duel_arm(&d, i, begin + (int64_t)test_random_below(&random, TICK));
        while (!d.lost && d.oracle.count > COUNT / 10) {
            const int64_t first = oracle_first(&d.oracle);
            duel_pop(&d, first > d.now ? first : d.now, 1);
            for (unsigned i = 0; i < 3; ++i) {
                static const int64_t places[] = { 0, 1, TICK / 3, TICK - 1, TICK, 9 * TICK };
                const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
                const uint64_t what = test_random_below(&random, 12);
                if (!bed_pending(&d.bed, slot)) continue;
                if (what < 4) duel_stop(&d, slot);
                else if (what < 10) duel_arm(&d, slot, d.now + places[what - 4]);
                else duel_arm(&d, slot, begin + TICK - 1 - (int64_t)(what - 10));
            }
            if (d.oracle.count % 16 == 0) duel_next(&d);
            if (d.oracle.count % 8 == 0) duel_sound(&d);
            if (d.now > begin + 20 * TICK) break;
        }
        duel_walk(&d, TICK);
        duel_sound(&d);
        duel_fini(&d);
    }
}

enum { MANY = 100, MOST = 1025 };

/* So many in one slot, after so many others that lie very far away. */
static void one_slot(const tri_backend_ops *ops, uint32_t count, uint32_t others, int64_t place,
                     bool asked, bool changed) {
    duel d;
    duel_init(&d, ops,
              &(duel_options){ .slots = MANY + MOST, .start = TICK / 2, .tick_ns = TICK });
    for (uint32_t k = 0; k < others; ++k) duel_arm(&d, MOST + k, INT64_MAX / 4 + k * TICK);
    for (uint32_t k = 0; k < count; ++k) duel_arm(&d, k, place + k * INT64_C(7919) % TICK);
    if (asked) duel_next(&d);
    duel_sound(&d);
    for (uint32_t k = 0; changed && k < count; k += 5) duel_stop(&d, k);
    for (uint32_t k = 0; changed && k < count; k += 10) duel_arm(&d, k, place + k);
    duel_pop(&d, place - 1, 64);
    if (asked) duel_next(&d);
    duel_sound(&d);
    duel_pop(&d, place, 1);
    duel_sound(&d);
    duel_walk(&d, TICK);
    duel_fini(&d);
}

/* So many as decide which way a slot's entries take, one less and one more; in a slot that is near,
 * far, or very far; with the near heap full of others or not; asked for the next on the way there
 * or not, some of them stopped and armed anew or not. */
ON_EACH_BACKEND(at_each_number_that_decides) {
    static const uint32_t numbers[] = { 1,  23, 24, 25,  30,  31,  32,   47,  48,
                                        49, 50, 51, 511, 512, 513, 1023, 1025 };
    static const int64_t places[] = { 1, 3, 300, 40000, INT64_C(1) << 30 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        for (size_t j = 0; j < sizeof places / sizeof *places; ++j)
            for (unsigned form = 0; form < 8; ++form)
                one_slot(ops, numbers[i], form & 1 ? MANY : 10, places[j] * TICK, form & 2,
                         form & 4);
}

/* As many more as one call of `next` moves, and just about so many: in a far slot, then in a near
 * one, and the clock stands before it, or in it, while they are brought on. */
ON_EACH_BACKEND(a_crowd_that_is_brought_on_in_pieces) {
    enum { CROWD = 8192, ALL = 2 * CROWD + 1 };
    static const uint32_t numbers[] = { CROWD - 1, CROWD, CROWD + 1, ALL };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const int64_t place = 1000 * SECOND / TICK * TICK;
        bed b;
        tri_due due[64];
        int64_t last = 0;
        uint32_t fired = 0;
        bed_init(&b, ops, TICK, 0, ALL);
        for (uint32_t k = 0; k < numbers[i]; ++k)
            bed_arm(&b, k, place + k * INT64_C(7919) % (40 * TICK));
        for (int64_t now = place - 300 * TICK; now <= place + 41 * TICK; now += TICK / 2) {
            size_t count;
            const int64_t next = bed_next(&b);
            CHECK(next <= place + 40 * TICK || fired == numbers[i]);
            while ((count = bed_pop(&b, now, due, 64)) != 0)
                for (size_t k = 0; k < count; ++k, ++fired) {
                    CHECK(due[k].deadline <= now && due[k].deadline > now - 2 * TICK);
                    if (b.tick_ns == 0 && due[k].deadline < last) CHECK(due[k].deadline >= last);
                    last = due[k].deadline;
                }
        }
        CHECK_INT(fired, numbers[i]);
        CHECK(bed_sound(&b));
        bed_fini(&b);
    }
}

/* All in one far slot of several chunks, so many of its entries dead that each call sweeps; entries
 * that are kept, and new ones, go to its end while the sweep is on its way there. */
ON_EACH_BACKEND(a_sweep_through_a_slot_that_grows) {
    enum { COUNT = 400 };
    duel d;
    uint64_t random = 32;
    duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
    const int64_t begin = 900 * SECOND;
    for (unsigned step = 0; step < 60000 && !d.lost; ++step) {
        const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
        const int64_t at = begin + (int64_t)test_random_below(&random, (uint64_t)SECOND);
        if (bed_pending(&d.bed, slot) && step % 3 == 0)
            duel_stop(&d, slot);
        else
            duel_arm(&d, slot, at);
        if (step % 7000 == 0) duel_next(&d);
        if (step % 256 == 0) duel_sound(&d);
        const tri_backend *backend = d.bed.backend;
        if (backend->entries > 2 * backend->live + 256)
            CHECK_INT(backend->entries, 2 * backend->live + 256);
    }
    duel_walk(&d, TICK);
    duel_sound(&d);
    duel_fini(&d);
}

/* Those in the near heap are put off over and over, each to another distance, and surface there:
 * some go to the levels, some come back, and what lies behind the gate waits. */
ON_EACH_BACKEND(what_is_put_off_when_its_time_has_come) {
    enum { COUNT = 200 };
    duel d;
    uint64_t random = 33;
    duel_init(&d, ops, &(duel_options){ .slots = COUNT, .tick_ns = TICK });
    for (uint32_t i = 0; i < COUNT; ++i) duel_arm(&d, i, TICK / 2 + i);
    for (unsigned round = 0; round < 3000 && !d.lost; ++round) {
        for (unsigned i = 0; i < 20; ++i) {
            const uint32_t slot = (uint32_t)test_random_below(&random, COUNT);
            const unsigned bits = 12 + (unsigned)test_random_below(&random, 26);
            duel_arm(&d, slot, d.now + (int64_t)(test_random(&random) >> (64 - bits)));
        }
        const int64_t first = oracle_first(&d.oracle), to = first > d.now ? first : d.now;
        duel_pop(&d, to + (int64_t)test_random_below(&random, 3) - (to > d.now), 5);
        if (round % 5 == 0) duel_next(&d);
        if (round % 64 == 0) duel_sound(&d);
    }
    duel_walk(&d, TICK);
    duel_fini(&d);
}

/* One timer that is moved to earlier more often than there are versions, among so many others that
 * its dead entries are not swept at once: near, far, and from far to near. */
ON_EACH_BACKEND(moved_to_earlier_more_often_than_there_are_versions) {
    enum { OTHERS = 2000, ROUNDS = 70000 };
    static const int64_t steps[] = { 1, 3 * TICK / 1000, TICK };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        duel d;
        duel_init(&d, ops, &(duel_options){ .slots = OTHERS + 1, .tick_ns = TICK });
        for (uint32_t k = 1; k <= OTHERS; ++k)
            duel_arm(&d, k, INT64_MAX / 8 + k * INT64_C(1000000007));
        for (int64_t k = ROUNDS; k > 0 && !d.lost; --k) {
            duel_arm(&d, 0, TICK / 3 + k * steps[i]);
            if (k % 4096 == 0) duel_sound(&d);
        }
        CHECK(d.bed.backend->entries <= 2 * d.bed.backend->live + 256);
        for (int64_t side = -1; side <= 1; ++side)
            duel_pop(&d, TICK / 3 + steps[i] + side, 2);
        duel_pop(&d, TICK / 3 + steps[i] + TICK, 2);
        CHECK(!bed_pending(&d.bed, 0));
        CHECK_INT(d.oracle.count, OTHERS);
        duel_sound(&d);
        duel_fini(&d);
    }
}

/* It fires so often that its version is again what it was when an entry was left for a far point;
 * then it is armed for that very point, by one version less, the same, and one more. Two entries
 * are there that look alike: it fires once, and when it is moved away from there, at its new
 * place. */
ON_EACH_BACKEND(two_entries_that_look_alike) {
    enum { ROUND = 1 << 16, OTHERS = 60 };
    for (int less = -1; less <= 1; ++less)
        for (unsigned then = 0; then < 4; ++then) {
            const int64_t far = 500 * SECOND;
            duel d;
            tri_due due;
            duel_init(&d, ops, &(duel_options){ .slots = OTHERS + 1, .tick_ns = TICK });
            for (uint32_t i = 1; i <= OTHERS; ++i) duel_arm(&d, i, far + i * TICK / 7);
            duel_arm(&d, 0, far);
            for (int i = 1; i < ROUND + less; ++i) {
                bed_arm(&d.bed, 0, d.now);
                if (!CHECK_INT(bed_pop(&d.bed, d.now, &due, 1), 1)) break;
            }
            oracle_set(&d.oracle, 0, ORACLE_NEVER);
            duel_arm(&d, 0, far);
            duel_sound(&d);
            if (then == 1) duel_arm(&d, 0, far + SECOND);
            if (then == 2) duel_arm(&d, 0, far - SECOND);
            if (then == 3) duel_stop(&d, 0);
            duel_next(&d);
            for (uint32_t i = 1; i <= OTHERS; i += 2) duel_stop(&d, i);
            duel_walk(&d, TICK);
            CHECK_INT(d.oracle.count, 0);
            duel_sound(&d);
            duel_fini(&d);
        }
}

TEST_SUITE("tiered_run", 240, CASE(between_the_firings_of_a_run),
           CASE(at_each_number_that_decides), CASE(a_crowd_that_is_brought_on_in_pieces),
           CASE(a_sweep_through_a_slot_that_grows), CASE(what_is_put_off_when_its_time_has_come),
           CASE(moved_to_earlier_more_often_than_there_are_versions),
           CASE(two_entries_that_look_alike))
