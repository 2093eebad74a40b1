/* Shows: a due timer is noticed in bounded time, however busy the other cases of a select and the
 * other threads of its worker are. Where Go waits for a test to end, the rounds are counted here: a
 * fair choice among n ready cases misses one in 200 rounds with a chance below 2^-100. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 200, WARM_UP = 1000 };

/* Two threads that send all the time. */
typedef struct senders {
    test_thread threads[2];
    tarry_mailbox *data, *quit;
} senders;

static void send_until_quit(void *argument) {
    senders *s = argument;
    tarry_case cases[] = { { .mailbox = s->data, .op = TARRY_SEND }, { .mailbox = s->quit } };
    for (size_t chosen = 0; chosen == 0;)
        TEST_REQUIRE(tarry_select(&chosen, cases, 2, TARRY_FOREVER) == 0);
}

static void senders_start(senders *s, tarry_runtime *rt) {
    s->data = mailbox_in(rt);
    s->quit = mailbox_in(rt);
    for (int i = 0; i < 2; ++i) test_thread_start(&s->threads[i], send_until_quit, s);
}

static void senders_stop(senders *s) {
    CHECK_INT(tarry_mailbox_close(s->quit), 0);
    for (int i = 0; i < 2; ++i) test_thread_join(&s->threads[i]);
    CHECK_INT(tarry_mailbox_free(s->quit), 0);
    CHECK_INT(tarry_mailbox_free(s->data), 0);
}

/* TestTimerFairness: the timer wins soon against two busy senders, in either order of the cases. */
THREADED(a_due_timer_wins_against_busy_senders) {
    for (size_t place = 0; place < 2; ++place) {
        senders s;
        tarry_timer *timer = timer_in(r->rt, 20 * TARRY_MILLISECOND);
        senders_start(&s, r->rt);
        tarry_case cases[2] = { 0 };
        cases[place].mailbox = tarry_timer_mailbox(timer);
        cases[1 - place].mailbox = s.data;
        size_t chosen = 1 - place;
        for (int i = 0; i < WARM_UP; ++i) {
            CHECK_INT(tarry_select(&chosen, cases, 2, TARRY_FOREVER), 0);
            if (!CHECK_INT(chosen, 1 - place)) break;
        }
        rig_settle(r, 20 * TARRY_MILLISECOND);
        int rounds = 0;
        for (; chosen != place && rounds < PATIENCE; ++rounds)
            CHECK_INT(tarry_select(&chosen, cases, 2, TARRY_FOREVER), 0);
        CHECK_INT(chosen, place);
        senders_stop(&s);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* TestTimerFairness2: two threads that make system calls and exchange messages with each other and
 * with themselves, each with a timer of its own. */
typedef struct exchanger {
    test_thread thread;
    tarry_mailbox *data;
    tarry_timer *timer;
    atomic_uint rounds;
    atomic_bool due;
    unsigned rounds_when_due;
} exchanger;

static void exchange_until_timer(void *argument) {
    exchanger *e = argument;
    tarry_case cases[] = { { .mailbox = e->data, .op = TARRY_SEND },
                           { .mailbox = e->data },
                           { .mailbox = tarry_timer_mailbox(e->timer) } };
    for (size_t chosen = 0; chosen != 2;) {
        TEST_REQUIRE(read(STDIN_FILENO, &chosen, 0) <= 0);
        TEST_REQUIRE(tarry_select(&chosen, cases, 3, TARRY_FOREVER) == 0);
        atomic_fetch_add(&e->rounds, 1);
        if (atomic_load(&e->due)) ++e->rounds_when_due;
    }
}

THREADED(due_timers_end_threads_that_exchange_messages) {
    exchanger both[2] = { 0 };
    tarry_mailbox *data = mailbox_in(r->rt);
    for (int i = 0; i < 2; ++i) {
        both[i].data = data;
        both[i].timer = timer_in(r->rt, 20 * TARRY_MILLISECOND);
        test_thread_start(&both[i].thread, exchange_until_timer, &both[i]);
    }
    for (int i = 0; i < 2; ++i)
        while (atomic_load(&both[i].rounds) < WARM_UP) sched_yield();
    rig_settle(r, 20 * TARRY_MILLISECOND);
    for (int i = 0; i < 2; ++i) atomic_store(&both[i].due, true);
    for (int i = 0; i < 2; ++i) {
        test_thread_join(&both[i].thread);
        CHECK(both[i].rounds_when_due <= PATIENCE);
        CHECK_INT(tarry_timer_free(both[i].timer), 0);
    }
    CHECK_INT(tarry_mailbox_free(data), 0);
}

/* Of the ready cases each is chosen equally often, whatever lies between them: 4,000 choices, and
 * bounds more than six standard deviations away. Ready is what is a bit of the set. */
static void expect_equal_shares(rig *r, unsigned set) {
    enum { CASES = 6, CHOICES = 4000 };
    tarry_timer *timers[CASES];
    tarry_case cases[CASES] = { 0 };
    int shares[CASES] = { 0 }, ready = 0;
    for (unsigned i = 0; i < CASES; ++i) {
        const bool is_ready = (set >> i & 1) != 0;
        ready += is_ready;
        timers[i] = timer_in(r->rt, is_ready ? 0 : 1000000 * TARRY_SECOND);
        cases[i].mailbox = i % 2 == 0 || is_ready ? tarry_timer_mailbox(timers[i]) : NULL;
    }
    for (int i = 0; i < CHOICES; ++i) {
        rig_settle(r, 0);
        size_t chosen = 0;
        if (!CHECK_INT(tarry_select(&chosen, cases, CASES, r->now), 0)) break;
        ++shares[chosen];
        CHECK_INT(tarry_timer_reset(timers[chosen], 0), 0);
    }
    for (unsigned i = 0; i < CASES; ++i) {
        if ((set >> i & 1) != 0)
            CHECK(abs(shares[i] - CHOICES / ready) < 200);
        else
            CHECK_INT(shares[i], 0);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
}

BY_HAND(each_ready_case_gets_its_share) {
    static const unsigned sets[] = { 0x3f, 0x21, 0x03, 0x2c, 0x13, 0x20 };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) expect_equal_shares(r, sets[i]);
}

/* TestAfterFuncStarvation (issue 65178): one worker, two threads that hand a message to and fro and
 * keep the worker's lock busy; a callback ends it. It hangs where timerproc never gets a turn. */
typedef struct ping_pong {
    tarry_runtime *rt;
    tarry_mailbox *to, *fro;
    tarry_timer *busy;
    atomic_bool stop;
} ping_pong;

static void end_it(void *argument) {
    atomic_store((atomic_bool *)argument, true);
}

static void hand_to_and_fro(unsigned index, void *argument) {
    ping_pong *p = argument;
    tarry_mailbox *out = index == 0 ? p->to : p->fro, *in = index == 0 ? p->fro : p->to;
    tarry_message message;
    if (index == 0) TEST_REQUIRE(tarry_mailbox_send(out, NULL) == 0);
    for (;;) {
        if (tarry_mailbox_recv(&message, in) != 0) return;
        if (atomic_load(&p->stop)) break;
        TEST_REQUIRE(tarry_timer_reset(p->busy, TARRY_SECOND) == 1);
        TEST_REQUIRE(tarry_mailbox_send(out, NULL) == 0);
    }
    TEST_REQUIRE(tarry_mailbox_close(out) == 0);
}

RACE(a_callback_gets_its_turn_beside_a_ping_pong, 1) {
    const unsigned rounds = test_rounds(20, 1000);
    for (unsigned i = 0; i < rounds; ++i) {
        ping_pong p = { .rt = rt, .to = mailbox_in(rt), .fro = mailbox_in(rt),
                        .busy = timer_in(rt, TARRY_SECOND) };
        tarry_timer *end = func_in(rt, TARRY_MICROSECOND, end_it, &p.stop);
        test_threads_run(2, hand_to_and_fro, &p);
        CHECK_INT(tarry_timer_stop_wait(end), 0);
        CHECK_INT(tarry_timer_free(end), 0);
        CHECK_INT(tarry_timer_free(p.busy), 0);
        CHECK_INT(tarry_mailbox_free(p.to), 0);
        CHECK_INT(tarry_mailbox_free(p.fro), 0);
    }
}

TEST_SUITE("go_fairness", 120, CASE(a_due_timer_wins_against_busy_senders),
           CASE(due_timers_end_threads_that_exchange_messages),
           CASE(each_ready_case_gets_its_share),
           CASE(a_callback_gets_its_turn_beside_a_ping_pong))
