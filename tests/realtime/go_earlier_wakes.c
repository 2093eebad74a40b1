/* Shows: a timerproc that sleeps to a far deadline is woken by an arming that is earlier, whether a
 * new timer or a reset, and by nothing else; and a timer or ticker with a mailbox is received from
 * in time beside it. Why it must wait for real time: the sleep is the kernel's. A lost wake shows as
 * an hour's wait, which the watchdog ends. */
#include "backends.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <time.h>

static const int64_t hour = 3600 * TARRY_SECOND;

static tarry_stats stats_of(tarry_runtime *rt) {
    tarry_stats stats = TARRY_STATS_INIT;
    CHECK_INT(tarry_stats_read(&stats, rt, 0), 0);
    return stats;
}

/* Until the timerproc has gone to sleep since the counters were read. */
static void await_sleep(tarry_runtime *rt, uint64_t sleeps) {
    while (stats_of(rt).sleeps <= sleeps)
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static void receive(tarry_mailbox *mailbox, int64_t not_before) {
    tarry_message message;
    CHECK_INT(tarry_mailbox_recv(&message, mailbox), 0);
    CHECK(message.sent_ns >= not_before);
    CHECK(message.due_ns >= not_before);
}

static void count_in(void *argument) {
    test_count_add(argument);
}

static tarry_runtime *open_with_sleeper(const char *backend, tarry_timer **far, test_count *ran) {
    tarry_options options = TARRY_OPTIONS_INIT;
    const test_backend on = test_backend_for(backend, 0);
    options.backend = on.name;
    options.tick_ns = on.tick_ns;
    options.workers = 1;
    tarry_runtime *rt = NULL;
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    *far = func_in(rt, hour, count_in, ran);
    await_sleep(rt, 0);
    return rt;
}

/* TestNetpollBreak: each kind of earlier arming, the timerproc asleep for an hour each time. */
static void on_backend(const char *backend) {
    test_context("%s", backend);
    tarry_timer *far;
    test_count far_ran = TEST_COUNT_INIT;
    tarry_runtime *rt = open_with_sleeper(backend, &far, &far_ran);
    for (unsigned i = 0; i < 20; ++i) {
        const int64_t due = now_of(rt) + TARRY_MILLISECOND;
        tarry_timer *timer = timer_in(rt, TARRY_MILLISECOND);
        receive(tarry_timer_mailbox(timer), due);

        uint64_t sleeps = stats_of(rt).sleeps;
        CHECK_INT(tarry_timer_reset(far, 0), 1);
        test_count_await(&far_ran, i + 1);
        CHECK(tarry_timer_reset(far, hour) >= 0);
        await_sleep(rt, sleeps);

        sleeps = stats_of(rt).sleeps;
        test_count ran = TEST_COUNT_INIT;
        tarry_timer *func = func_in(rt, 0, count_in, &ran);
        test_count_await(&ran, 1);
        CHECK_INT(tarry_timer_stop_wait(func), 0);
        await_sleep(rt, sleeps);

        tarry_ticker *ticker = ticker_of(rt, 10000);
        receive(tarry_ticker_mailbox(ticker), due);
        CHECK_INT(tarry_ticker_free(ticker), 0);
        CHECK_INT(tarry_timer_free(func), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
    CHECK_INT(tarry_timer_free(far), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

static void an_earlier_arming_wakes_the_sleeper(void) {
    on_backend("heap");
    on_backend("tiered");
    on_backend("wheel");
}

/* One that is not earlier leaves it asleep, and so do stops: no wake is sent. */
static void a_later_arming_or_a_stop_does_not_wake_it(void) {
    tarry_timer *far;
    test_count ran = TEST_COUNT_INIT;
    tarry_runtime *rt = open_with_sleeper("heap", &far, &ran);
    const uint64_t wakes = stats_of(rt).wakes;
    for (int i = 0; i < 1000; ++i) {
        tarry_timer *later = quiet_in(rt, 2 * hour);
        CHECK_INT(tarry_timer_reset(later, 3 * hour), 1);
        CHECK_INT(tarry_timer_stop(later), 1);
        CHECK_INT(tarry_timer_free(later), 0);
        CHECK_INT(tarry_timer_reset(far, hour + i), 1);
    }
    CHECK_INT(stats_of(rt).wakes, wakes);
    CHECK_INT(tarry_timer_free(far), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("realtime_go_earlier_wakes", 60, CASE(an_earlier_arming_wakes_the_sleeper),
           CASE(a_later_arming_or_a_stop_does_not_wake_it))
