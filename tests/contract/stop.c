/* Shows: stop answers 1 where it kept the timer from firing or took its message back, 0 where the
 * message was received, the function ran, or nothing was armed; and nothing old comes after it. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(stop_of_a_pending_timer_is_one_and_then_zero) {
    shot s = { .r = r };
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_timer *func = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_stop(func), 1);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(tarry_timer_stop(func), 0);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(tarry_timer_stop_wait(func), 0);
    rig_settle(r, 2 * TARRY_SECOND);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(s.runs, 0);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.armed, 2);
    CHECK_INT(stats.stopped, 2);
    CHECK_INT(stats.fired, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(func), 0);
}

ON_EACH_RIG(stop_takes_back_a_message_that_nobody_received) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(tarry_timer_stop(timer), 0);
    rig_pass(r, 10 * TARRY_SECOND);
    CHECK_INT(timer_due(timer), -EAGAIN);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.stopped, 1);
    CHECK_INT(stats.fired, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(stop_after_the_message_was_received_is_zero) {
    const int64_t due = r->now + TARRY_SECOND;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(timer_due(timer), due);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(timer_due(timer), -EAGAIN);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.fired, 1);
    CHECK_INT(stats.stopped, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(stop_after_the_function_ran_is_zero) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(rig_stats(r).fired, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* A stop of the head, of the middle and of the last leaves the others as they were. */
ON_EACH_RIG(stop_of_one_leaves_the_others) {
    enum { COUNT = 64 };
    static shot shots[COUNT];
    tarry_timer *timers[COUNT];
    for (int gone = 0; gone < COUNT; ++gone) {
        for (int i = 0; i < COUNT; ++i) {
            shots[i] = (shot){ .r = r };
            const int64_t delay = (1 + i * 37 % COUNT) * TARRY_MILLISECOND;
            timers[i] = func_in(r->rt, delay, shot_run, &shots[i]);
        }
        CHECK_INT(tarry_timer_stop(timers[gone]), 1);
        rig_settle(r, COUNT * TARRY_MILLISECOND);
        for (int i = 0; i < COUNT; ++i) {
            if (!CHECK_INT(shots[i].runs, i != gone)) return;
            CHECK_INT(tarry_timer_free(timers[i]), 0);
        }
    }
}

ON_EACH_RIG(a_timer_shows_what_is_left_until_it_is_stopped) {
    int64_t left = 0;
    tarry_timer *timer = timer_in(r->rt, 2 * TARRY_SECOND);
    rig_pass(r, TARRY_SECOND);
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    CHECK_INT(left, TARRY_SECOND);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    CHECK_INT(left, TARRY_FOREVER);
    CHECK_INT(tarry_timer_free(timer), 0);
}

typedef struct stoppers {
    tarry_timer *timer;
    atomic_int ones;
} stoppers;

static void stop_it(unsigned index, void *argument) {
    stoppers *s = argument;
    int (*const stop)(tarry_timer *) = index % 2 == 0 ? tarry_timer_stop : tarry_timer_stop_wait;
    if (stop(s->timer) == 1) atomic_fetch_add(&s->ones, 1);
}

ON_EACH_RIG(of_several_stops_at_once_one_gets_the_one) {
    for (int round = 0; round < 50; ++round) {
        stoppers pending = { .timer = timer_in(r->rt, TARRY_SECOND) };
        test_threads_run(3, stop_it, &pending);
        CHECK_INT(pending.ones, 1);
        CHECK_INT(tarry_timer_reset(pending.timer, TARRY_SECOND), 0);
        rig_settle(r, TARRY_SECOND);
        stoppers unread = { .timer = pending.timer };
        test_threads_run(3, stop_it, &unread);
        CHECK_INT(unread.ones, 1);
        CHECK_INT(timer_due(pending.timer), -EAGAIN);
        CHECK_INT(tarry_timer_free(pending.timer), 0);
    }
}

TEST_SUITE("stop", 60, CASE(stop_of_a_pending_timer_is_one_and_then_zero),
           CASE(stop_takes_back_a_message_that_nobody_received),
           CASE(stop_after_the_message_was_received_is_zero),
           CASE(stop_after_the_function_ran_is_zero), CASE(stop_of_one_leaves_the_others),
           CASE(a_timer_shows_what_is_left_until_it_is_stopped),
           CASE(of_several_stops_at_once_one_gets_the_one))
