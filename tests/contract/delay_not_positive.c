/* Shows: a delay <= 0, or a point that has passed, is due at once and fires once; a period <= 0 is
 * an error that changes nothing. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

static const int64_t not_positive[] = { 0, -1, -TARRY_SECOND, INT64_MIN + 1, INT64_MIN };

enum { COUNT = sizeof not_positive / sizeof *not_positive };

ON_EACH_RIG(a_function_is_due_at_once) {
    for (int i = 0; i < COUNT; ++i) {
        shot s = { .r = r };
        tarry_timer *timer = func_in(r->rt, not_positive[i], shot_run, &s);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 1);
        CHECK_INT(tarry_timer_reset(timer, not_positive[i]), 0);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 2);
        rig_pass(r, 10 * TARRY_SECOND);
        CHECK_INT(s.runs, 2);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

ON_EACH_RIG(a_message_is_due_at_once) {
    for (int i = 0; i < COUNT; ++i) {
        tarry_message message = { 0 };
        const int64_t armed_at = r->now;
        tarry_timer *timer = timer_in(r->rt, not_positive[i]);
        rig_settle(r, 0);
        CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 1);
        CHECK_INT(message.due_ns, armed_at);
        CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

ON_EACH_RIG(a_handle_is_due_at_once) {
    tarry_handle handle;
    shot s = { .r = r };
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    for (int i = 0; i < COUNT; ++i) {
        const int runs = s.runs;
        CHECK_INT(tarry_arm(r->rt, handle, not_positive[i]), 0);
        rig_settle(r, 0);
        CHECK_INT(s.runs, runs + 1);
        CHECK_INT(tarry_rearm(r->rt, handle, not_positive[i]), TARRY_IDLE);
        rig_settle(r, 0);
        CHECK_INT(s.runs, runs + 2);
    }
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
}

/* A point before the clock's start, or before zero, is just the past. */
ON_EACH_RIG(a_point_that_has_passed_is_due_at_once) {
    const int64_t points[] = { r->now, r->now - 1, 1, 0, -1, INT64_MIN + 1, INT64_MIN };
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        shot s = { .r = r };
        tarry_timer *timer = NULL;
        tarry_handle handle;
        tarry_message message;
        CHECK_INT(tarry_after_func_at(&timer, r->rt, points[i], shot_run, &s), 0);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 1);
        CHECK_INT(tarry_timer_reset_at(timer, points[i]), 0);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 2);
        CHECK_INT(tarry_timer_free(timer), 0);
        CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
        CHECK_INT(tarry_arm_at(r->rt, handle, points[i]), 0);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 3);
        CHECK_INT(tarry_rearm_at(r->rt, handle, points[i]), TARRY_IDLE);
        rig_settle(r, 0);
        CHECK_INT(s.runs, 4);
        CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
        CHECK_INT(tarry_timer_new_at(&timer, r->rt, points[i]), 0);
        rig_settle(r, 0);
        CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 1);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

BY_HAND(a_due_timer_can_still_be_stopped_before_its_turn) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, INT64_MIN, shot_run, &s);
    CHECK_INT(tarry_timer_stop(timer), 1);
    rig_settle(r, 0);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(a_period_that_is_not_positive_is_refused) {
    tarry_ticker *const none = (tarry_ticker *)&none;
    tarry_ticker *ticker = none, *good = ticker_of(r->rt, TARRY_SECOND);
    const tarry_stats before = rig_stats(r);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(tarry_ticker_new(&ticker, r->rt, not_positive[i]), -EINVAL);
        CHECK(ticker == none);
        CHECK_INT(tarry_ticker_reset(good, not_positive[i]), -EINVAL);
    }
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    rig_settle(r, TARRY_SECOND);
    CHECK(ticker_due(good) > 0);
    CHECK_INT(tarry_ticker_free(good), 0);
}

THREADED(a_sleep_that_is_not_positive_returns_at_once) {
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_sleep(r->rt, not_positive[i]), 0);
    CHECK_INT(tarry_sleep_until(r->rt, r->now), 0);
    CHECK_INT(tarry_sleep_until(r->rt, INT64_MIN), 0);
    CHECK_INT(now_of(r->rt), r->now);
}

TEST_SUITE("delay_not_positive", 60, CASE(a_function_is_due_at_once),
           CASE(a_message_is_due_at_once), CASE(a_handle_is_due_at_once),
           CASE(a_point_that_has_passed_is_due_at_once),
           CASE(a_due_timer_can_still_be_stopped_before_its_turn),
           CASE(a_period_that_is_not_positive_is_refused),
           CASE(a_sleep_that_is_not_positive_returns_at_once))
