/* Shows: what stop and reset answer follows from what happened to the value alone: 1 where this
 * call kept it from everyone, 0 where it was received, its function ran, or nothing was armed. A
 * table of the states a timer can be in, for mailboxes and for callbacks; reset answers as stop. */
#include "alarm.h"
#include "suite.h"

#include <errno.h>

static const int64_t soon = 10 * TARRY_MILLISECOND;

static void leave_pending(rig *r, test_alarm *alarm) {
    (void)alarm;
    rig_pass(r, soon - 1);
}

static void let_fire(rig *r, test_alarm *alarm) {
    (void)alarm;
    rig_settle(r, soon);
}

static void let_fire_and_receive(rig *r, test_alarm *alarm) {
    rig_settle(r, soon);
    CHECK(take_due(alarm->mailbox) >= 0);
}

static void stop_it(rig *r, test_alarm *alarm) {
    (void)r;
    CHECK_INT(tarry_timer_stop(alarm->timer), 1);
}

/* Issue 80760: after a stop that answers 0, reset must not find something to stop. */
static void receive_and_stop(rig *r, test_alarm *alarm) {
    let_fire_and_receive(r, alarm);
    CHECK_INT(tarry_timer_stop(alarm->timer), 0);
}

static void let_fire_and_reset(rig *r, test_alarm *alarm) {
    rig_settle(r, soon);
    CHECK_INT(tarry_timer_reset(alarm->timer, soon), alarm->own == NULL);
    take_due(alarm->mailbox);
}

static const struct {
    void (*prepare)(rig *r, test_alarm *alarm);
    int answer[ALARM_KINDS]; /* of a mailbox, of a callback */
} states[] = {
    { leave_pending, { 1, 1 } },        { let_fire, { 1, 0 } },
    { let_fire_and_receive, { 0, 0 } }, { stop_it, { 0, 0 } },
    { receive_and_stop, { 0, 0 } },     { let_fire_and_reset, { 1, 1 } },
};
enum { STATES = sizeof states / sizeof *states };

/* What a callback left in its own mailbox is the program's, and stays there. */
static void nothing_is_left(test_alarm *alarm) {
    if (alarm->own != NULL) take_due(alarm->own);
    CHECK_INT(take_due(alarm->mailbox), -EAGAIN);
}

/* TestStopResult, in every state; a second stop is always 0, and nothing comes afterwards. */
ALARM_CASE(stop_answers_1_only_where_it_kept_something_from_happening) {
    for (int i = 0; i < STATES; ++i) {
        test_alarm alarm;
        alarm_set(&alarm, r->rt, kind, soon);
        states[i].prepare(r, &alarm);
        CHECK_INT(tarry_timer_stop(alarm.timer), states[i].answer[kind]);
        nothing_is_left(&alarm);
        CHECK_INT(tarry_timer_stop(alarm.timer), 0);
        rig_settle(r, 2 * soon);
        CHECK_INT(take_due(alarm.mailbox), -EAGAIN);
        alarm_free(&alarm);
    }
}

/* TestResetResult: reset answers as stop would have, and arms in any case. */
ALARM_CASE(reset_answers_as_stop_and_arms_in_any_case) {
    for (int i = 0; i < STATES; ++i) {
        test_alarm alarm;
        alarm_set(&alarm, r->rt, kind, soon);
        states[i].prepare(r, &alarm);
        CHECK_INT(tarry_timer_reset(alarm.timer, soon), states[i].answer[kind]);
        nothing_is_left(&alarm);
        rig_pass(r, soon - 1);
        CHECK_INT(take_due(alarm.mailbox), -EAGAIN);
        rig_pass(r, 1 + r->tick);
        CHECK(take_due(alarm.mailbox) >= 0);
        CHECK_INT(tarry_timer_stop(alarm.timer), 0);
        alarm_free(&alarm);
    }
}

/* TestAfterFunc's neighbours in the documentation of Stop: within its own function a timer is not
 * armed any more, so stop answers 0; a reset there answers 0 and arms, and both are no deadlock. */
typedef struct own_call {
    rig *r;
    tarry_timer *timer;
    int64_t delay;
    int runs, reset_answer, stop_answer;
} own_call;

static void stop_then_reset_itself(void *argument) {
    own_call *own = argument;
    if (++own->runs > 1) return;
    own->stop_answer = tarry_timer_stop(own->timer);
    own->reset_answer = tarry_timer_reset(own->timer, own->delay);
}

ON_EACH_RIG(within_its_own_callback_stop_is_0_and_reset_arms) {
    own_call own = { .r = r, .delay = soon, .stop_answer = -1, .reset_answer = -1 };
    own.timer = func_in(r->rt, soon, stop_then_reset_itself, &own);
    rig_settle(r, soon);
    CHECK_INT(own.runs, 1);
    CHECK_INT(own.stop_answer, 0);
    CHECK_INT(own.reset_answer, 0);
    rig_settle(r, soon);
    CHECK_INT(own.runs, 2);
    CHECK_INT(tarry_timer_stop(own.timer), 0);
    CHECK_INT(tarry_timer_free(own.timer), 0);
}

static void reset_then_stop_itself(void *argument) {
    own_call *own = argument;
    ++own->runs;
    own->reset_answer = tarry_timer_reset(own->timer, own->delay);
    own->stop_answer = tarry_timer_stop(own->timer);
}

ON_EACH_RIG(within_its_own_callback_what_reset_armed_can_be_stopped) {
    own_call own = { .r = r, .delay = 0, .stop_answer = -1, .reset_answer = -1 };
    own.timer = func_in(r->rt, soon, reset_then_stop_itself, &own);
    rig_settle(r, 3 * soon);
    CHECK_INT(own.runs, 1);
    CHECK_INT(own.reset_answer, 0);
    CHECK_INT(own.stop_answer, 1);
    CHECK_INT(tarry_timer_free(own.timer), 0);
}

TEST_SUITE("go_results", 60, CASE(stop_answers_1_only_where_it_kept_something_from_happening),
           CASE(reset_answers_as_stop_and_arms_in_any_case),
           CASE(within_its_own_callback_stop_is_0_and_reset_arms),
           CASE(within_its_own_callback_what_reset_armed_can_be_stopped))
