/* Shows: tickers and timers that fire as fast as they can, with many receivers and much noise, lose
 * nothing, deliver nothing twice and never leave a receiver waiting. Run on the real clock and on
 * one that a thread moves; what counts is that all come to an end, and what they received. */
#include "suite.h"
#include "virtual.h"

#include <stdlib.h>
#include <unistd.h>

/* In place of Go's garbage collections: timers made and freed, and sleeps of 1 ns, all the time. */
typedef struct noise {
    test_thread thread;
    tarry_runtime *rt;
    atomic_bool stop;
} noise;

static void make_noise(void *argument) {
    noise *n = argument;
    while (!atomic_load(&n->stop)) {
        tarry_timer *timers[16];
        for (int i = 0; i < 16; ++i) timers[i] = timer_in(n->rt, i % 2 == 0 ? i : TARRY_SECOND);
        TEST_REQUIRE(tarry_sleep(n->rt, 1) == 0);
        for (int i = 0; i < 16; ++i) TEST_REQUIRE(tarry_timer_free(timers[i]) == 0);
    }
}

static void noise_start(noise *n, tarry_runtime *rt) {
    n->rt = rt;
    atomic_init(&n->stop, false);
    test_thread_start(&n->thread, make_noise, n);
}

static void noise_stop(noise *n) {
    atomic_store(&n->stop, true);
    test_thread_join(&n->thread);
}

/* Receives this many ticks and returns how many of them were not after the one before. */
static unsigned receive_ticks(tarry_ticker *ticker, unsigned count, int64_t *dues) {
    unsigned out_of_order = 0;
    int64_t last = -1;
    for (unsigned i = 0; i < count; ++i) {
        tarry_message message;
        TEST_REQUIRE(tarry_mailbox_recv(&message, tarry_ticker_mailbox(ticker)) == 0);
        out_of_order += message.due_ns <= last || message.sent_ns < message.due_ns;
        last = message.due_ns;
        if (dues != NULL) dues[i] = last;
    }
    return out_of_order;
}

/* TestTickerStress. */
RACE(ticks_arrive_among_noise, 2) {
    noise n;
    noise_start(&n, rt);
    tarry_ticker *ticker = ticker_of(rt, 1);
    CHECK_INT(receive_ticks(ticker, test_rounds(500, 2000), NULL), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
    noise_stop(&n);
}

/* TestTickerConcurrentStress: ten receivers of one ticker; no tick reaches two of them. */
enum { RECEIVERS = 10, TICKS = 100 };
typedef struct shared_ticker {
    tarry_ticker *ticker;
    int64_t dues[RECEIVERS][TICKS];
    atomic_uint out_of_order;
} shared_ticker;

static void receive_some(unsigned index, void *argument) {
    shared_ticker *s = argument;
    atomic_fetch_add(&s->out_of_order, receive_ticks(s->ticker, TICKS, s->dues[index]));
}

static int by_value(const void *a, const void *b) {
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

RACE(each_tick_reaches_one_of_many_receivers, 2) {
    static shared_ticker s;
    noise n;
    noise_start(&n, rt);
    s.ticker = ticker_of(rt, 1);
    atomic_store(&s.out_of_order, 0);
    test_threads_run(RECEIVERS, receive_some, &s);
    CHECK_INT(tarry_ticker_free(s.ticker), 0);
    noise_stop(&n);
    CHECK_INT(s.out_of_order, 0);
    int64_t *all = s.dues[0];
    qsort(all, RECEIVERS * TICKS, sizeof *all, by_value);
    unsigned twice = 0;
    for (int i = 1; i < RECEIVERS * TICKS; ++i) twice += all[i] == all[i - 1];
    CHECK_INT(twice, 0);
}

/* TestTimers of the race detector: eight threads, each with a ticker of its own. */
typedef struct own_tickers {
    tarry_runtime *rt;
    unsigned ticks;
    atomic_uint out_of_order;
} own_tickers;

static void receive_from_own(unsigned index, void *argument) {
    (void)index;
    own_tickers *o = argument;
    tarry_ticker *ticker = ticker_of(o->rt, 1);
    atomic_fetch_add(&o->out_of_order, receive_ticks(ticker, o->ticks, NULL));
    TEST_REQUIRE(tarry_ticker_stop(ticker) == 1);
    TEST_REQUIRE(tarry_ticker_free(ticker) == 0);
}

RACE(threads_with_their_own_tickers_all_end, 4) {
    own_tickers o = { .rt = rt, .ticks = test_rounds(200, 1000) };
    test_threads_run(8, receive_from_own, &o);
    CHECK_INT(o.out_of_order, 0);
}

/* TestMultiWakeupTicker: every round either the shared ticker or an own timer ends the select. */
typedef struct multi_wakeup {
    tarry_runtime *rt;
    tarry_ticker *ticker;
    unsigned rounds;
    atomic_uint wrong;
} multi_wakeup;

static void select_tick_or_timer(unsigned index, void *argument) {
    (void)index;
    multi_wakeup *m = argument;
    for (unsigned i = 0; i < m->rounds; ++i) {
        tarry_timer *timer = timer_in(m->rt, 3 * TARRY_MICROSECOND);
        tarry_case cases[] = { { .mailbox = tarry_ticker_mailbox(m->ticker) },
                               { .mailbox = tarry_timer_mailbox(timer) } };
        size_t chosen = 77;
        const int error = tarry_select(&chosen, cases, 2, TARRY_FOREVER);
        if (error != 0 || chosen > 1 || cases[chosen].status != 0) atomic_fetch_add(&m->wrong, 1);
        TEST_REQUIRE(tarry_timer_stop(timer) == (chosen == 0));
        TEST_REQUIRE(tarry_timer_free(timer) == 0);
    }
}

RACE(a_select_on_a_shared_ticker_and_an_own_timer_always_ends, 2) {
    multi_wakeup m = { .rt = rt, .rounds = test_rounds(500, 5000) };
    m.ticker = ticker_of(rt, TARRY_MICROSECOND);
    test_threads_run((unsigned)sysconf(_SC_NPROCESSORS_ONLN) + 2, select_tick_or_timer, &m);
    CHECK_INT(m.wrong, 0);
    CHECK_INT(tarry_ticker_free(m.ticker), 0);
}

TEST_SUITE("go_ticker_races", 240, CASE(ticks_arrive_among_noise),
           CASE(each_tick_reaches_one_of_many_receivers),
           CASE(threads_with_their_own_tickers_all_end),
           CASE(a_select_on_a_shared_ticker_and_an_own_timer_always_ends))
