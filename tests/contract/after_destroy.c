/* Shows: what a runtime leaves behind answers ESHUTDOWN, and mailboxes EPIPE, until it is freed by
 * its own call; the runtime itself answers ESHUTDOWN. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

static void nothing(void *argument) {
    (void)argument;
}

ON_EACH_RIG(timers_and_tickers_answer_ESHUTDOWN) {
    int64_t left = 42;
    uint64_t count = 42;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_timer *func = func_in(r->rt, TARRY_SECOND, nothing, NULL);
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    rig_destroy(r);
    CHECK_INT(tarry_timer_stop(timer), -ESHUTDOWN);
    CHECK_INT(tarry_timer_stop_wait(func), -ESHUTDOWN);
    CHECK_INT(tarry_timer_shutdown(timer), -ESHUTDOWN);
    CHECK_INT(tarry_timer_reset(timer, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_reset_at(func, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_remaining(&left, timer), -ESHUTDOWN);
    CHECK_INT(tarry_ticker_stop(ticker), -ESHUTDOWN);
    CHECK_INT(tarry_ticker_reset(ticker, 1), -ESHUTDOWN);
    CHECK(tarry_ticker_dropped(&count, ticker) <= 0);
    CHECK_INT(left, 42);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(func), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

ON_EACH_RIG(mailboxes_answer_EPIPE) {
    tarry_message message;
    size_t chosen;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_mailbox *mailbox = mailbox_in(r->rt), *of_timer = tarry_timer_mailbox(timer);
    rig_destroy(r);
    CHECK_INT(tarry_mailbox_send(mailbox, r), -EPIPE);
    CHECK_INT(tarry_mailbox_try_send(mailbox, r), -EPIPE);
    CHECK_INT(tarry_mailbox_recv(&message, mailbox), -EPIPE);
    CHECK_INT(tarry_mailbox_try_recv(&message, of_timer), -EPIPE);
    CHECK_INT(tarry_mailbox_recv_until(&message, of_timer, TARRY_FOREVER), -EPIPE);
    CHECK_INT(tarry_mailbox_close(mailbox), -EPIPE);
    for (int op = TARRY_RECV; op <= TARRY_SEND; ++op) {
        tarry_case one = { .mailbox = mailbox, .op = op };
        CHECK_INT(tarry_select(&chosen, &one, 1, TARRY_FOREVER), 0);
        CHECK_INT(one.status, -EPIPE);
    }
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* What lies in a mailbox is still its receiver's. */
ON_EACH_RIG(a_message_that_was_sent_can_still_be_received) {
    tarry_message message;
    tarry_mailbox *mailbox = mailbox_in(r->rt);
    CHECK_INT(tarry_mailbox_try_send(mailbox, r), 0);
    rig_destroy(r);
    const int result = tarry_mailbox_recv(&message, mailbox);
    CHECK(result == -EPIPE || (result == 0 && message.data == r));
    CHECK_INT(tarry_mailbox_recv(&message, mailbox), -EPIPE);
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
}

ON_EACH_RIG(the_runtime_answers_ESHUTDOWN) {
    tarry_runtime *rt = r->rt;
    tarry_timer *timer = NULL;
    tarry_ticker *ticker = NULL;
    tarry_mailbox *mailbox = NULL;
    tarry_handle handle;
    tarry_stats stats = TARRY_STATS_INIT;
    int64_t point = 42;
    CHECK_INT(tarry_handle_new(&handle, rt, 0, nothing, NULL), 0);
    rig_destroy(r);
    CHECK_INT(tarry_timer_new(&timer, rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_new_at(&timer, rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_after_func(&timer, rt, 0, nothing, NULL), -ESHUTDOWN);
    CHECK_INT(tarry_after_func_at(&timer, rt, 0, nothing, NULL), -ESHUTDOWN);
    CHECK_INT(tarry_ticker_new(&ticker, rt, 1), -ESHUTDOWN);
    CHECK_INT(tarry_mailbox_new(&mailbox, rt), -ESHUTDOWN);
    CHECK_INT(tarry_arm(rt, handle, 0), -ESHUTDOWN);
    CHECK_INT(tarry_arm_at(rt, handle, 0), -ESHUTDOWN);
    CHECK_INT(tarry_rearm(rt, handle, 0), -ESHUTDOWN);
    CHECK_INT(tarry_rearm_at(rt, handle, 0), -ESHUTDOWN);
    CHECK_INT(tarry_disarm(rt, handle), -ESHUTDOWN);
    CHECK_INT(tarry_handle_free(rt, handle), -ESHUTDOWN);
    CHECK_INT(tarry_handle_new(&handle, rt, 0, nothing, NULL), -ESHUTDOWN);
    CHECK_INT(tarry_bind(rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_workers(rt), -ESHUTDOWN);
    CHECK_INT(tarry_now(&point, rt), -ESHUTDOWN);
    CHECK_INT(tarry_advance(rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_stats_read(&stats, rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_next_deadline(&point, rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_run_expired(rt, 0, 0, 0), -ESHUTDOWN);
    CHECK_INT(tarry_sleep(rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_sleep_until(rt, 0), -ESHUTDOWN);
    CHECK_INT(tarry_destroy(rt), -ESHUTDOWN);
    CHECK(timer == NULL && ticker == NULL && mailbox == NULL && point == 42);
}

/* An object holds on to what it needs of its runtime, not to the runtime's place: new ones come and
 * go meanwhile, and it does not take them for its own. */
ON_EACH_RIG(a_new_runtime_does_not_revive_what_the_old_one_left) {
    tarry_timer *left_behind = timer_in(r->rt, TARRY_SECOND);
    const tarry_options options = { .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE };
    for (int i = 0; i < 3; ++i) {
        rig_remake(r, &options);
        CHECK_INT(tarry_timer_reset(left_behind, 0), -ESHUTDOWN);
        CHECK_INT(rig_stats(r).timers, 0);
    }
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    CHECK_INT(tarry_timer_free(left_behind), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) > 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("after_destroy", 60, CASE(timers_and_tickers_answer_ESHUTDOWN),
           CASE(mailboxes_answer_EPIPE), CASE(a_message_that_was_sent_can_still_be_received),
           CASE(the_runtime_answers_ESHUTDOWN),
           CASE(a_new_runtime_does_not_revive_what_the_old_one_left))
