/* Shows: on the real clocks nothing fires before its time: values, callbacks, sleeps and timeouts
 * of every length, on each backend and with a coarse tick too. Why it must wait for real time: only
 * a real wait shows that a deadline was not rounded down on its way to the kernel. How late a
 * firing is, the scheduler decides, and nothing is asserted about it. */
#include "backends.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <time.h>

/* net's TestVariousDeadlines and its neighbours, up to what a quick test may wait for. */
static const int64_t lengths[] = {
    1,     2,      5,      10,     20,     50,      100,     200,     500,      1000,
    5000,  10000,  50000,  100000, 500000, 1000000, 1500000, 2000000, 20000000,
};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Read apart from the library. */
static int64_t read_clock(unsigned clock) {
    struct timespec t;
    clock_gettime(clock == TARRY_CLOCK_BOOTTIME ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &t);
    return t.tv_sec * TARRY_SECOND + t.tv_nsec;
}

typedef struct real_clock {
    tarry_runtime *rt;
    unsigned clock;
} real_clock;

/* TestAfter, TestAfterTick. */
static void value(real_clock *c, int64_t length) {
    const int64_t start = read_clock(c->clock);
    tarry_timer *timer = timer_in(c->rt, length);
    tarry_message message;
    CHECK_INT(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)), 0);
    CHECK(read_clock(c->clock) - start >= length);
    CHECK(message.due_ns - start >= length);
    CHECK(message.sent_ns >= message.due_ns);
    CHECK_INT(tarry_timer_free(timer), 0);
}

typedef struct ran {
    unsigned clock;
    int64_t at;
    test_count done;
} ran;

static void note_time(void *argument) {
    ran *r = argument;
    r->at = read_clock(r->clock);
    test_count_add(&r->done);
}

static void callback(real_clock *c, int64_t length) {
    ran r = { .clock = c->clock, .done = TEST_COUNT_INIT };
    const int64_t start = read_clock(c->clock);
    tarry_timer *timer = func_in(c->rt, length, note_time, &r);
    test_count_await(&r.done, 1);
    CHECK(r.at - start >= length);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestSleep, without the signals. */
static void a_sleep(real_clock *c, int64_t length) {
    const int64_t start = read_clock(c->clock);
    CHECK_INT(tarry_sleep(c->rt, length), 0);
    CHECK(read_clock(c->clock) - start >= length);
}

/* net's TestReadTimeoutFluctuation, TestWriteTimeoutFluctuation. */
static void timeout(real_clock *c, int64_t length) {
    tarry_mailbox *mailbox = mailbox_in(c->rt);
    tarry_message message;
    tarry_case full = { .mailbox = mailbox, .op = TARRY_SEND };
    size_t chosen;
    int64_t deadline = now_of(c->rt) + length;
    CHECK_INT(tarry_mailbox_recv_until(&message, mailbox, deadline), -ETIMEDOUT);
    CHECK(read_clock(c->clock) >= deadline);

    CHECK_INT(tarry_mailbox_send(mailbox, NULL), 0);
    deadline = now_of(c->rt) + length;
    CHECK_INT(tarry_select(&chosen, &full, 1, deadline), -ETIMEDOUT);
    CHECK(read_clock(c->clock) >= deadline);
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
}

/* TestTicker: no tick before its point of the grid. */
static void ticks(real_clock *c, int64_t length) {
    const int64_t start = read_clock(c->clock);
    tarry_ticker *ticker = ticker_of(c->rt, length);
    tarry_message message;
    for (int i = 1; i <= 3; ++i) {
        CHECK_INT(tarry_mailbox_recv(&message, tarry_ticker_mailbox(ticker)), 0);
        CHECK(read_clock(c->clock) - start >= i * length);
        CHECK(message.due_ns - start >= i * length);
    }
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

static void on_each(void (*wait)(real_clock *c, int64_t length), unsigned clock) {
    static const test_backend table[] = { { "heap", 0 }, { "tiered", 0 }, { "tiered", 1000 },
                                          { "wheel", 0 }, { "wheel", 1000 } };
    test_backend kinds[TEST_BACKENDS_MOST];
    const size_t count = test_backends_for(kinds, table, sizeof table / sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        test_context("%s, tick %d, clock %u", kinds[i].name, (int)kinds[i].tick_ns, clock);
        tarry_options options = TARRY_OPTIONS_INIT;
        options.backend = kinds[i].name;
        options.tick_ns = kinds[i].tick_ns;
        options.workers = 1;
        options.clock = clock;
        real_clock c = { .clock = clock };
        TEST_REQUIRE(tarry_create(&c.rt, &options) == 0);
        for (int j = 0; j < LENGTHS; ++j) wait(&c, lengths[j]);
        CHECK_INT(tarry_destroy(c.rt), 0);
    }
}

static void values_do_not_come_early(void) {
    on_each(value, TARRY_CLOCK_MONOTONIC);
}

static void callbacks_do_not_run_early(void) {
    on_each(callback, TARRY_CLOCK_MONOTONIC);
}

static void sleeps_are_not_shorter(void) {
    on_each(a_sleep, TARRY_CLOCK_MONOTONIC);
}

static void waits_do_not_time_out_early(void) {
    on_each(timeout, TARRY_CLOCK_MONOTONIC);
}

static void ticks_do_not_come_early(void) {
    on_each(ticks, TARRY_CLOCK_MONOTONIC);
}

static void nor_on_the_clock_that_counts_suspends(void) {
    on_each(value, TARRY_CLOCK_BOOTTIME);
    on_each(a_sleep, TARRY_CLOCK_BOOTTIME);
}

TEST_SUITE("realtime_go_never_early", 120, CASE(values_do_not_come_early),
           CASE(callbacks_do_not_run_early), CASE(sleeps_are_not_shorter),
           CASE(waits_do_not_time_out_early), CASE(ticks_do_not_come_early),
           CASE(nor_on_the_clock_that_counts_suspends))
