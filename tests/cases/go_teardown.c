/* Shows: a runtime that is destroyed with timers pending runs none of them, wakes whoever waits,
 * and what is used afterwards says so. Go's synctest asks the same of a bubble that has ended. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* synctest TestTimerAfterBubbleExit: pending timers of a runtime that ended do not run. The far
 * ones are due in no time, were the clock still looked at. */
ON_EACH_RIG(pending_timers_do_not_run_once_the_runtime_has_ended) {
    enum { COUNT = 10 };
    atomic_uint runs = 0;
    tarry_timer *funcs[COUNT], *timers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        funcs[i] = func_in(r->rt, i * TARRY_SECOND, count_run, &runs);
        timers[i] = timer_in(r->rt, i * TARRY_SECOND);
    }
    rig_settle(r, 4 * TARRY_SECOND);
    CHECK_INT(runs, 5);
    rig_destroy(r);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(tarry_timer_stop(timers[i]), -ESHUTDOWN);
        CHECK_INT(tarry_timer_reset(timers[i], 0), -ESHUTDOWN);
        CHECK_INT(tarry_timer_reset(funcs[i], 0), -ESHUTDOWN);
        CHECK_INT(tarry_timer_stop_wait(funcs[i]), -ESHUTDOWN);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
        CHECK_INT(tarry_timer_free(funcs[i]), 0);
    }
    CHECK_INT(runs, 5);
}

/* Those who wait, in each way there is, wake with -EPIPE. */
typedef struct waiter {
    test_thread thread;
    tarry_runtime *rt;
    tarry_mailbox *mailbox;
    int status;
} waiter;

static void in_receive(void *argument) {
    waiter *w = argument;
    tarry_message message;
    w->status = tarry_mailbox_recv(&message, w->mailbox);
}

static void in_receive_until(void *argument) {
    waiter *w = argument;
    tarry_message message;
    w->status = tarry_mailbox_recv_until(&message, w->mailbox, 1000000 * TARRY_SECOND);
}

static void in_select(void *argument) {
    waiter *w = argument;
    tarry_case cases[] = { { .mailbox = NULL }, { .mailbox = w->mailbox } };
    size_t chosen = 0;
    const int error = tarry_select(&chosen, cases, 2, TARRY_FOREVER);
    w->status = error != 0 ? error : cases[chosen].status;
}

static void in_sleep(void *argument) {
    waiter *w = argument;
    w->status = tarry_sleep(w->rt, 1000000 * TARRY_SECOND);
}

static void (*const ways[])(void *) = { in_receive, in_receive_until, in_select, in_sleep };
enum { WAYS = sizeof ways / sizeof *ways };

THREADED(whoever_waits_wakes_when_the_runtime_ends) {
    waiter waiters[3][WAYS];
    tarry_timer *timer = timer_in(r->rt, 3600 * TARRY_SECOND);
    tarry_ticker *ticker = ticker_of(r->rt, 3600 * TARRY_SECOND);
    tarry_mailbox *own = mailbox_in(r->rt);
    tarry_mailbox *const mailboxes[] = { tarry_timer_mailbox(timer), tarry_ticker_mailbox(ticker),
                                         own };
    for (int i = 0; i < 3; ++i)
        for (int way = 0; way < WAYS; ++way) {
            waiter *w = &waiters[i][way];
            *w = (waiter){ .rt = r->rt, .mailbox = mailboxes[i], .status = 1 };
            test_thread_start(&w->thread, ways[way], w);
            CHECK(test_thread_blocked(&w->thread));
        }
    rig_destroy(r);
    for (int i = 0; i < 3; ++i)
        for (int way = 0; way < WAYS; ++way) {
            test_thread_join(&waiters[i][way].thread);
            CHECK_INT(waiters[i][way].status, -EPIPE);
        }
    tarry_message message;
    CHECK_INT(tarry_mailbox_try_recv(&message, own), -EPIPE);
    CHECK_INT(tarry_mailbox_try_recv(&message, tarry_timer_mailbox(timer)), -EPIPE);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
    CHECK_INT(tarry_mailbox_free(own), 0);
}

/* synctest TestTimerFromOutsideBubble: a bubble may not touch a timer of another. Here every timer
 * knows its own runtime, so that it may: the clock of the other does not move it. */
THREADED(a_timer_goes_by_its_own_runtimes_clock) {
    tarry_options options = TARRY_OPTIONS_INIT;
    options.clock = TARRY_CLOCK_VIRTUAL;
    options.workers = 1;
    tarry_runtime *other = NULL;
    TEST_REQUIRE(tarry_create(&other, &options) == 0);
    tarry_timer *here = timer_in(r->rt, TARRY_SECOND), *there = timer_in(other, TARRY_SECOND);
    rig_settle(r, 10 * TARRY_SECOND);
    tarry_case cases[] = { { .mailbox = tarry_timer_mailbox(there) },
                           { .mailbox = tarry_timer_mailbox(here) } };
    size_t chosen = 77;
    CHECK_INT(tarry_select(&chosen, cases, 2, TARRY_FOREVER), 0);
    CHECK_INT(chosen, 1);
    CHECK_INT(timer_due(there), -EAGAIN);
    CHECK_INT(tarry_timer_stop(there), 1);
    CHECK_INT(tarry_timer_free(here), 0);
    CHECK_INT(tarry_timer_free(there), 0);
    CHECK_INT(tarry_destroy(other), 0);
}

TEST_SUITE("go_teardown", 60, CASE(pending_timers_do_not_run_once_the_runtime_has_ended),
           CASE(whoever_waits_wakes_when_the_runtime_ends),
           CASE(a_timer_goes_by_its_own_runtimes_clock))
