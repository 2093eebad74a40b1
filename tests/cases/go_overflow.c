/* Shows: no delay, deadline or period, however large or negative, wraps around: what is past the
 * end of time never comes, what is negative is due at once, and the other timers are unharmed. */
#include "alarm.h"
#include "suite.h"

#include <errno.h>

static const int64_t year = INT64_C(86400) * 365 * TARRY_SECOND;

/* A runtime whose clock begins near the end of time. */
static void begin_at(rig *r, int64_t start) {
    r->now = start;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
}

static void expect_25ms_timer(rig *r, int kind) {
    test_alarm alarm;
    alarm_set(&alarm, r->rt, kind, 25 * TARRY_MILLISECOND);
    rig_settle(r, 25 * TARRY_MILLISECOND);
    CHECK(take_due(alarm.mailbox) >= 0);
    alarm_free(&alarm);
}

/* TestOverflowSleep: a delay of 2^63 - 1 and its neighbours never end; a 25 ms timer beside them
 * fires; they are still armed, and can be stopped. */
ALARM_CASE(a_delay_past_the_end_of_time_never_ends) {
    static const int64_t delays[] = { INT64_MAX, INT64_MAX - 1, INT64_MAX - TARRY_SECOND };
    enum { COUNT = sizeof delays / sizeof *delays };
    test_alarm alarms[COUNT];
    for (int i = 0; i < COUNT; ++i) alarm_set(&alarms[i], r->rt, kind, delays[i]);
    expect_25ms_timer(r, kind);
    rig_pass(r, 100 * year);
    expect_25ms_timer(r, kind);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(take_due(alarms[i].mailbox), -EAGAIN);
        CHECK_INT(tarry_timer_stop(alarms[i].timer), 1);
        CHECK_INT(tarry_timer_reset(alarms[i].timer, 0), 0);
        rig_settle(r, 0);
        CHECK(take_due(alarms[i].mailbox) >= 0);
        alarm_free(&alarms[i]);
    }
}

/* The far end of time is never reached, even by a clock that is moved as far as it goes. */
ON_EACH_RIG(the_end_of_time_is_not_reached) {
    begin_at(r, INT64_MAX - 10 * TARRY_SECOND);
    tarry_timer *never = timer_in(r->rt, INT64_MAX);
    tarry_timer *just_past = timer_in(r->rt, 10 * TARRY_SECOND);
    tarry_timer *before = timer_in(r->rt, 9 * TARRY_SECOND);
    rig_settle(r, 9 * TARRY_SECOND);
    CHECK_INT(timer_due(before), INT64_MAX - TARRY_SECOND);
    rig_reach(r, INT64_MAX - 2);
    CHECK_INT(timer_due(never), -EAGAIN);
    CHECK_INT(timer_due(just_past), -EAGAIN);
    CHECK_INT(tarry_timer_stop(never), 1);
    CHECK_INT(tarry_timer_stop(just_past), 1);
    CHECK_INT(tarry_timer_free(never), 0);
    CHECK_INT(tarry_timer_free(just_past), 0);
    CHECK_INT(tarry_timer_free(before), 0);
}

/* TestOverflowSleep's second half: -2^63 is due at once and never "292 years ago", where it would
 * stop all others. A deadline in the past keeps the order among the rest. */
ALARM_CASE(the_most_negative_delay_is_due_at_once) {
    test_alarm first;
    alarm_set(&first, r->rt, kind, INT64_MIN);
    rig_settle(r, 0);
    CHECK(take_due(first.mailbox) >= 0);
    expect_25ms_timer(r, kind);
    alarm_free(&first);
}

ON_EACH_RIG(a_deadline_in_the_far_past_is_due_at_once) {
    static const int64_t deadlines[] = { INT64_MIN, INT64_MIN + 1, -TARRY_SECOND, -1, 0, 1 };
    for (size_t i = 0; i < sizeof deadlines / sizeof *deadlines; ++i) {
        tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
        CHECK_INT(tarry_timer_reset_at(timer, deadlines[i]), 1);
        int64_t left = -1;
        tarry_timer_remaining(&left, timer);
        if (r->by_hand) CHECK_INT(left, 0);
        rig_settle(r, 0);
        tarry_message message;
        CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 1);
        CHECK_INT(tarry_timer_free(timer), 0);
        expect_25ms_timer(r, ALARM_MAILBOX);
    }
}

/* TestOverflowPeriodRuntimeTimer: a ticker with a huge period does not tick in the past, and a
 * 25 ms timer beside it fires. The next test shows the same of a period's second addition. */
ON_EACH_RIG(a_huge_period_does_not_wrap_around) {
    static const int64_t periods[] = { INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 + 1 };
    for (size_t i = 0; i < sizeof periods / sizeof *periods; ++i) {
        tarry_ticker *ticker = ticker_of(r->rt, periods[i]);
        expect_25ms_timer(r, ALARM_MAILBOX);
        CHECK_INT(ticker_due(ticker), -EAGAIN);
        CHECK_INT(tarry_ticker_stop(ticker), 1);
        CHECK_INT(tarry_ticker_reset(ticker, periods[i]), 0);
        CHECK_INT(tarry_ticker_free(ticker), 0);
    }
}

ON_EACH_RIG(a_ticker_whose_next_tick_is_past_the_end_of_time_is_silent) {
    begin_at(r, INT64_MAX - 10 * TARRY_SECOND);
    const int64_t start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, 4 * TARRY_SECOND);
    for (int i = 1; i <= 2; ++i) {
        rig_reach(r, start + i * 4 * TARRY_SECOND + r->tick);
        CHECK_INT(ticker_due(ticker), start + i * 4 * TARRY_SECOND);
    }
    expect_25ms_timer(r, ALARM_MAILBOX);
    rig_reach(r, INT64_MAX - 2);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* TestDialTimeoutMaxDuration: as a limit on a wait the end of time is no limit, not the past. */
ON_EACH_RIG(the_longest_timeout_does_not_time_out) {
    static const int64_t limits[] = { TARRY_FOREVER, TARRY_FOREVER - 1 };
    for (int i = 0; i < 2; ++i) {
        tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
        const int64_t due = r->now + TARRY_SECOND;
        rig_settle(r, TARRY_SECOND);
        tarry_message message;
        CHECK_INT(tarry_mailbox_recv_until(&message, tarry_timer_mailbox(timer), limits[i]), 0);
        CHECK_INT(message.due_ns, due);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

TEST_SUITE("go_overflow", 60, CASE(a_delay_past_the_end_of_time_never_ends),
           CASE(the_end_of_time_is_not_reached), CASE(the_most_negative_delay_is_due_at_once),
           CASE(a_deadline_in_the_far_past_is_due_at_once),
           CASE(a_huge_period_does_not_wrap_around),
           CASE(a_ticker_whose_next_tick_is_past_the_end_of_time_is_silent),
           CASE(the_longest_timeout_does_not_time_out))
