/* Shows: sleep lasts as long as it was told on the runtime's clock, not at all where the delay is
 * zero or less, for ever where it is past the end of time; a sleeper does not hold up another. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* A thread that sleeps a list of delays in a row and notes when each ended. */
typedef struct sleeper {
    test_thread thread;
    tarry_runtime *rt;
    int64_t delays[8];
    int64_t woke[8];
    int count;
    int result; /* the last one's */
} sleeper;

static void sleep_all(void *argument) {
    sleeper *self = argument;
    for (int i = 0; i < self->count; ++i) {
        self->result = tarry_sleep(self->rt, self->delays[i]);
        if (self->result != 0) return;
        self->woke[i] = now_of(self->rt);
    }
}

static void start(sleeper *s, rig *r) {
    s->rt = r->rt;
    test_thread_start(&s->thread, sleep_all, s);
    test_thread_settle(&s->thread);
}

/* TestFakeTime, synctest's stamps: on a virtual clock each sleep ends in its own step of time. */
THREADED(sleeps_end_at_their_points_on_the_clock) {
    sleeper s = { .count = 4,
                  .delays = { 1, TARRY_MILLISECOND, TARRY_SECOND, 3600 * TARRY_SECOND } };
    int64_t ends[4];
    start(&s, r);
    for (int i = 0; i < s.count; ++i) {
        ends[i] = r->now + s.delays[i];
        rig_reach(r, r->now + s.delays[i] - 1);
        CHECK(test_thread_blocked(&s.thread));
        rig_reach(r, ends[i]);
        test_thread_settle(&s.thread);
    }
    test_thread_join(&s.thread);
    CHECK_INT(s.result, 0);
    for (int i = 0; i < s.count; ++i) CHECK_INT(s.woke[i], ends[i]);
}

/* TestSleepZeroDeadlock: a sleep of nothing returns though time stands still, among other calls. */
THREADED(a_sleep_of_zero_or_less_returns_at_once) {
    const int64_t before = now_of(r->rt);
    for (int i = 0; i < 100; ++i) {
        tarry_timer *timer = timer_in(r->rt, 3600 * TARRY_SECOND);
        CHECK_INT(tarry_sleep(r->rt, 0), 0);
        CHECK_INT(tarry_sleep(r->rt, -1), 0);
        CHECK_INT(tarry_sleep(r->rt, INT64_MIN), 0);
        CHECK_INT(tarry_sleep_until(r->rt, r->now), 0);
        CHECK_INT(tarry_sleep_until(r->rt, INT64_MIN), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
    CHECK_INT(now_of(r->rt), before);
}

/* TestOverflowSleep: a sleep to the end of time lasts; others, and negative ones, are unharmed.
 * Only the runtime's end ends it. */
THREADED(a_sleep_past_the_end_of_time_does_not_return) {
    static const int64_t delays[] = { INT64_MAX, INT64_MAX - 1, INT64_MAX - TARRY_SECOND };
    enum { LONG = sizeof delays / sizeof *delays };
    sleeper endless[LONG] = { 0 };
    for (int i = 0; i < LONG; ++i) {
        endless[i] = (sleeper){ .count = 1, .delays = { delays[i] } };
        start(&endless[i], r);
    }
    sleeper brief = { .count = 1, .delays = { 25 * TARRY_MILLISECOND } };
    start(&brief, r);
    rig_settle(r, 25 * TARRY_MILLISECOND);
    test_thread_join(&brief.thread);
    CHECK_INT(brief.result, 0);
    rig_pass(r, INT64_C(86400) * 365 * 100 * TARRY_SECOND);
    for (int i = 0; i < LONG; ++i) CHECK(test_thread_blocked(&endless[i].thread));
    rig_destroy(r);
    for (int i = 0; i < LONG; ++i) {
        test_thread_join(&endless[i].thread);
        CHECK_INT(endless[i].result, -EPIPE);
    }
}

/* synctest SleepNondeterminism: sleepers with one deadline all wake, in whatever order. */
THREADED(sleepers_with_one_deadline_all_wake) {
    enum { COUNT = 8 };
    for (int round = 0; round < 20; ++round) {
        sleeper all[COUNT];
        for (int i = 0; i < COUNT; ++i) {
            all[i] = (sleeper){ .count = 1, .delays = { TARRY_SECOND } };
            start(&all[i], r);
        }
        rig_pass(r, TARRY_SECOND - 1);
        for (int i = 0; i < COUNT; ++i) CHECK(test_thread_blocked(&all[i].thread));
        rig_pass(r, 1 + r->tick);
        for (int i = 0; i < COUNT; ++i) {
            test_thread_join(&all[i].thread);
            CHECK_INT(all[i].result, 0);
            CHECK(all[i].woke[0] >= r->now - r->tick && all[i].woke[0] <= r->now);
        }
    }
}

/* Nobody turns the crank of a runtime driven by hand while its only thread sleeps. */
BY_HAND(sleep_by_hand_is_an_error_and_no_hang) {
    CHECK_INT(tarry_sleep(r->rt, TARRY_SECOND), -EINVAL);
}

TEST_SUITE("go_sleep", 60, CASE(sleeps_end_at_their_points_on_the_clock),
           CASE(a_sleep_of_zero_or_less_returns_at_once),
           CASE(a_sleep_past_the_end_of_time_does_not_return),
           CASE(sleepers_with_one_deadline_all_wake), CASE(sleep_by_hand_is_an_error_and_no_hang))
