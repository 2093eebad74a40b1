/* Shows: one-shot timers keep the promises of Go's timer tests: due times and stamps, stop and
 * reset while pending, many at once, reset to the past, zero delays. A promise that a callback can
 * keep too is shown for mailbox and callback, as Go's tests run on "chan" and on "func". */
#include "alarm.h"
#include "suite.h"

#include <errno.h>

/* TestAfter: due after 100 ms, not before, and the stamp says when. */
ON_EACH_RIG(a_value_comes_when_its_time_has_come) {
    tarry_timer *timer = timer_in(r->rt, 100 * TARRY_MILLISECOND);
    const int64_t due = r->now + 100 * TARRY_MILLISECOND;
    tarry_message message;
    rig_reach(r, due - 1);
    CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 0);
    rig_reach(r, due + r->tick);
    CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 1);
    CHECK_INT(message.due_ns, due);
    CHECK(message.sent_ns >= due && message.sent_ns <= due + r->tick);
    CHECK(message.data == NULL);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestAfterTick: ten waits in a row take ten times one wait. */
ON_EACH_RIG(waits_in_a_row_add_up) {
    const int64_t start = r->now;
    for (int i = 0; i < 10; ++i) {
        tarry_timer *timer = timer_in(r->rt, 100 * TARRY_MILLISECOND);
        rig_settle(r, 100 * TARRY_MILLISECOND);
        CHECK_INT(timer_due(timer), start + (i + 1) * 100 * TARRY_MILLISECOND + i * r->tick);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* TestAfterStop: of four timers two are stopped before their time, and only the others fire. */
ALARM_CASE(a_stopped_timer_does_not_fire) {
    enum { COUNT = 4 };
    test_alarm alarms[COUNT];
    for (int i = 0; i < COUNT; ++i)
        alarm_set(&alarms[i], r->rt, kind, (i + 1) * 50 * TARRY_MILLISECOND);
    CHECK_INT(tarry_timer_stop(alarms[0].timer), 1);
    CHECK_INT(tarry_timer_stop(alarms[2].timer), 1);
    rig_settle(r, 200 * TARRY_MILLISECOND);
    for (int i = 0; i < COUNT; ++i) {
        const bool stopped = i % 2 == 0;
        CHECK_INT(take_due(alarms[i].mailbox) == -EAGAIN, stopped);
        CHECK_INT(tarry_timer_stop(alarms[i].timer), 0);
        alarm_free(&alarms[i]);
    }
}

/* TestAfterQueuing: thirteen timers, started in disorder, some at equal times, one at once: each
 * comes in its own step of time, none in an earlier or a later one. */
ALARM_CASE(many_timers_come_each_in_its_step) {
    static const int slots[] = { 5, 3, 6, 6, 6, 1, 1, 2, 7, 9, 4, 8, 0 };
    enum { COUNT = sizeof slots / sizeof *slots };
    const int64_t delta = 20 * TARRY_MILLISECOND, start = r->now;
    test_alarm alarms[COUNT];
    for (int i = 0; i < COUNT; ++i) alarm_set(&alarms[i], r->rt, kind, slots[i] * delta);
    for (int step = 0; step < 10; ++step) {
        const int64_t due = start + step * delta;
        if (step > 0) rig_reach(r, due - 1);
        for (int i = 0; i < COUNT && step > 0; ++i) CHECK_INT(take_due(alarms[i].mailbox), -EAGAIN);
        rig_reach(r, due + r->tick);
        for (int i = 0; i < COUNT; ++i)
            if (slots[i] == step)
                CHECK(take_due(alarms[i].mailbox) >= due);
            else
                CHECK_INT(take_due(alarms[i].mailbox), -EAGAIN);
    }
    for (int i = 0; i < COUNT; ++i) alarm_free(&alarms[i]);
}

static void reset_moves_the_deadline(rig *r, int64_t d) {
    tarry_timer *timer = timer_in(r->rt, 2 * d);
    rig_pass(r, d);
    const int64_t due = r->now + 3 * d;
    CHECK_INT(tarry_timer_reset(timer, 3 * d), 1);
    rig_reach(r, due - 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    rig_reach(r, due + r->tick);
    CHECK_INT(timer_due(timer), due);
    CHECK_INT(tarry_timer_reset(timer, 50 * TARRY_MILLISECOND), 0);
    rig_settle(r, 50 * TARRY_MILLISECOND);
    CHECK_INT(timer_due(timer), due + r->tick + 50 * TARRY_MILLISECOND);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestReset: reset while pending is true and moves the deadline; after the value was taken it is
 * false and arms afresh. From far below a wheel's tick to far above its finest level. */
ON_EACH_RIG(reset_moves_the_deadline_of_a_pending_timer) {
    for (int64_t d = 1; d <= 100 * TARRY_SECOND; d *= 10) reset_moves_the_deadline(r, d);
}

/* TestTimerModifiedEarlier (issue 47329): stopped, drained and reset to the far past again and
 * again, it is due at once each time, and not when its first deadline would have been. */
ON_EACH_RIG(reset_to_the_past_is_due_at_once) {
    for (int i = 0; i < 1000; ++i) {
        tarry_timer *timer = timer_in(r->rt, 3600 * TARRY_SECOND);
        for (int j = 0; j < 10; ++j) {
            CHECK_INT(tarry_timer_stop(timer), 1);
            CHECK_INT(tarry_timer_reset(timer, -r->now), 0);
        }
        rig_settle(r, 0);
        CHECK(timer_due(timer) >= 0);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* TestAfterTimes: the value tells when it was due, however late it is read. */
ON_EACH_RIG(the_stamp_is_the_due_time_and_not_the_time_of_the_read) {
    for (int i = 0; i < 10; ++i) {
        const int64_t due = r->now + 10 * TARRY_MILLISECOND;
        tarry_timer *timer = timer_in(r->rt, 10 * TARRY_MILLISECOND);
        rig_pass(r, 500 * TARRY_MILLISECOND);
        CHECK_INT(timer_due(timer), due);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* TestTimerRunsImmediately, TestZeroTimer: a delay of zero or less needs no time to pass. */
ALARM_CASE(a_zero_delay_is_due_at_once) {
    static const int64_t delays[] = { 0, -1, -TARRY_SECOND, INT64_MIN };
    for (size_t i = 0; i < sizeof delays / sizeof *delays; ++i) {
        test_alarm alarm;
        alarm_set(&alarm, r->rt, kind, delays[i]);
        rig_settle(r, 0);
        CHECK(take_due(alarm.mailbox) >= 0);
        CHECK_INT(tarry_timer_reset(alarm.timer, delays[i]), 0);
        rig_settle(r, 0);
        CHECK(take_due(alarm.mailbox) >= 0);
        CHECK_INT(take_due(alarm.mailbox), -EAGAIN);
        alarm_free(&alarm);
    }
}

/* synctest TestTimerNondeterminism: Go makes a point of promising no order among equal deadlines;
 * here none is promised either, but the same calls give the same order, and none is lost. */
static unsigned order_of_equals(rig *r, shot *shots, int count) {
    tarry_timer *timers[8];
    for (int i = 0; i < count; ++i) {
        shots[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, TARRY_SECOND, shot_run, &shots[i]);
    }
    rig_settle(r, TARRY_SECOND);
    unsigned order = 0;
    for (int i = 0; i < count; ++i) {
        CHECK_INT(shots[i].runs, 1);
        unsigned before = 0;
        for (int j = 0; j < count; ++j) before += shots[j].number < shots[i].number;
        order = order * (unsigned)count + before;
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
    return order;
}

ON_EACH_RIG(equal_deadlines_all_fire_and_in_an_order_that_repeats) {
    shot shots[8];
    const int64_t start = r->now;
    const unsigned first = order_of_equals(r, shots, 8);
    for (int round = 0; round < 20; ++round) {
        r->now = start;
        rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
        CHECK_INT(order_of_equals(r, shots, 8), first);
    }
}

TEST_SUITE("go_timer", 60, CASE(a_value_comes_when_its_time_has_come), CASE(waits_in_a_row_add_up),
           CASE(a_stopped_timer_does_not_fire), CASE(many_timers_come_each_in_its_step),
           CASE(reset_moves_the_deadline_of_a_pending_timer),
           CASE(reset_to_the_past_is_due_at_once),
           CASE(the_stamp_is_the_due_time_and_not_the_time_of_the_read),
           CASE(a_zero_delay_is_due_at_once),
           CASE(equal_deadlines_all_fire_and_in_an_order_that_repeats))
