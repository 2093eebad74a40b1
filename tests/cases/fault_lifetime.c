/* Shows: faults that other libraries and kernel drivers had with lifetime: a timer that arms itself
 * while it is torn down, one freed from a nested turn of the crank, one whose memory the library
 * touches after its callback, a driver that stops waiting for a timer only to find it armed. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* CVE-2023-4133, CVE-2023-4134, rose t0timer, openhisilicon#210: the function arms its own timer,
 * and a helper does so too, while the owner stops, waits and frees. The object is poisoned then: a
 * run that comes later than the owner was told would find it. */
typedef struct device {
    tarry_timer *timer;
    atomic_bool gone, helper_done;
    atomic_int runs;
} device;

static void poll_device(void *argument) {
    device *d = argument;
    TEST_REQUIRE(!atomic_load(&d->gone));
    atomic_fetch_add(&d->runs, 1);
    const int result = tarry_timer_reset(d->timer, 0);
    TEST_REQUIRE(result == 0 || result == 1 || result == -ESHUTDOWN);
}

static void help(void *argument) {
    device *d = argument;
    int result;
    do result = tarry_timer_reset(d->timer, 0);
    while (result != -ESHUTDOWN);
    atomic_store(&d->helper_done, true);
}

RACE(kernel_shutdown_then_stop_wait_makes_freeing_safe, 2) {
    const unsigned rounds = test_rounds(100, 3000);
    for (unsigned i = 0; i < rounds; ++i) {
        device *d = calloc(1, sizeof *d);
        test_thread helper;
        TEST_REQUIRE(d != NULL);
        /* Armed once all fields are there: the function uses them. */
        d->timer = func_in(rt, TARRY_FOREVER, poll_device, d);
        CHECK_INT(tarry_timer_reset(d->timer, 0), 1);
        test_thread_start(&helper, help, d);
        if (i % 2) while (atomic_load(&d->runs) == 0) sched_yield();
        CHECK(tarry_timer_shutdown(d->timer) >= 0);
        CHECK_INT(tarry_timer_stop_wait(d->timer), 0);
        atomic_store(&d->gone, true);
        test_thread_join(&helper); /* it uses the timer: it must have left before the free */
        CHECK_INT(tarry_timer_free(d->timer), 0);
        memset(d, 0x5a, sizeof *d);
        free(d);
    }
}

/* redis#7253: a callback turned the crank again, and what ran there freed the timer of the callback
 * that was still on the stack. Two workers, since one cannot be driven from its own callback. */
typedef struct nest {
    rig *r;
    tarry_timer *outer, *inner;
    int runs;
} nest;

static void free_the_outer(void *argument) {
    nest *n = argument;
    CHECK_INT(tarry_timer_free(n->outer), 0);
    n->outer = NULL;
    ++n->runs;
}

static void drive_the_other_worker(void *argument) {
    nest *n = argument;
    CHECK_INT(tarry_run_expired(n->r->rt, 1, n->r->now, 0), 1);
    CHECK(n->outer == NULL);
    CHECK_INT(tarry_timer_stop(n->inner), 0);
    ++n->runs;
}

BY_HAND(redis_a_nested_turn_may_free_the_timer_whose_callback_runs) {
    rig_remake(r, &(tarry_options){ .workers = 2 });
    nest n = { .r = r };
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    n.outer = func_in(r->rt, TARRY_SECOND, drive_the_other_worker, &n);
    CHECK_INT(tarry_bind(r->rt, 1), 0);
    n.inner = func_in(r->rt, TARRY_SECOND, free_the_outer, &n);
    r->now += TARRY_SECOND + r->tick;
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
    CHECK_INT(n.runs, 2);
    CHECK_INT(rig_stats(r).timers, 1);
    CHECK_INT(tarry_timer_free(n.inner), 0);
}

/* seastar 902d5b21c, libmill#51: the callback frees its timer and what it lives in, and returns. */
typedef struct one_off {
    tarry_timer *timer;
    atomic_int *runs;
} one_off;

static void free_all_of_it(void *argument) {
    one_off *o = argument;
    atomic_int *runs = o->runs;
    TEST_REQUIRE(tarry_timer_free(o->timer) == 0);
    memset(o, 0x5a, sizeof *o);
    free(o);
    atomic_fetch_add(runs, 1);
}

ON_EACH_RIG(seastar_a_callback_may_free_all_that_its_timer_was) {
    enum { COUNT = 300 };
    atomic_int runs = 0;
    for (int i = 0; i < COUNT; ++i) {
        one_off *o = malloc(sizeof *o);
        TEST_REQUIRE(o != NULL);
        o->runs = &runs;
        o->timer = func_in(r->rt, 1 + i % 7, free_all_of_it, o);
    }
    rig_settle(r, 7);
    CHECK_INT(runs, COUNT);
    CHECK_INT(rig_stats(r).timers, 0);
}

/* facebook/folly#397: after all were cancelled the count was not 0, and the destructor complained.
 * folly 3a06d042d: cancelling all from a callback missed those already taken to run. */
typedef struct all_of {
    tarry_timer *timers[64];
    int runs;
} all_of;

static void cancel_all(void *argument) {
    all_of *a = argument;
    ++a->runs;
    for (int i = 0; i < 64; ++i) CHECK(tarry_timer_stop(a->timers[i]) >= 0);
}

ON_EACH_RIG(folly_cancelling_all_from_a_callback_leaves_none) {
    all_of a = { .runs = 0 };
    for (int i = 0; i < 64; ++i) a.timers[i] = func_in(r->rt, TARRY_SECOND, cancel_all, &a);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(a.runs, 1);
    CHECK_INT(rig_stats(r).pending, 0);
    CHECK_INT(rig_stats(r).stopped, 63);
    for (int i = 0; i < 64; ++i) CHECK_INT(tarry_timer_free(a.timers[i]), 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

/* libuv bb6fbcf6e: a timer that was stopped while it sat in the queue of due ones was linked into
 * it twice when it was started again. */
typedef struct again {
    tarry_timer *timers[8];
    int runs[8];
    int acted;
} again;

typedef struct again_part {
    again *all;
    int number;
} again_part;

static void stop_and_start_the_rest(void *argument) {
    const again_part *p = argument;
    ++p->all->runs[p->number];
    if (p->all->acted++ != 0) return;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 8; ++i) {
            if (i == p->number) continue;
            CHECK(tarry_timer_stop(p->all->timers[i]) >= 0);
            CHECK_INT(tarry_timer_reset(p->all->timers[i], 0), 0);
        }
}

ON_EACH_RIG(libuv_a_due_timer_stopped_and_started_runs_once) {
    again a = { .acted = 0 };
    again_part parts[8];
    for (int i = 0; i < 8; ++i) {
        parts[i] = (again_part){ &a, i };
        a.timers[i] = func_in(r->rt, TARRY_SECOND, stop_and_start_the_rest, &parts[i]);
    }
    rig_settle(r, TARRY_SECOND);
    rig_settle(r, 0);
    for (int i = 0; i < 8; ++i) {
        CHECK_INT(a.runs[i], 1);
        CHECK_INT(tarry_timer_free(a.timers[i]), 0);
    }
}

/* tinygo#5487, conr2d/eo#27: a ticker was added again by its own tick after it had been stopped. */
typedef struct ticking {
    tarry_ticker *ticker;
    atomic_bool end;
} ticking;

static void stop_and_reset(void *argument) {
    ticking *t = argument;
    while (!atomic_load(&t->end)) {
        TEST_REQUIRE(tarry_ticker_reset(t->ticker, 1) >= 0);
        TEST_REQUIRE(tarry_ticker_stop(t->ticker) == 1);
        TEST_REQUIRE(tarry_ticker_stop(t->ticker) == 0);
        TEST_REQUIRE(ticker_due(t->ticker) == -EAGAIN);
    }
}

RACE(tinygo_a_ticker_stopped_while_it_ticks_stays_stopped, 1) {
    ticking t = { .ticker = ticker_of(rt, 1) };
    test_thread thread;
    test_thread_start(&thread, stop_and_reset, &t);
    tarry_stats s = TARRY_STATS_INIT;
    const unsigned ticks = test_rounds(200, 20000);
    do CHECK_INT(tarry_stats_read(&s, rt, TARRY_ALL_WORKERS), 0);
    while (s.armed < ticks);
    atomic_store(&t.end, true);
    test_thread_join(&thread);
    CHECK_INT(tarry_ticker_free(t.ticker), 0);
}

TEST_SUITE("fault_lifetime", 120, CASE(kernel_shutdown_then_stop_wait_makes_freeing_safe),
           CASE(redis_a_nested_turn_may_free_the_timer_whose_callback_runs),
           CASE(seastar_a_callback_may_free_all_that_its_timer_was),
           CASE(folly_cancelling_all_from_a_callback_leaves_none),
           CASE(libuv_a_due_timer_stopped_and_started_runs_once),
           CASE(tinygo_a_ticker_stopped_while_it_ticks_stays_stopped))
