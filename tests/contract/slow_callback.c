/* Shows: a function that does not come back delays no other timer, unless the user chose inline
 * callbacks; and then only those of its own bucket. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <sched.h>

THREADED(a_slow_function_delays_no_other_timer) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    enum { SLOW = 5 };
    blocker slow[SLOW];
    tarry_timer *timers[SLOW];
    for (int i = 0; i < SLOW; ++i) {
        slow[i] = (blocker)BLOCKER_INIT;
        timers[i] = func_in(r->rt, TARRY_SECOND, blocker_run, &slow[i]);
    }
    const int64_t due = r->now + 2 * TARRY_SECOND;
    blocker quick = BLOCKER_INIT;
    test_count_add(&quick.leave);
    tarry_timer *message = timer_in(r->rt, 2 * TARRY_SECOND);
    tarry_timer *func = func_in(r->rt, 2 * TARRY_SECOND, blocker_run, &quick);
    rig_settle(r, TARRY_SECOND);
    for (int i = 0; i < SLOW; ++i) test_count_await(&slow[i].begun, 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(timer_due(message), due);
    test_count_await(&quick.ended, 1);
    for (int i = 0; i < SLOW; ++i) {
        CHECK_INT(test_count_read(&slow[i].ended), 0);
        test_count_add(&slow[i].leave);
        CHECK_INT(tarry_timer_stop_wait(timers[i]), 0);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
    CHECK_INT(tarry_timer_free(message), 0);
    CHECK_INT(tarry_timer_free(func), 0);
    rig_wait_for_callbacks(r);
}

/* All callback threads are taken: what comes then waits for one, and is neither lost nor run twice;
 * messages need none. */
THREADED(where_all_callback_threads_are_busy_nothing_is_lost) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS,
                                    .callback_threads_max = 2 });
    blocker slow[2] = { BLOCKER_INIT, BLOCKER_INIT };
    tarry_timer *timers[2], *more[20];
    shot shots[20];
    for (int i = 0; i < 2; ++i) timers[i] = func_in(r->rt, 0, blocker_run, &slow[i]);
    rig_settle(r, 0);
    for (int i = 0; i < 2; ++i) test_count_await(&slow[i].begun, 1);
    for (int i = 0; i < 20; ++i) {
        shots[i] = (shot){ .r = r };
        more[i] = func_in(r->rt, TARRY_SECOND, shot_run, &shots[i]);
    }
    tarry_timer *message = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(message) > 0);
    for (int i = 0; i < 20; ++i) CHECK_INT(shots[i].runs, 0);
    CHECK_INT(rig_stats(r).pending, 20);
    CHECK_INT(tarry_timer_stop(more[7]), 1); /* its turn has not come: it can be stopped */
    test_count_add(&slow[0].leave);
    while (rig_stats(r).pending != 0) sched_yield();
    test_count_add(&slow[1].leave);
    for (int i = 0; i < 2; ++i) CHECK_INT(tarry_timer_stop_wait(timers[i]), 0);
    rig_wait_for_callbacks(r);
    for (int i = 0; i < 20; ++i) CHECK_INT(shots[i].runs, i != 7);
    for (int i = 0; i < 20; ++i) CHECK_INT(tarry_timer_free(more[i]), 0);
    for (int i = 0; i < 2; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(tarry_timer_free(message), 0);
}

/* With inline callbacks the bucket waits, as the user chose, and another bucket does not. All are
 * due since a second, so no tarry_advance has to wait for the one that stands still. */
THREADED(a_slow_inline_function_delays_no_other_bucket) {
    rig_remake(r, &(tarry_options){ .workers = 2, .callbacks = TARRY_CALLBACKS_INLINE });
    blocker slow = BLOCKER_INIT, other = BLOCKER_INIT;
    test_count_add(&other.leave);
    shot s = { .r = r };
    tarry_timer *first, *second, *same_bucket;
    const int64_t past = r->now - TARRY_SECOND;
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    CHECK_INT(tarry_after_func_at(&first, r->rt, past, blocker_run, &slow), 0);
    test_count_await(&slow.begun, 1);
    CHECK_INT(tarry_after_func_at(&same_bucket, r->rt, past, shot_run, &s), 0);
    CHECK_INT(tarry_bind(r->rt, 1), 0);
    CHECK_INT(tarry_after_func_at(&second, r->rt, past, blocker_run, &other), 0);
    test_count_await(&other.ended, 1);
    CHECK_INT(test_count_read(&slow.ended), 0);
    CHECK_INT(s.runs, 0);
    test_count_add(&slow.leave);
    rig_settle(r, 0);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
    CHECK_INT(tarry_timer_free(same_bucket), 0);
}

TEST_SUITE("slow_callback", 60, CASE(a_slow_function_delays_no_other_timer),
           CASE(where_all_callback_threads_are_busy_nothing_is_lost),
           CASE(a_slow_inline_function_delays_no_other_bucket))
