/* Shows: stop does not wait for a function that runs; stop_wait does, and answers EDEADLK where
 * waiting could never end: from the function itself, or round a circle of functions. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

static const tarry_options own_threads = { .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS };

/* A timer whose function has begun and stands still. */
static tarry_timer *begin(rig *r, blocker *b) {
    rig_remake(r, &own_threads);
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, b);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&b->begun, 1);
    return timer;
}

THREADED(stop_of_a_running_function_is_zero_and_does_not_wait) {
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = begin(r, &b);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(test_count_read(&b.ended), 0);
    CHECK_INT(rig_stats(r).running, 1);
    test_count_add(&b.leave);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(test_count_read(&b.ended), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
    rig_wait_for_callbacks(r);
}

typedef struct waiting {
    tarry_timer *timer;
    blocker *on;
    int result;
    unsigned ended_runs; /* when stop_wait returned */
} waiting;

static void stop_wait_for(void *argument) {
    waiting *w = argument;
    w->result = tarry_timer_stop_wait(w->timer);
    w->ended_runs = test_count_read(&w->on->ended);
}

THREADED(stop_wait_returns_when_the_function_has_returned) {
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = begin(r, &b);
    waiting waits[3];
    test_thread threads[3];
    for (int i = 0; i < 3; ++i) {
        waits[i] = (waiting){ .timer = timer, .on = &b };
        test_thread_start(&threads[i], stop_wait_for, &waits[i]);
    }
    for (int i = 0; i < 3; ++i) CHECK(test_thread_blocked(&threads[i]));
    test_count_add(&b.leave);
    for (int i = 0; i < 3; ++i) {
        test_thread_join(&threads[i]);
        CHECK_INT(waits[i].result, 0);
        CHECK_INT(waits[i].ended_runs, 1);
    }
    CHECK_INT(tarry_timer_free(timer), 0);
    rig_wait_for_callbacks(r);
}

THREADED(stop_wait_of_a_running_function_that_is_armed_again_is_one) {
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = begin(r, &b);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    waiting w = { .timer = timer, .on = &b };
    test_thread thread;
    test_thread_start(&thread, stop_wait_for, &w);
    CHECK(test_thread_blocked(&thread));
    test_count_add(&b.leave);
    test_thread_join(&thread);
    CHECK_INT(w.result, 1);
    CHECK_INT(w.ended_runs, 1);
    rig_settle(r, 2 * TARRY_SECOND);
    CHECK_INT(test_count_read(&b.begun), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
    rig_wait_for_callbacks(r);
}

/* The second run is due while the first stands still: it begins when that one has returned. */
THREADED(runs_of_one_timer_never_overlap) {
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = begin(r, &b);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(test_count_read(&b.begun), 1);
    CHECK_INT(rig_stats(r).pending, 1);
    test_count_add(&b.leave);
    test_count_await(&b.begun, 2);
    CHECK_INT(test_count_read(&b.ended), 1);
    test_count_add(&b.leave);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(test_count_read(&b.ended), 2);
    CHECK_INT(tarry_timer_free(timer), 0);
    rig_wait_for_callbacks(r);
}

typedef struct own_stop {
    tarry_timer *timer;
    atomic_int runs, reset, stop_wait;
} own_stop;

static void stop_wait_for_itself(void *argument) {
    own_stop *s = argument;
    s->reset = tarry_timer_reset(s->timer, TARRY_SECOND);
    s->stop_wait = tarry_timer_stop_wait(s->timer);
    ++s->runs;
}

ON_EACH_RIG(stop_wait_from_its_own_function_is_EDEADLK_and_stops_it) {
    int64_t left = 0;
    own_stop s = { .reset = -1 };
    s.timer = func_in(r->rt, TARRY_SECOND, stop_wait_for_itself, &s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.reset, 0);
    CHECK_INT(s.stop_wait, -EDEADLK);
    CHECK_INT(tarry_timer_remaining(&left, s.timer), 0);
    CHECK_INT(left, TARRY_FOREVER);
    rig_settle(r, 2 * TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(s.timer), 0);
}

/* Functions in a ring, each of which waits for the next one; all have begun before any waits. */
enum { RING = 3 };

typedef struct ring_member {
    struct ring_member *next;
    tarry_timer *timer;
    test_count *all_begun;
    unsigned size;
    atomic_int result;
    test_count ended;
} ring_member;

static void wait_for_the_next(void *argument) {
    ring_member *m = argument;
    test_count_add(m->all_begun);
    test_count_await(m->all_begun, m->size);
    m->result = tarry_timer_stop_wait(m->next->timer);
    test_count_add(&m->ended);
}

static void run_ring(rig *r, unsigned size, const tarry_options *options) {
    rig_remake(r, options);
    test_count all_begun = TEST_COUNT_INIT;
    ring_member members[RING];
    for (unsigned i = 0; i < size; ++i) {
        members[i] = (ring_member){ .next = &members[(i + 1) % size], .size = size,
                                    .all_begun = &all_begun, .ended = TEST_COUNT_INIT };
        CHECK_INT(tarry_bind(r->rt, i % options->workers), 0);
        members[i].timer = func_in(r->rt, TARRY_SECOND, wait_for_the_next, &members[i]);
    }
    rig_settle(r, TARRY_SECOND);
    unsigned dead_locks = 0;
    for (unsigned i = 0; i < size; ++i) {
        test_count_await(&members[i].ended, 1);
        if (members[i].result == -EDEADLK) ++dead_locks;
        else CHECK_INT(members[i].result, 0);
    }
    CHECK_INT(dead_locks, 1); /* whoever closes the circle; it then returns, and so do the others */
    for (unsigned i = 0; i < size; ++i) CHECK_INT(tarry_timer_free(members[i].timer), 0);
    rig_wait_for_callbacks(r);
}

THREADED(two_functions_that_wait_for_each_other_do_not_hang) {
    run_ring(r, 2, &own_threads);
    run_ring(r, 2, &(tarry_options){ .workers = 2, .callbacks = TARRY_CALLBACKS_INLINE });
}

THREADED(a_circle_of_three_functions_does_not_hang) {
    run_ring(r, 3, &own_threads);
    run_ring(r, 3, &(tarry_options){ .workers = 3, .callbacks = TARRY_CALLBACKS_THREADS });
}

/* A circle is one whatever runtimes it goes through. Virtual clocks, both at the due time. */
THREADED(functions_of_two_runtimes_that_wait_for_each_other_do_not_hang) {
    rig_remake(r, &own_threads);
    tarry_runtime *other = NULL;
    const tarry_options options = { .size = sizeof options, .workers = 1,
                                    .clock = TARRY_CLOCK_VIRTUAL };
    CHECK_INT(tarry_create(&other, &options), 0);
    tarry_runtime *const runtimes[2] = { r->rt, other };
    test_count all_begun = TEST_COUNT_INIT;
    ring_member members[2];
    for (unsigned i = 0; i < 2; ++i) {
        members[i] = (ring_member){ .next = &members[1 - i], .size = 2, .all_begun = &all_begun,
                                    .ended = TEST_COUNT_INIT };
        members[i].timer = func_in(runtimes[i], TARRY_SECOND, wait_for_the_next, &members[i]);
    }
    CHECK_INT(tarry_advance(other, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    for (unsigned i = 0; i < 2; ++i) test_count_await(&members[i].ended, 1);
    CHECK_INT(members[0].result + members[1].result, -EDEADLK);
    for (unsigned i = 0; i < 2; ++i) CHECK_INT(tarry_timer_free(members[i].timer), 0);
    CHECK_INT(tarry_destroy(other), 0);
    rig_wait_for_callbacks(r);
}

typedef struct chain_link {
    tarry_timer *waits_for;
    atomic_int result;
    test_count begun, ended;
} chain_link;

static void wait_for_another(void *argument) {
    chain_link *link = argument;
    test_count_add(&link->begun);
    link->result = tarry_timer_stop_wait(link->waits_for);
    test_count_add(&link->ended);
}

/* A waits for B, and nobody waits for A: a wait, not a dead-lock. */
THREADED(a_function_may_wait_for_another_that_runs) {
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = begin(r, &b);
    chain_link link = { .waits_for = timer, .result = -1, .begun = TEST_COUNT_INIT,
                        .ended = TEST_COUNT_INIT };
    tarry_timer *second = func_in(r->rt, 0, wait_for_another, &link);
    rig_settle(r, 0);
    test_count_await(&link.begun, 1);
    CHECK_INT(test_count_read(&link.ended), 0);
    test_count_add(&b.leave);
    test_count_await(&link.ended, 1);
    CHECK_INT(link.result, 0);
    CHECK_INT(test_count_read(&b.ended), 1);
    CHECK_INT(tarry_timer_stop_wait(second), 0);
    CHECK_INT(tarry_timer_free(second), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    rig_wait_for_callbacks(r);
}

TEST_SUITE("stop_after_func", 60, CASE(stop_of_a_running_function_is_zero_and_does_not_wait),
           CASE(stop_wait_returns_when_the_function_has_returned),
           CASE(stop_wait_of_a_running_function_that_is_armed_again_is_one),
           CASE(runs_of_one_timer_never_overlap),
           CASE(stop_wait_from_its_own_function_is_EDEADLK_and_stops_it),
           CASE(two_functions_that_wait_for_each_other_do_not_hang),
           CASE(a_circle_of_three_functions_does_not_hang),
           CASE(a_function_may_wait_for_another_that_runs),
           CASE(functions_of_two_runtimes_that_wait_for_each_other_do_not_hang))
