/* Shows: where the system refuses a thread, creation answers EAGAIN and nothing has changed; a
 * firing that cannot get a callback thread of its own waits for one that there is, and is not lost.
 * The program is linked with --wrap=pthread_create, so that this file decides. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>

static atomic_int refuse_after = -1; /* how many more threads the system gives; < 0: no limit */
static atomic_int refused;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument) {
    if (atomic_load(&refuse_after) >= 0 && atomic_fetch_sub(&refuse_after, 1) <= 0) {
        atomic_store(&refuse_after, 0);
        atomic_fetch_add(&refused, 1);
        return EAGAIN;
    }
    return __real_pthread_create(thread, attributes, run, argument);
}

static const tarry_options with_threads = { .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS };

static atomic_uint ran;

/* Each creation that may be the first of its bucket to need a thread. */
static int create_nth(rig *r, int nth, tarry_timer **timer, tarry_handle *handle) {
    if (nth == 0) return tarry_after_func(timer, r->rt, TARRY_SECOND, count_run, &ran);
    return tarry_handle_new(handle, r->rt, 0, count_run, &ran);
}

static void free_nth(rig *r, int nth, tarry_timer *timer, tarry_handle handle) {
    if (nth == 0) CHECK_INT(tarry_timer_free(timer), 0);
    else CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
}

static void try_without_threads(rig *r, int nth, int given, const tarry_stats *before) {
    tarry_timer *timer = NULL;
    tarry_handle handle = { 0 };
    atomic_store(&refuse_after, given);
    CHECK_INT(create_nth(r, nth, &timer, &handle), -EAGAIN);
    atomic_store(&refuse_after, -1);
    const tarry_stats after = rig_stats(r);
    CHECK(timer == NULL && handle.generation == 0);
    CHECK(rig_unchanged(before, &after));
}

/* given 0: no timerproc. 1: a timerproc, but no callback thread. */
THREADED(creation_without_a_thread_is_EAGAIN_and_changes_nothing) {
    for (int nth = 0; nth < 2; ++nth) {
        tarry_timer *timer = NULL;
        tarry_handle handle = { 0 };
        rig_remake(r, &with_threads);
        const tarry_stats before = rig_stats(r);
        try_without_threads(r, nth, 0, &before);
        try_without_threads(r, nth, 1, &before);
        CHECK_INT(create_nth(r, nth, &timer, &handle), 0);
        rig_settle(r, TARRY_SECOND);
        free_nth(r, nth, timer, handle);
    }
}

/* Whoever receives makes the message. */
THREADED(a_timer_with_a_mailbox_needs_no_thread) {
    rig_remake(r, &with_threads);
    atomic_store(&refuse_after, 0);
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) > 0);
    CHECK(ticker_due(ticker) > 0);
    atomic_store(&refuse_after, -1);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

THREADED(what_was_there_before_goes_on) {
    ran = 0;
    rig_remake(r, &(tarry_options){ .workers = 2, .callbacks = TARRY_CALLBACKS_INLINE });
    tarry_timer *first, *second = NULL;
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    first = func_in(r->rt, TARRY_SECOND, count_run, &ran);
    CHECK_INT(tarry_bind(r->rt, 1), 0);
    atomic_store(&refuse_after, 0);
    CHECK_INT(tarry_after_func(&second, r->rt, TARRY_SECOND, count_run, &ran), -EAGAIN);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ran, 1);
    CHECK_INT(tarry_timer_reset(first, TARRY_SECOND), 0);
    atomic_store(&refuse_after, -1);
    CHECK_INT(tarry_after_func(&second, r->rt, TARRY_SECOND, count_run, &ran), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ran, 3);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
}

/* The one callback thread that there is stands still, and no more can be had. */
THREADED(firings_wait_for_a_thread_that_there_is) {
    enum { COUNT = 10 };
    rig_remake(r, &with_threads);
    blocker slow = BLOCKER_INIT;
    tarry_timer *timers[COUNT];
    ran = 0;
    tarry_timer *first = func_in(r->rt, TARRY_SECOND, blocker_run, &slow);
    for (int i = 0; i < COUNT; ++i) timers[i] = func_in(r->rt, 2 * TARRY_SECOND, count_run, &ran);
    tarry_timer *message = timer_in(r->rt, 2 * TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&slow.begun, 1);
    atomic_store(&refused, 0);
    atomic_store(&refuse_after, 0);
    rig_settle(r, TARRY_SECOND);
    CHECK(refused > 0);
    CHECK(timer_due(message) > 0);
    CHECK_INT(ran, 0);
    CHECK_INT(rig_stats(r).pending, COUNT);
    CHECK_INT(tarry_timer_stop(timers[3]), 1);
    test_count_add(&slow.leave);
    rig_wait_for_all(r);
    atomic_store(&refuse_after, -1);
    CHECK_INT(ran, COUNT - 1);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(message), 0);
}

static int open_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    TEST_REQUIRE(folder != NULL);
    while (readdir(folder) != NULL) ++count;
    closedir(folder);
    return count;
}

/* Whatever a runtime starts when it is made, it takes back where it cannot start all of it. */
static void a_runtime_without_its_threads_leaves_nothing_behind(void) {
    const unsigned clocks[] = { TARRY_CLOCK_MONOTONIC, TARRY_CLOCK_BOOTTIME, TARRY_CLOCK_VIRTUAL };
    for (int i = 0; i < 3; ++i) {
        counting memory;
        counting_init(&memory);
        tarry_runtime *const none = (tarry_runtime *)&none;
        tarry_runtime *rt = none;
        const tarry_options options = { .size = sizeof options, .workers = 2, .clock = clocks[i],
                                        .allocator = &memory.table };
        const int before = open_descriptors();
        atomic_store(&refuse_after, 0);
        const int result = tarry_create(&rt, &options);
        atomic_store(&refuse_after, -1);
        if (result == 0) CHECK_INT(tarry_destroy(rt), 0); /* it needed none */
        else CHECK(result == -EAGAIN && rt == none);
        CHECK_INT(memory.blocks, 0);
        CHECK_INT(open_descriptors(), before);
        CHECK_INT(tarry_create(&rt, &options), 0);
        CHECK_INT(tarry_destroy(rt), 0);
        CHECK_INT(open_descriptors(), before);
    }
}

TEST_SUITE("threads", 60, CASE(creation_without_a_thread_is_EAGAIN_and_changes_nothing),
           CASE(a_timer_with_a_mailbox_needs_no_thread),
           CASE(what_was_there_before_goes_on), CASE(firings_wait_for_a_thread_that_there_is),
           CASE(a_runtime_without_its_threads_leaves_nothing_behind))
