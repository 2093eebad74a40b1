#include "virtual.h"

#include "backends.h"

#include <sched.h>

tarry_timer *timer_in(tarry_runtime *rt, int64_t delay) {
    tarry_timer *timer = NULL;
    TEST_REQUIRE(tarry_timer_new(&timer, rt, delay) == 0);
    return timer;
}

tarry_timer *func_in(tarry_runtime *rt, int64_t delay, tarry_function *function, void *argument) {
    tarry_timer *timer = NULL;
    TEST_REQUIRE(tarry_after_func(&timer, rt, delay, function, argument) == 0);
    return timer;
}

static void do_nothing(void *argument) {
    (void)argument;
}

tarry_timer *quiet_in(tarry_runtime *rt, int64_t delay) {
    return func_in(rt, delay, do_nothing, NULL);
}

tarry_ticker *ticker_of(tarry_runtime *rt, int64_t period) {
    tarry_ticker *ticker = NULL;
    TEST_REQUIRE(tarry_ticker_new(&ticker, rt, period) == 0);
    return ticker;
}

tarry_mailbox *mailbox_in(tarry_runtime *rt) {
    tarry_mailbox *mailbox = NULL;
    TEST_REQUIRE(tarry_mailbox_new(&mailbox, rt) == 0);
    return mailbox;
}

int64_t now_of(const tarry_runtime *rt) {
    int64_t now = -1;
    TEST_REQUIRE(tarry_now(&now, rt) == 0);
    return now;
}

int64_t take_due(tarry_mailbox *mailbox) {
    tarry_message message;
    const int error = tarry_mailbox_try_recv(&message, mailbox);
    return error != 0 ? error : message.due_ns;
}

int64_t timer_due(tarry_timer *timer) {
    return take_due(tarry_timer_mailbox(timer));
}

int64_t ticker_due(tarry_ticker *ticker) {
    return take_due(tarry_ticker_mailbox(ticker));
}

void count_run(void *argument) {
    atomic_fetch_add((atomic_uint *)argument, 1);
}

static void mover_main(void *argument) {
    virtual_mover *mover = argument;
    while (!atomic_load(&mover->stop)) {
        TEST_REQUIRE(tarry_advance(mover->rt, now_of(mover->rt) + mover->step_ns) == 0);
        sched_yield();
    }
}

void virtual_mover_start(virtual_mover *mover, tarry_runtime *rt, int64_t step_ns) {
    mover->rt = rt;
    mover->step_ns = step_ns;
    atomic_init(&mover->stop, false);
    test_thread_start(&mover->thread, mover_main, mover);
}

void virtual_mover_stop(virtual_mover *mover) {
    atomic_store(&mover->stop, true);
    test_thread_join(&mover->thread);
}

static tarry_runtime *race_open(const test_backend *on, unsigned clock, unsigned workers) {
    tarry_options options = TARRY_OPTIONS_INIT;
    options.backend = on->name;
    options.tick_ns = on->tick_ns;
    options.clock = clock;
    options.workers = workers;
    tarry_runtime *rt = NULL;
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    return rt;
}

/* A callback thread may yet have to look at what was stopped and freed before its turn came: it
 * lets go of the slots soon, or the watchdog says that it does not. */
static void race_close(tarry_runtime *rt) {
    tarry_stats s = TARRY_STATS_INIT;
    do TEST_REQUIRE(tarry_stats_read(&s, rt, TARRY_ALL_WORKERS) == 0);
    while (s.timers != 0 && sched_yield() == 0);
    CHECK_INT(s.armed, s.fired + s.stopped);
    CHECK_INT(s.pending, 0);
    CHECK_INT(s.running, 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

void race_each(race_body *body, unsigned workers) {
    static const test_backend table[] = { { "heap", 0 }, { "tiered", 0 }, { "tiered", 100 },
                                          { "wheel", 100 } };
    test_backend backends[TEST_BACKENDS_MOST];
    const size_t count = test_backends_for(backends, table, sizeof table / sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        const char *name = backends[i].name;
        test_context("%s, tick %d, real clock", name, (int)backends[i].tick_ns);
        tarry_runtime *rt = race_open(&backends[i], TARRY_CLOCK_MONOTONIC, workers);
        body(rt);
        race_close(rt);

        test_context("%s, tick %d, moved clock", name, (int)backends[i].tick_ns);
        rt = race_open(&backends[i], TARRY_CLOCK_VIRTUAL, workers);
        virtual_mover mover;
        virtual_mover_start(&mover, rt, 50);
        body(rt);
        virtual_mover_stop(&mover);
        race_close(rt);
    }
    test_context("%s", "");
}
