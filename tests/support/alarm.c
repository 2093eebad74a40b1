#include "alarm.h"

static void fill(void *argument) {
    tarry_mailbox_try_send(argument, NULL);
}

void alarm_set(test_alarm *alarm, tarry_runtime *rt, int kind, int64_t delay) {
    *alarm = (test_alarm){ 0 };
    if (kind == ALARM_MAILBOX) {
        TEST_REQUIRE(tarry_timer_new(&alarm->timer, rt, delay) == 0);
        alarm->mailbox = tarry_timer_mailbox(alarm->timer);
        return;
    }
    TEST_REQUIRE(tarry_mailbox_new(&alarm->own, rt) == 0);
    alarm->mailbox = alarm->own;
    TEST_REQUIRE(tarry_after_func(&alarm->timer, rt, delay, fill, alarm->own) == 0);
}

void alarm_free(test_alarm *alarm) {
    TEST_REQUIRE(tarry_timer_shutdown(alarm->timer) >= 0);
    TEST_REQUIRE(tarry_timer_stop_wait(alarm->timer) >= 0);
    TEST_REQUIRE(tarry_timer_free(alarm->timer) == 0);
    if (alarm->own != NULL) TEST_REQUIRE(tarry_mailbox_free(alarm->own) == 0);
}

void alarm_each(rig *r, alarm_body *body) {
    for (int kind = 0; kind < ALARM_KINDS; ++kind) {
        test_context("%s, tick %d, %s, %s", r->backend, (int)r->tick,
                     r->by_hand ? "by hand" : "timerproc",
                     kind == ALARM_MAILBOX ? "mailbox" : "callback");
        body(r, kind);
    }
}
