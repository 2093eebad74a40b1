/* Shows: a timer that is due at once, or made earlier, is never missed by a worker that is just
 * going idle, and the answers of stop and reset do not depend on when exactly the timer fires. Run
 * on the real clock and on one that a thread moves. */
#include "alarm.h"
#include "suite.h"

#include <errno.h>
#include <sched.h>

static const int64_t hour = 3600 * TARRY_SECOND;

/* TestZeroTimer/Impl and /Impl func: arm for now, receive, again and again (issue 44868). */
static void arm_and_receive(tarry_runtime *rt, int kind) {
    const unsigned rounds = test_rounds(1500, 10000);
    for (unsigned i = 0; i < rounds; ++i) {
        test_alarm alarm;
        alarm_set(&alarm, rt, kind, 0);
        tarry_message message;
        CHECK_INT(tarry_mailbox_recv(&message, alarm.mailbox), 0);
        alarm_free(&alarm);
    }
}

RACE(a_timer_due_at_once_is_never_missed, 1) {
    arm_and_receive(rt, ALARM_MAILBOX);
    arm_and_receive(rt, ALARM_CALLBACK);
}

/* TestZeroTimer/Cache: one timer, reset each time. */
RACE(a_reset_to_now_is_never_missed, 1) {
    const unsigned rounds = test_rounds(2500, 20000);
    tarry_timer *timer = timer_in(rt, hour);
    CHECK_INT(tarry_timer_stop(timer), 1);
    for (unsigned i = 0; i < rounds; ++i) {
        CHECK_INT(tarry_timer_reset(timer, 0), 0);
        tarry_message message;
        CHECK_INT(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)), 0);
    }
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestTimerModifiedEarlier (issue 47329): moved to the past, it wins against one of 10 s. */
RACE(a_timer_moved_earlier_is_never_missed, 1) {
    const unsigned rounds = test_rounds(500, 2000);
    for (unsigned i = 0; i < rounds; ++i) {
        tarry_timer *timer = timer_in(rt, hour), *limit = timer_in(rt, 10 * TARRY_SECOND);
        for (int j = 0; j < 10; ++j) {
            CHECK_INT(tarry_timer_stop(timer), 1);
            CHECK_INT(tarry_timer_reset(timer, -hour), 0);
        }
        tarry_case cases[] = { { .mailbox = tarry_timer_mailbox(limit) },
                               { .mailbox = tarry_timer_mailbox(timer) } };
        size_t chosen = 77;
        CHECK_INT(tarry_select(&chosen, cases, 2, TARRY_FOREVER), 0);
        CHECK_INT(chosen, 1);
        CHECK_INT(tarry_timer_free(timer), 0);
        CHECK_INT(tarry_timer_free(limit), 0);
    }
}

/* TestStopResult, TestResetResult (issue 69312): of two timers for the same moment one is received;
 * nobody received the other, so stopping or resetting it answers 1, fired or not. */
typedef struct losers {
    tarry_runtime *rt;
    unsigned rounds;
    atomic_uint wrong;
} losers;

static void stop_the_loser(unsigned index, void *argument) {
    losers *l = argument;
    for (unsigned i = 0; i < l->rounds; ++i) {
        tarry_timer *timers[2];
        tarry_case cases[2] = { 0 };
        for (int j = 0; j < 2; ++j) {
            timers[j] = timer_in(l->rt, TARRY_MICROSECOND);
            cases[j].mailbox = tarry_timer_mailbox(timers[j]);
        }
        size_t chosen = 0;
        TEST_REQUIRE(tarry_select(&chosen, cases, 2, TARRY_FOREVER) == 0);
        tarry_timer *winner = timers[chosen], *loser = timers[1 - chosen];
        const int answer = index % 2 == 0 ? tarry_timer_stop(loser)
                                          : tarry_timer_reset(loser, hour);
        const bool wrong = answer != 1 || timer_due(loser) != -EAGAIN ||
                           tarry_timer_stop(winner) != 0;
        atomic_fetch_add(&l->wrong, wrong);
        for (int j = 0; j < 2; ++j) TEST_REQUIRE(tarry_timer_free(timers[j]) == 0);
    }
}

RACE(stopping_what_nobody_received_answers_1, 2) {
    losers l = { .rt = rt, .rounds = test_rounds(30, 100) };
    test_threads_run(test_rounds(32, 500), stop_the_loser, &l);
    CHECK_INT(l.wrong, 0);
}

/* Passes some time, another one each round, so that the stop meets the firing in all its stages. */
static void dawdle(unsigned round) {
    for (unsigned i = 0; i < round * 37 % 400; ++i) atomic_signal_fence(memory_order_seq_cst);
    if (round % 5 == 0) sched_yield();
}

/* Issues 14383, 37196, 69312, 80760: the whole sequence of answers is fixed, though the timer fires
 * somewhere within it, since nobody receives. */
RACE(the_answers_do_not_tell_when_it_fired, 1) {
    const unsigned rounds = test_rounds(15000, 100000);
    tarry_timer *timer = timer_in(rt, hour);
    unsigned wrong = 0;
    for (unsigned i = 0; i < rounds; ++i) {
        wrong += tarry_timer_reset(timer, i % 7) != 1;
        dawdle(i);
        wrong += tarry_timer_stop(timer) != 1;
        wrong += timer_due(timer) != -EAGAIN;
        wrong += tarry_timer_stop(timer) != 0;
        wrong += tarry_timer_reset(timer, i % 5) != 0;
        dawdle(i / 7);
        wrong += tarry_timer_reset(timer, hour) != 1;
        wrong += timer_due(timer) != -EAGAIN;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* The same of a callback: 1 means that it did not run, and 0 that it did, once. */
RACE(stop_of_a_callback_tells_whether_it_ran, 1) {
    const unsigned rounds = test_rounds(4000, 20000);
    atomic_uint runs = 0;
    tarry_timer *timer = func_in(rt, hour, count_run, &runs);
    unsigned wrong = tarry_timer_stop(timer) != 1;
    for (unsigned i = 0; i < rounds; ++i) {
        const unsigned before = atomic_load(&runs);
        wrong += tarry_timer_reset(timer, i % 7) != 0;
        dawdle(i);
        const int answer = tarry_timer_stop(timer);
        wrong += tarry_timer_stop_wait(timer) != 0;
        wrong += atomic_load(&runs) - before != (answer == 0);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("go_timer_races", 240, CASE(a_timer_due_at_once_is_never_missed),
           CASE(a_reset_to_now_is_never_missed), CASE(a_timer_moved_earlier_is_never_missed),
           CASE(stopping_what_nobody_received_answers_1),
           CASE(the_answers_do_not_tell_when_it_fired),
           CASE(stop_of_a_callback_tells_whether_it_ran))
