/* Shows: reset answers what stop would have, then arms afresh as one step; no message of before is
 * received after it. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(reset_of_a_pending_timer_is_one_and_moves_it) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, 10 * TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_timer_reset(timer, 20 * TARRY_SECOND), 1); /* later */
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1);      /* earlier */
    CHECK_INT(tarry_timer_reset(timer, 3 * TARRY_SECOND), 1);  /* between */
    rig_pass(r, 3 * TARRY_SECOND - 1);
    CHECK_INT(s.runs, 0);
    rig_settle(r, 1);
    CHECK_INT(s.runs, 1);
    rig_settle(r, 30 * TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.armed, 4);
    CHECK_INT(stats.stopped, 3);
    CHECK_INT(stats.fired, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(reset_of_a_stopped_timer_is_zero_and_arms_it) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_reset(timer, 2 * TARRY_SECOND), 0);
    rig_pass(r, 2 * TARRY_SECOND - 1);
    CHECK_INT(s.runs, 0);
    rig_settle(r, 1);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(reset_after_the_function_ran_is_zero_and_it_runs_again) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, 0, shot_run, &s);
    for (int run = 1; run <= 20; ++run) {
        rig_settle(r, TARRY_SECOND);
        CHECK_INT(s.runs, run);
        CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    }
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(reset_takes_back_a_message_that_nobody_received) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    const int64_t due = r->now + TARRY_SECOND;
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    rig_pass(r, TARRY_SECOND - 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    rig_settle(r, 1);
    CHECK_INT(timer_due(timer), due);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(reset_after_the_message_was_received_is_zero) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) > 0);
    const int64_t due = r->now + TARRY_SECOND;
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(timer_due(timer), due);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(reset_to_a_point_counts_from_the_clock_and_not_from_now) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    const int64_t due = r->now + 3 * TARRY_SECOND;
    rig_pass(r, TARRY_SECOND / 2);
    CHECK_INT(tarry_timer_reset_at(timer, due), 1);
    rig_reach(r, due - 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    rig_settle(r, 1);
    CHECK_INT(timer_due(timer), due);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* A reset to a point that is no earlier than another's, again and again: the timer that a lazy
 * reset leaves in place must surface, and only at its last deadline. */
ON_EACH_RIG(a_timer_that_is_put_off_a_thousand_times_fires_once_at_the_last) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    for (int i = 0; i < 1000; ++i) {
        rig_pass(r, TARRY_SECOND / 2);
        if (!CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1)) break;
    }
    CHECK_INT(s.runs, 0);
    const int64_t due = r->now + TARRY_SECOND;
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK(s.at_ns >= due && s.at_ns <= due + r->tick);
    CHECK_INT(tarry_timer_free(timer), 0);
}

typedef struct resetters {
    tarry_timer *timer;
    atomic_int ones;
} resetters;

static void reset_it(unsigned index, void *argument) {
    resetters *s = argument;
    if (tarry_timer_reset(s->timer, (1 + index) * TARRY_SECOND) == 1) atomic_fetch_add(&s->ones, 1);
}

/* Some order of the calls: the first finds it stopped, each later one stops the arming before. */
ON_EACH_RIG(resets_at_once_leave_one_arming) {
    for (int round = 0; round < 50; ++round) {
        resetters all = { .timer = timer_in(r->rt, TARRY_SECOND) };
        CHECK_INT(tarry_timer_stop(all.timer), 1);
        test_threads_run(3, reset_it, &all);
        CHECK_INT(all.ones, 2);
        CHECK_INT(rig_stats(r).pending, 1);
        rig_settle(r, 3 * TARRY_SECOND);
        CHECK(timer_due(all.timer) > 0);
        CHECK_INT(tarry_timer_stop(all.timer), 0);
        CHECK_INT(tarry_timer_free(all.timer), 0);
    }
}

TEST_SUITE("reset", 60, CASE(reset_of_a_pending_timer_is_one_and_moves_it),
           CASE(reset_of_a_stopped_timer_is_zero_and_arms_it),
           CASE(reset_after_the_function_ran_is_zero_and_it_runs_again),
           CASE(reset_takes_back_a_message_that_nobody_received),
           CASE(reset_after_the_message_was_received_is_zero),
           CASE(reset_to_a_point_counts_from_the_clock_and_not_from_now),
           CASE(a_timer_that_is_put_off_a_thousand_times_fires_once_at_the_last),
           CASE(resets_at_once_leave_one_arming))
