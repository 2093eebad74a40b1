/* Shows: the backend that is asked for is the one that is made, `tiered` where none is; an exact
 * one fires at the deadline, one with a tick at the end of the tick that the deadline lies in. With
 * TARRY_TEST_BACKEND=tiered: every test's runtime has that one. */
#include "api/runtime.h"
#include "backends.h"
#include "suite.h"
#include "virtual.h"

#include <string.h>

static const tri_backend *backend_of(const tarry_runtime *rt) {
    return rt->workers[0].bucket.backend;
}

static tarry_runtime *made_with(const char *backend, int64_t tick_ns) {
    const tarry_options options = { .size = sizeof options, .backend = backend, .workers = 1,
                                    .tick_ns = tick_ns, .clock = TARRY_CLOCK_VIRTUAL,
                                    .by_hand = 1 };
    tarry_runtime *rt = NULL;
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    return rt;
}

/* When it fires what is due at this point: the crank is turned at each ns on the way. */
static int64_t fired_at(tarry_runtime *rt, int64_t deadline) {
    tarry_timer *timer = NULL;
    atomic_uint runs = 0;
    int64_t now = deadline - 1;
    CHECK_INT(tarry_after_func_at(&timer, rt, deadline, count_run, &runs), 0);
    CHECK_INT(tarry_run_expired(rt, 0, now, 0), 0);
    while (runs == 0 && now < 10000) tarry_run_expired(rt, 0, ++now, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    return now;
}

static void where_none_is_named_it_is_tiered(void) {
    tarry_runtime *rt = NULL;
    CHECK_INT(tarry_create(&rt, NULL), 0);
    CHECK(backend_of(rt)->ops == &tri_backend_tiered);
    CHECK_INT(tarry_destroy(rt), 0);
    CHECK(backend_of(tarry_default())->ops == &tri_backend_tiered);
    CHECK_INT(tarry_destroy(tarry_default()), 0);
}

static void where_none_is_named_it_is_exact_unless_a_tick_is_given(void) {
    tarry_runtime *rt = made_with(NULL, 0);
    for (int64_t deadline = 995; deadline < 1005; ++deadline)
        CHECK_INT(fired_at(rt, deadline), deadline);
    CHECK_INT(tarry_destroy(rt), 0);
    rt = made_with(NULL, 100);
    CHECK(backend_of(rt)->ops == &tri_backend_tiered);
    CHECK_INT(fired_at(rt, 1000), 1000);
    CHECK_INT(fired_at(rt, 1001), 1100);
    CHECK_INT(fired_at(rt, 1199), 1200);
    CHECK_INT(tarry_destroy(rt), 0);
}

static void the_one_that_is_named_is_made(void) {
    static const test_backend table[] = { { "heap", 0 }, { "tiered", 0 }, { "tiered", 1000 },
                                          { "wheel", 0 }, { "wheel", 1000 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const test_backend on = test_backend_for(table[i].name, table[i].tick_ns);
        tarry_runtime *rt = made_with(on.name, on.tick_ns);
        CHECK(strcmp(backend_of(rt)->ops->name, on.name) == 0);
        CHECK(!test_backend_is_forced() || backend_of(rt)->ops == &tri_backend_tiered);
        CHECK_INT(tarry_destroy(rt), 0);
    }
}

ON_EACH_RIG(a_rig_has_the_backend_that_it_says) {
    CHECK(strcmp(backend_of(r->rt)->ops->name, r->backend) == 0);
    CHECK(!test_backend_is_forced() || backend_of(r->rt)->ops == &tri_backend_tiered);
    CHECK_INT(backend_of(r->rt)->ops->tick == TRI_TICK_NONE && r->tick != 0, 0);
}

/* One ns into a tick, in its middle, and at its end, which is already the next one's beginning. */
ON_EACH_RIG(what_is_due_fires_at_its_deadline_or_at_the_end_of_its_tick) {
    const int64_t tick = r->tick != 0 ? r->tick : 100, into[] = { 1, tick / 2, tick };
    for (size_t i = 0; i < sizeof into / sizeof *into; ++i) {
        const int64_t start = (r->now / tick + 2) * tick, deadline = start + into[i];
        const int64_t due = r->tick != 0 ? start + tick : deadline;
        shot s = { .r = r };
        tarry_timer *timer = NULL;
        CHECK_INT(tarry_after_func_at(&timer, r->rt, deadline, shot_run, &s), 0);
        rig_reach(r, due - 1);
        CHECK_INT(s.runs, 0);
        rig_reach(r, due);
        CHECK_INT(s.runs, 1);
        CHECK_INT(s.at_ns, due);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

TEST_SUITE("backends", 60, CASE(where_none_is_named_it_is_tiered),
           CASE(where_none_is_named_it_is_exact_unless_a_tick_is_given),
           CASE(the_one_that_is_named_is_made), CASE(a_rig_has_the_backend_that_it_says),
           CASE(what_is_due_fires_at_its_deadline_or_at_the_end_of_its_tick))
