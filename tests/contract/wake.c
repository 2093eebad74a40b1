/* Shows: only an arming that becomes the earliest wakes the sleeper, one wake serves many, and none
 * is lost. The real clock with deadlines hours away, so that nothing here depends on speed. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <string.h>

static const int64_t hour = 3600 * TARRY_SECOND;

THREADED(an_arming_that_is_not_the_earliest_wakes_nobody) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    enum { COUNT = 500 };
    tarry_timer *timers[COUNT];
    tarry_timer *head = quiet_in(r->rt, hour);
    rig_wait_until_asleep(r);
    const tarry_stats before = rig_stats(r);
    for (int i = 0; i < COUNT; ++i) timers[i] = quiet_in(r->rt, hour + (1 + i % 7) * TARRY_SECOND);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(tarry_timer_reset(timers[i], 2 * hour + i), 1);
        if (i % 2) CHECK_INT(tarry_timer_stop(timers[i]), 1);
    }
    const tarry_stats after = rig_stats(r);
    CHECK_INT(after.wakes, before.wakes);
    CHECK_INT(after.sleeps, before.sleeps);
    CHECK_INT(after.idle_wakes, before.idle_wakes);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(tarry_timer_free(head), 0);
}

/* The head was stopped, so an arming behind it is the earliest: but the sleeper wakes before it
 * anyway. */
THREADED(an_arming_after_the_end_of_the_sleep_wakes_nobody) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    tarry_timer *head = quiet_in(r->rt, hour), *later = quiet_in(r->rt, TARRY_FOREVER);
    rig_wait_until_asleep(r);
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_timer_stop(head), 1);
    CHECK_INT(tarry_timer_reset(later, 2 * hour), 1);
    CHECK_INT(rig_stats(r).wakes, before.wakes);
    CHECK_INT(tarry_timer_free(head), 0);
    CHECK_INT(tarry_timer_free(later), 0);
}

/* One nanosecond (or a tick) decides: who is no earlier wakes nobody, who is earlier does. */
THREADED(an_arming_that_is_earlier_by_the_least_wakes) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    const int64_t due = now_of(r->rt) + hour;
    tarry_timer *head = quiet_in(r->rt, TARRY_FOREVER), *other = quiet_in(r->rt, TARRY_FOREVER);
    CHECK_INT(tarry_timer_reset_at(head, due), 1);
    rig_wait_until_asleep(r);
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_timer_reset_at(other, due), 1);
    CHECK_INT(rig_stats(r).wakes, before.wakes);
    CHECK_INT(tarry_timer_reset_at(other, due - 1), 1);
    /* A wheel sleeps until it has to move the timer, which is no later than this; the others until
     * the timer is due, which with a tick is at the end of that. */
    CHECK_INT(rig_stats(r).wakes - before.wakes, strcmp(r->backend, "wheel") != 0);
    CHECK_INT(tarry_timer_free(head), 0);
    CHECK_INT(tarry_timer_free(other), 0);
}

THREADED(an_arming_that_becomes_the_earliest_wakes_once_a_sleep) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    enum { COUNT = 300 };
    tarry_timer *timers[COUNT];
    tarry_timer *head = quiet_in(r->rt, 10 * hour);
    rig_wait_until_asleep(r);
    const tarry_stats before = rig_stats(r);
    for (int i = 0; i < COUNT; ++i) timers[i] = quiet_in(r->rt, 9 * hour - i * TARRY_SECOND);
    const tarry_stats after = rig_stats(r);
    CHECK(after.wakes - before.wakes >= 1);
    CHECK(after.wakes <= after.sleeps); /* each sleep is ended by one wake, however many come */
    rig_wait_until_asleep(r);
    CHECK_INT(tarry_timer_reset(head, TARRY_FOREVER), 1);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(tarry_timer_free(head), 0);
}

/* The sleeper has come to its deadline by itself (5 ms of real time), is in a callback and cannot
 * sleep: no arming, however early, may send it anything; and all that was armed meanwhile is seen
 * before it sleeps. */
THREADED(while_the_timerproc_is_busy_nobody_wakes_it) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    enum { COUNT = 100 };
    blocker busy = BLOCKER_INIT;
    shot shots[COUNT];
    tarry_timer *timers[COUNT];
    tarry_timer *slow = func_in(r->rt, 5 * TARRY_MILLISECOND, blocker_run, &busy);
    test_count_await(&busy.begun, 1);
    const tarry_stats before = rig_stats(r);
    for (int i = 0; i < COUNT; ++i) {
        shots[i] = (shot){ .r = r };
        CHECK_INT(tarry_after_func_at(&timers[i], r->rt, 1 + i, shot_run, &shots[i]), 0);
    }
    CHECK_INT(rig_stats(r).wakes, before.wakes);
    test_count_add(&busy.leave);
    rig_wait_for_all(r);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(shots[i].runs, 1);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
    CHECK_INT(tarry_timer_free(slow), 0);
}

static void count_and_signal(void *argument) {
    test_count_add(argument);
}

/* Thousands of times the sleeper is on its way to sleep, or asleep until far away, when something
 * due at once is armed: a lost wake would hang here. Different spans between two armings bring them
 * to every point of its way. */
THREADED(no_wake_is_lost) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    test_count fired = TEST_COUNT_INIT;
    tarry_timer *far = quiet_in(r->rt, hour);
    tarry_timer *now = func_in(r->rt, hour, count_and_signal, &fired);
    const unsigned rounds = test_rounds(5000, 100000);
    for (unsigned i = 1; i <= rounds; ++i) {
        CHECK(tarry_timer_reset_at(now, i % 3 == 0 ? INT64_MIN : 1) >= 0); /* long past */
        test_count_await(&fired, i);
        for (volatile unsigned spin = 0; spin < i % 512; ++spin) continue;
    }
    CHECK_INT(tarry_timer_stop_wait(now), 0);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.fired, rounds);
    CHECK(stats.wakes <= stats.sleeps);
    CHECK_INT(tarry_timer_free(now), 0);
    CHECK_INT(tarry_timer_free(far), 0);
}

/* The first timer of an idle bucket: its thread is asleep without a limit, or not yet there. */
THREADED(the_first_arming_of_an_empty_bucket_is_seen) {
    for (int i = 0; i < 200; ++i) {
        if (i % 4 == 0) rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
        test_count fired = TEST_COUNT_INIT;
        tarry_timer *timer = func_in(r->rt, i % 2, count_and_signal, &fired);
        test_count_await(&fired, 1);
        CHECK_INT(tarry_timer_stop_wait(timer), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

TEST_SUITE("wake", 120, CASE(an_arming_that_is_not_the_earliest_wakes_nobody),
           CASE(an_arming_after_the_end_of_the_sleep_wakes_nobody),
           CASE(an_arming_that_is_earlier_by_the_least_wakes),
           CASE(an_arming_that_becomes_the_earliest_wakes_once_a_sleep),
           CASE(while_the_timerproc_is_busy_nobody_wakes_it), CASE(no_wake_is_lost),
           CASE(the_first_arming_of_an_empty_bucket_is_seen))
