/* Shows: bad input is an errno value and changes nothing: no output is written, no counter moves. A
 * release build answers it too, it does not crash. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void nothing(void *argument) {
    (void)argument;
}

ON_EACH_RIG(null_arguments_of_the_runtimes_calls) {
    int64_t point = 42;
    tarry_stats stats = TARRY_STATS_INIT;
    const tarry_options options = TARRY_OPTIONS_INIT;
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_create(NULL, &options), -EINVAL);
    CHECK_INT(tarry_create(NULL, NULL), -EINVAL);
    CHECK_INT(tarry_destroy(NULL), -EINVAL);
    CHECK_INT(tarry_bind(NULL, 0), -EINVAL);
    CHECK_INT(tarry_workers(NULL), -EINVAL);
    CHECK_INT(tarry_now(&point, NULL), -EINVAL);
    CHECK_INT(tarry_now(NULL, r->rt), -EINVAL);
    CHECK_INT(tarry_advance(NULL, 0), -EINVAL);
    CHECK_INT(tarry_stats_read(NULL, r->rt, 0), -EINVAL);
    CHECK_INT(tarry_stats_read(&stats, NULL, 0), -EINVAL);
    CHECK_INT(tarry_next_deadline(NULL, r->rt, 0), -EINVAL);
    CHECK_INT(tarry_next_deadline(&point, NULL, 0), -EINVAL);
    CHECK_INT(tarry_run_expired(NULL, 0, 0, 0), -EINVAL);
    CHECK_INT(tarry_sleep(NULL, 0), -EINVAL);
    CHECK_INT(tarry_sleep_until(NULL, 0), -EINVAL);
    CHECK_INT(point, 42);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
}

ON_EACH_RIG(null_arguments_of_the_timers_calls) {
    tarry_timer *const none = (tarry_timer *)&none;
    tarry_timer *timer = none;
    int64_t left = 42;
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_timer_new(NULL, r->rt, 0), -EINVAL);
    CHECK_INT(tarry_timer_new(&timer, NULL, 0), -EINVAL);
    CHECK_INT(tarry_timer_new_at(NULL, r->rt, 0), -EINVAL);
    CHECK_INT(tarry_timer_new_at(&timer, NULL, 0), -EINVAL);
    CHECK_INT(tarry_after_func(NULL, r->rt, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_after_func(&timer, NULL, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_after_func(&timer, r->rt, 0, NULL, NULL), -EINVAL);
    CHECK_INT(tarry_after_func_at(NULL, r->rt, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_after_func_at(&timer, NULL, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_after_func_at(&timer, r->rt, 0, NULL, NULL), -EINVAL);
    CHECK_INT(tarry_timer_stop(NULL), -EINVAL);
    CHECK_INT(tarry_timer_stop_wait(NULL), -EINVAL);
    CHECK_INT(tarry_timer_shutdown(NULL), -EINVAL);
    CHECK_INT(tarry_timer_reset(NULL, 0), -EINVAL);
    CHECK_INT(tarry_timer_reset_at(NULL, 0), -EINVAL);
    CHECK_INT(tarry_timer_remaining(&left, NULL), -EINVAL);
    CHECK_INT(tarry_timer_free(NULL), -EINVAL);
    CHECK(tarry_timer_mailbox(NULL) == NULL);
    CHECK(timer == none && left == 42);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    timer = func_in(r->rt, TARRY_SECOND, nothing, NULL);
    CHECK(tarry_timer_mailbox(timer) == NULL);
    CHECK_INT(tarry_timer_remaining(NULL, timer), -EINVAL);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(null_arguments_of_tickers_and_handles) {
    tarry_ticker *const none = (tarry_ticker *)&none;
    tarry_ticker *ticker = none, *good = ticker_of(r->rt, TARRY_SECOND);
    tarry_handle handle = { 1, 2, 3, 4 };
    uint64_t count = 42;
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_ticker_new(NULL, r->rt, 1), -EINVAL);
    CHECK_INT(tarry_ticker_new(&ticker, NULL, 1), -EINVAL);
    CHECK_INT(tarry_ticker_stop(NULL), -EINVAL);
    CHECK_INT(tarry_ticker_reset(NULL, 1), -EINVAL);
    CHECK_INT(tarry_ticker_dropped(&count, NULL), -EINVAL);
    CHECK_INT(tarry_ticker_dropped(NULL, good), -EINVAL);
    CHECK_INT(tarry_ticker_free(NULL), -EINVAL);
    CHECK(tarry_ticker_mailbox(NULL) == NULL);
    CHECK_INT(tarry_handle_new(NULL, r->rt, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_handle_new(&handle, NULL, 0, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, NULL, NULL), -EINVAL);
    CHECK_INT(tarry_handle_new(&handle, r->rt, 1, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_handle_new(&handle, r->rt, UINT_MAX, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_arm(NULL, handle, 0), -EINVAL);
    CHECK_INT(tarry_arm_at(NULL, handle, 0), -EINVAL);
    CHECK_INT(tarry_rearm(NULL, handle, 0), -EINVAL);
    CHECK_INT(tarry_rearm_at(NULL, handle, 0), -EINVAL);
    CHECK_INT(tarry_disarm(NULL, handle), -EINVAL);
    CHECK_INT(tarry_handle_free(NULL, handle), -EINVAL);
    CHECK(ticker == none && count == 42 && handle.slot == 2);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    CHECK_INT(tarry_ticker_free(good), 0);
}

ON_EACH_RIG(null_arguments_of_mailboxes) {
    tarry_mailbox *const none = (tarry_mailbox *)&none;
    tarry_mailbox *mailbox = none, *good = mailbox_in(r->rt);
    tarry_message message = { .due_ns = 42 };
    CHECK_INT(tarry_mailbox_new(NULL, r->rt), -EINVAL);
    CHECK_INT(tarry_mailbox_new(&mailbox, NULL), -EINVAL);
    CHECK_INT(tarry_mailbox_free(NULL), -EINVAL);
    CHECK_INT(tarry_mailbox_close(NULL), -EINVAL);
    CHECK_INT(tarry_mailbox_send(NULL, r), -EINVAL);
    CHECK_INT(tarry_mailbox_try_send(NULL, r), -EINVAL);
    CHECK_INT(tarry_mailbox_recv(&message, NULL), -EINVAL);
    CHECK_INT(tarry_mailbox_try_recv(&message, NULL), -EINVAL);
    CHECK_INT(tarry_mailbox_recv_until(&message, NULL, 0), -EINVAL);
    CHECK_INT(tarry_mailbox_recv(NULL, good), -EINVAL);
    CHECK_INT(tarry_mailbox_try_recv(NULL, good), -EINVAL);
    CHECK_INT(tarry_mailbox_recv_until(NULL, good, 0), -EINVAL);
    /* Whoever has nowhere to put it does not take it out. */
    CHECK_INT(tarry_mailbox_try_send(good, r), 0);
    CHECK_INT(tarry_mailbox_recv(NULL, good), -EINVAL);
    CHECK(mailbox == none && message.due_ns == 42);
    CHECK_INT(tarry_mailbox_try_recv(&message, good), 0);
    CHECK(message.data == r);
    CHECK_INT(tarry_mailbox_free(good), 0);
}

ON_EACH_RIG(bad_cases_of_select) {
    size_t chosen = 42;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_mailbox *mailbox = mailbox_in(r->rt);
    tarry_case cases[TARRY_MAX_CASES + 1] = { { .mailbox = mailbox, .op = TARRY_SEND } };
    CHECK_INT(tarry_select(NULL, cases, 1, 0), -EINVAL);
    CHECK_INT(tarry_select(&chosen, NULL, 1, 0), -EINVAL);
    CHECK_INT(tarry_select(&chosen, cases, 0, 0), -EINVAL);
    CHECK_INT(tarry_select(&chosen, cases, TARRY_MAX_CASES + 1, 0), -EINVAL);
    CHECK_INT(tarry_select(&chosen, cases + 1, 3, 0), -EINVAL); /* only NULL mailboxes */
    cases[1] = (tarry_case){ .mailbox = mailbox, .op = 2 };
    CHECK_INT(tarry_select(&chosen, cases, 2, 0), -EINVAL);
    cases[1].op = -1;
    CHECK_INT(tarry_select(&chosen, cases, 2, 0), -EINVAL);
    cases[1] = (tarry_case){ .mailbox = tarry_timer_mailbox(timer), .op = TARRY_SEND };
    CHECK_INT(tarry_select(&chosen, cases, 2, 0), -EPERM);
    CHECK_INT(chosen, 42);
    CHECK_INT(take_due(mailbox), -EAGAIN); /* and the good case has not been done */
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(a_timers_mailbox_is_its_timers) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    tarry_mailbox *const theirs[] = { tarry_timer_mailbox(timer), tarry_ticker_mailbox(ticker) };
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(tarry_mailbox_send(theirs[i], r), -EPERM);
        CHECK_INT(tarry_mailbox_try_send(theirs[i], r), -EPERM);
        CHECK_INT(tarry_mailbox_close(theirs[i]), -EPERM);
        CHECK_INT(tarry_mailbox_free(theirs[i]), -EPERM);
    }
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) > 0);
    CHECK(ticker_due(ticker) > 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

static int64_t any_now(void *context) {
    (void)context;
    return 0;
}

static int any_submit(void *context, void (*task)(void *argument), void *argument) {
    (void)context;
    task(argument);
    return 0;
}

static void *any_allocate(void *context, size_t size, size_t alignment) {
    (void)context, (void)size, (void)alignment;
    return NULL;
}

static const tarry_executor executor = { any_submit, NULL }, no_submit = { NULL, NULL };
static const tarry_allocator no_release = { any_allocate, NULL, NULL };
static const tarry_allocator no_allocate = { NULL, NULL, NULL };

static void refused(tarry_options options) {
    tarry_runtime *const none = (tarry_runtime *)&none;
    tarry_runtime *rt = none;
    if (options.size == 0) options.size = sizeof options;
    if (!CHECK_INT(tarry_create(&rt, &options), -EINVAL)) tarry_destroy(rt);
    else CHECK(rt == none);
}

static void options_that_mean_nothing(void) {
    const char *const names[] = { "", "Heap", "heap ", "heapwheel", "hea", "tiered?", "\xff" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        test_context("name %s", names[i]);
        refused((tarry_options){ .backend = names[i] });
    }
    const size_t sizes[] = { 1, 8, sizeof(tarry_options) - 1, sizeof(tarry_options) + 1, SIZE_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        test_context("size %zu", sizes[i]);
        refused((tarry_options){ .size = sizes[i] });
    }
    tarry_runtime *rt = NULL;
    CHECK_INT(tarry_create(&rt, &(tarry_options){ .size = 0 }), -EINVAL);
    test_context("%s", "a value");
    refused((tarry_options){ .backend = "wheel", .tick_ns = -1 });
    refused((tarry_options){ .backend = "wheel", .tick_ns = INT64_MIN });
    refused((tarry_options){ .backend = "tiered", .tick_ns = -1 });
    refused((tarry_options){ .tick_ns = -1 });
    refused((tarry_options){ .workers = TARRY_MAX_WORKERS + 1 });
    refused((tarry_options){ .workers = UINT_MAX });
    refused((tarry_options){ .clock = TARRY_CLOCK_CALLER + 1 });
    refused((tarry_options){ .callbacks = TARRY_CALLBACKS_INLINE + 1 });
    refused((tarry_options){ .by_hand = 2 });
    refused((tarry_options){ .by_hand = 1, .single_threaded = 2 });
    refused((tarry_options){ .clock = TARRY_CLOCK_VIRTUAL, .virtual_start = -1 });
    refused((tarry_options){ .clock = TARRY_CLOCK_VIRTUAL, .virtual_start = TARRY_FOREVER });
    refused((tarry_options){ .executor = &no_submit });
    refused((tarry_options){ .allocator = &no_allocate });
    refused((tarry_options){ .allocator = &no_release });
    test_context("%s", "");
}

static void options_that_contradict_each_other(void) {
    refused((tarry_options){ .backend = "heap", .tick_ns = 1 });
    refused((tarry_options){ .backend = "heap", .tick_ns = 1000 });
    refused((tarry_options){ .backend = "heap", .tick_ns = -1000 });
    refused((tarry_options){ .single_threaded = 1 });
    refused((tarry_options){ .clock = TARRY_CLOCK_CALLER, .by_hand = 1 });      /* no now */
    refused((tarry_options){ .clock = TARRY_CLOCK_CALLER, .now = any_now });    /* not by hand */
    refused((tarry_options){ .now = any_now, .by_hand = 1 });                   /* not asked */
    refused((tarry_options){ .clock = TARRY_CLOCK_VIRTUAL, .now = any_now, .by_hand = 1 });
    refused((tarry_options){ .virtual_start = 1 });                             /* not virtual */
    refused((tarry_options){ .clock = TARRY_CLOCK_BOOTTIME, .virtual_start = 1 });
    refused((tarry_options){ .callbacks = TARRY_CALLBACKS_INLINE, .executor = &executor });
}

static void the_most_workers_are_allowed(void) {
    tarry_runtime *rt = NULL;
    const tarry_options options = { .size = sizeof options, .workers = TARRY_MAX_WORKERS,
                                    .by_hand = 1, .clock = TARRY_CLOCK_VIRTUAL };
    tarry_handle handle;
    CHECK_INT(tarry_create(&rt, &options), 0);
    CHECK_INT(tarry_workers(rt), TARRY_MAX_WORKERS);
    CHECK_INT(tarry_handle_new(&handle, rt, TARRY_MAX_WORKERS, nothing, NULL), -EINVAL);
    CHECK_INT(tarry_handle_new(&handle, rt, TARRY_MAX_WORKERS - 1, nothing, NULL), 0);
    CHECK_INT(tarry_arm(rt, handle, 1), 0);
    CHECK_INT(tarry_run_expired(rt, TARRY_MAX_WORKERS - 1, 1, 0), 1);
    CHECK_INT(tarry_destroy(rt), 0);
}

ON_EACH_RIG(a_worker_that_is_none) {
    tarry_stats stats = TARRY_STATS_INIT;
    int64_t next = 42;
    const unsigned none[] = { 1, 2, TARRY_MAX_WORKERS, UINT_MAX - 1, UINT_MAX };
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        CHECK_INT(tarry_bind(r->rt, none[i]), -EINVAL);
        CHECK_INT(tarry_next_deadline(&next, r->rt, none[i]), -EINVAL);
        CHECK_INT(tarry_run_expired(r->rt, none[i], r->now, 0), -EINVAL);
        if (none[i] != TARRY_ALL_WORKERS)
            CHECK_INT(tarry_stats_read(&stats, r->rt, none[i]), -EINVAL);
    }
    CHECK_INT(next, 42);
}

ON_EACH_RIG(statistics_of_another_size) {
    const size_t sizes[] = { 0, 1, sizeof(tarry_stats) - 8, sizeof(tarry_stats) + 8, SIZE_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        tarry_stats stats, same;
        memset(&stats, 0x5a, sizeof stats);
        stats.size = sizes[i];
        same = stats;
        CHECK_INT(tarry_stats_read(&stats, r->rt, 0), -EINVAL);
        CHECK(memcmp(&stats, &same, sizeof stats) == 0);
    }
}

THREADED(driving_what_is_not_driven_by_hand) {
    int64_t next = 42;
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now + 2 * TARRY_SECOND, 0), -EINVAL);
    CHECK_INT(tarry_next_deadline(&next, r->rt, 0), -EINVAL);
    CHECK_INT(next, 42);
    CHECK_INT(s.runs, 0);
    CHECK_INT(now_of(r->rt), r->now);
    CHECK_INT(tarry_timer_free(timer), 0);
}

BY_HAND(sleeping_where_nobody_turns_the_crank) {
    CHECK_INT(tarry_sleep(r->rt, 1), -EINVAL);
    CHECK_INT(tarry_sleep_until(r->rt, r->now + 1), -EINVAL);
}

BY_HAND(time_that_never_comes) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_run_expired(r->rt, 0, TARRY_FOREVER, 0), -EINVAL);
    CHECK_INT(tarry_advance(r->rt, TARRY_FOREVER), -EINVAL);
    CHECK_INT(tarry_advance(r->rt, r->now - 1), -EINVAL);
    CHECK_INT(tarry_advance(r->rt, INT64_MIN), -EINVAL);
    CHECK_INT(now_of(r->rt), r->now);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

typedef struct nested {
    rig *r;
    int64_t inner;
    int advance;
} nested;

static void drive_again(void *argument) {
    nested *n = argument;
    n->inner = tarry_run_expired(n->r->rt, 0, n->r->now, 0);
    n->advance = tarry_advance(n->r->rt, n->r->now);
}

BY_HAND(driving_from_a_callback_of_the_same_worker) {
    nested n = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, drive_again, &n);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(n.inner, -EDEADLK);
    CHECK_INT(n.advance, -EDEADLK);
    CHECK_INT(tarry_timer_free(timer), 0);
}

static void drive_it(void *argument) {
    rig *r = argument;
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
}

BY_HAND(driving_one_worker_from_two_threads) {
    blocker b = BLOCKER_INIT;
    test_thread thread;
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, &b);
    r->now += TARRY_SECOND + r->tick;
    test_thread_start(&thread, drive_it, r);
    test_count_await(&b.begun, 1);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), -EBUSY);
    test_count_add(&b.leave);
    test_thread_join(&thread);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("bad_input", 60, CASE(null_arguments_of_the_runtimes_calls),
           CASE(null_arguments_of_the_timers_calls), CASE(null_arguments_of_tickers_and_handles),
           CASE(null_arguments_of_mailboxes), CASE(bad_cases_of_select),
           CASE(a_timers_mailbox_is_its_timers), CASE(options_that_mean_nothing),
           CASE(options_that_contradict_each_other), CASE(the_most_workers_are_allowed),
           CASE(a_worker_that_is_none), CASE(statistics_of_another_size),
           CASE(driving_what_is_not_driven_by_hand), CASE(sleeping_where_nobody_turns_the_crank),
           CASE(time_that_never_comes), CASE(driving_from_a_callback_of_the_same_worker),
           CASE(driving_one_worker_from_two_threads))
