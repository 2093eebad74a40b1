/* Shows: where memory runs out, at whichever allocation, init and reserve answer -ENOMEM and
 * nothing has changed; a slot costs a bounded number of bytes. */
#include "bed.h"
#include "check.h"
#include "suite.h"

#include <errno.h>

enum { TICK = 1000000, SECOND = 1000000000 };

ON_EACH_BACKEND(init_survives_each_failing_allocation) {
    bed b;
    bed_init_bare(&b, ops, 10);
    for (int64_t n = 0;; ++n) {
        counting_fail(&b.counting, n, false);
        const int result = bed_make(&b, TICK, 0);
        if (result == 0) {
            CHECK(n >= 1);
            break;
        }
        CHECK_INT(result, -ENOMEM);
        CHECK(b.backend == NULL);
        CHECK_INT(b.counting.blocks, 0);
    }
    counting_heal(&b.counting);
    CHECK(bed_sound(&b));
    CHECK_INT(bed_next(&b), TRI_NEVER);
    bed_fini(&b);
}

static void arm_some(bed *b, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) bed_arm(b, i, SECOND + (int64_t)(i * 7919 % 3001) * TICK);
}

/* All of them, in the order of their ticks. */
static void fires_all(bed *b, size_t expected) {
    tri_due due[64];
    int64_t last = 0;
    size_t count, all = 0;
    while ((count = bed_pop(b, INT64_C(10) * SECOND, due, 64)) != 0)
        for (size_t i = 0; i < count; ++i, ++all) {
            CHECK(due[i].deadline >= last - b->tick_ns);
            last = due[i].deadline;
        }
    CHECK_INT(all, expected);
    CHECK(bed_sound(b));
}

/* Room for `armed` at first, all of it used; then more is asked for. */
static void grow(const tri_backend_ops *ops, uint32_t armed, uint32_t wanted) {
    bed b;
    bed_init_bare(&b, ops, wanted);
    CHECK_INT(bed_make(&b, TICK, 0), 0);
    if (armed != 0) CHECK_INT(ops->reserve(b.backend, armed), 0);
    arm_some(&b, 0, armed);
    const size_t bytes = b.counting.bytes, blocks = b.counting.blocks;
    for (int64_t n = 0;; ++n) {
        counting_fail(&b.counting, n, n % 2 == 1);
        const int result = ops->reserve(b.backend, wanted);
        if (result == 0) {
            CHECK(n >= 1);
            break;
        }
        if (!CHECK_INT(result, -ENOMEM) || !CHECK_INT(b.counting.bytes, bytes) ||
            !CHECK_INT(b.counting.blocks, blocks) || !CHECK_INT(b.backend->live, armed) ||
            !CHECK(bed_sound(&b)))
            break;
        /* There is still room for those that were promised it. */
        if (armed != 0) bed_arm(&b, 0, SECOND - n);
    }
    counting_heal(&b.counting);
    arm_some(&b, armed, wanted);
    fires_all(&b, wanted);
    bed_fini(&b);
}

ON_EACH_BACKEND(the_first_reserve_survives_each_failing_allocation) {
    grow(ops, 0, 5000);
}

ON_EACH_BACKEND(growth_survives_each_failing_allocation) {
    grow(ops, 1, 2000);
    grow(ops, 48, 600);
    grow(ops, 3000, 40000);
}

ON_EACH_BACKEND(what_is_too_much_is_refused) {
    bed b;
    bed_init(&b, ops, TICK, 0, 10);
    arm_some(&b, 0, 10);
    counting_fail(&b.counting, 0, true);
    CHECK_INT(ops->reserve(b.backend, UINT32_MAX), -ENOMEM);
    CHECK_INT(ops->reserve(b.backend, UINT32_MAX / 2), -ENOMEM);
    counting_heal(&b.counting);
    fires_all(&b, 10);
    bed_fini(&b);
}

ON_EACH_BACKEND(room_that_is_there_is_not_asked_for_again) {
    bed b;
    bed_init(&b, ops, TICK, 0, 1000);
    const uint64_t calls = b.counting.calls;
    for (uint32_t slots = 0; slots <= 1000; ++slots)
        CHECK_INT(ops->reserve(b.backend, slots), 0);
    CHECK_INT(b.counting.calls, calls);
    bed_fini(&b);
}

/* A bucket asks for one slot more at a time, and yet most calls ask for nothing. */
ON_EACH_BACKEND(growth_by_one_is_not_an_allocation_each) {
    enum { COUNT = 100000 };
    bed b;
    bed_init(&b, ops, TICK, 0, 1);
    for (uint32_t slots = 1; slots <= COUNT; ++slots) CHECK_INT(ops->reserve(b.backend, slots), 0);
    CHECK(b.counting.calls < COUNT / 400);
    bed_fini(&b);
}

ON_EACH_BACKEND(bytes_of_a_million) {
    enum { COUNT = 1000000 };
    bed b;
    bed_init(&b, ops, TICK, 0, COUNT);
    CHECK(b.counting.bytes <= INT64_C(40) * COUNT);
    bed_fini(&b);
}

TEST_SUITE("backend_memory", 60, CASE(init_survives_each_failing_allocation),
           CASE(the_first_reserve_survives_each_failing_allocation),
           CASE(growth_survives_each_failing_allocation), CASE(what_is_too_much_is_refused),
           CASE(room_that_is_there_is_not_asked_for_again),
           CASE(growth_by_one_is_not_an_allocation_each), CASE(bytes_of_a_million))
