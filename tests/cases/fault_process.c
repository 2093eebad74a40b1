/* Shows: faults that libraries have with the process around them: descriptors that a program run by
 * exec inherits, an exit while timers fire, a thread that is cancelled within a call, a stop of the
 * whole process, two threads that make the first timer at once. */
#include "child.h"
#include "suite.h"
#include "tasks.h"
#include "virtual.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static tarry_runtime *make(unsigned clock, unsigned workers) {
    tarry_runtime *rt = NULL;
    const tarry_options options = { .size = sizeof options, .workers = workers, .clock = clock };
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    return rt;
}

/* How many descriptors are open, and how many of them a program run by exec would get. */
static int open_descriptors(int *inherited) {
    int count = 0;
    *inherited = 0;
    DIR *folder = opendir("/proc/self/fd");
    TEST_REQUIRE(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const int flags = fcntl(atoi(entry->d_name), F_GETFD);
        if (entry->d_name[0] == '.' || flags < 0) continue;
        ++count;
        *inherited += (flags & FD_CLOEXEC) == 0;
    }
    closedir(folder);
    return count;
}

static void no_descriptor_is_inherited_or_left_open(void) {
    int inherited_before, inherited;
    const int before = open_descriptors(&inherited_before);
    for (unsigned clock = TARRY_CLOCK_MONOTONIC; clock <= TARRY_CLOCK_VIRTUAL; ++clock) {
        tarry_runtime *rt = make(clock, 2);
        tarry_timer *timer = timer_in(rt, TARRY_FOREVER);
        CHECK(open_descriptors(&inherited) >= before);
        CHECK_INT(inherited, inherited_before);
        CHECK_INT(tarry_timer_free(timer), 0);
        CHECK_INT(tarry_destroy(rt), 0);
        CHECK_INT(open_descriptors(&inherited), before);
    }
}

/* exit, while functions arm themselves, a ticker ticks and a thread waits. */
static tarry_timer *busy[4];

static void arm_again(void *argument) {
    (void)tarry_timer_reset(*(tarry_timer **)argument, 0);
}

static void wait_for_ever(void *argument) {
    tarry_message message;
    (void)tarry_mailbox_recv(&message, argument);
}

static void exit_in_the_middle(void *argument) {
    tarry_runtime *rt = make(TARRY_CLOCK_MONOTONIC, 2);
    tarry_timer *timer = timer_in(rt, TARRY_FOREVER);
    test_thread waiting;
    for (unsigned i = 0; i < 4; ++i) {
        TEST_REQUIRE(tarry_bind(rt, i % 2) == 0);
        (void)ticker_of(rt, 1000);
        busy[i] = func_in(rt, TARRY_FOREVER, arm_again, &busy[i]);
        TEST_REQUIRE(tarry_timer_reset(busy[i], 0) == 1);
    }
    test_thread_start(&waiting, wait_for_ever, tarry_timer_mailbox(timer));
    usleep(*(const useconds_t *)argument);
    exit(0);
}

static void an_exit_in_the_middle_of_everything_is_an_exit(void) {
    if (!test_child_may_start_threads()) return;
    const unsigned exits = test_rounds(10, 300);
    for (unsigned i = 0; i < exits; ++i) {
        useconds_t after = i * 137 % 2000;
        if (!CHECK_INT(test_in_child(exit_in_the_middle, &after), 0)) break;
    }
}

/* A thread with a cancellation pending makes each call: none of them is a point at which it would
 * be ended, perhaps with a lock held. */
typedef struct doomed {
    tarry_runtime *rt;
    atomic_bool got_through;
} doomed;

static void *make_each_call(void *argument) {
    doomed *d = argument;
    tarry_message message;
    size_t chosen;
    TEST_REQUIRE(pthread_cancel(pthread_self()) == 0);
    tarry_timer *timer = timer_in(d->rt, 1000);
    tarry_ticker *ticker = ticker_of(d->rt, 1000);
    tarry_case one = { .mailbox = tarry_ticker_mailbox(ticker), .op = TARRY_RECV };
    TEST_REQUIRE(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)) == 0);
    TEST_REQUIRE(tarry_select(&chosen, &one, 1, TARRY_FOREVER) == 0);
    TEST_REQUIRE(tarry_sleep(d->rt, 1000) == 0);
    TEST_REQUIRE(tarry_mailbox_recv_until(&message, tarry_timer_mailbox(timer),
                                          now_of(d->rt) + 1000) == -ETIMEDOUT);
    TEST_REQUIRE(tarry_timer_reset(timer, TARRY_SECOND) == 0);
    TEST_REQUIRE(tarry_timer_stop_wait(timer) == 1);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    TEST_REQUIRE(tarry_ticker_free(ticker) == 0);
    atomic_store(&d->got_through, true);
    /* To end here for real leaves the address sanitizer a stack that it takes for a used one. */
    TEST_REQUIRE(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    return NULL;
}

static void no_call_is_a_cancellation_point(void) {
    doomed d = { .rt = make(TARRY_CLOCK_MONOTONIC, 1) };
    pthread_t thread;
    TEST_REQUIRE(pthread_create(&thread, NULL, make_each_call, &d) == 0);
    TEST_REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(d.got_through);
    CHECK_INT(tarry_destroy(d.rt), 0);
}

/* The whole process is stopped for 100 ms and goes on, as a virtual machine does that was paused:
 * one-shots fire once, a ticker ticks once for the time it slept. Real time, since the kernel has
 * to do it; nothing is said about how late. */
static void count_through_a_stop(void *argument) {
    (void)argument;
    tarry_runtime *rt = make(TARRY_CLOCK_MONOTONIC, 1);
    atomic_uint ran = 0;
    const int64_t start = now_of(rt);
    tarry_ticker *ticker = ticker_of(rt, 10 * TARRY_MILLISECOND);
    tarry_timer *timers[20];
    for (int i = 0; i < 20; ++i)
        timers[i] = func_in(rt, i * 3 * TARRY_MILLISECOND, count_run, &ran);
    TEST_REQUIRE(tarry_sleep_until(rt, start + 150 * TARRY_MILLISECOND) == 0);
    for (int i = 0; i < 20; ++i) {
        const int stopped = tarry_timer_stop_wait(timers[i]);
        TEST_REQUIRE(stopped == 0 || stopped == 1);
        if (stopped) atomic_fetch_add(&ran, 1);
    }
    TEST_REQUIRE(ran == 20);
    int ticks = 0;
    for (int64_t due; (due = ticker_due(ticker)) > 0; ++ticks)
        TEST_REQUIRE((due - start) / (10 * TARRY_MILLISECOND) >= 1);
    TEST_REQUIRE(ticks <= 2); /* the first, and perhaps one while we looked; never a burst */
    uint64_t dropped = 0;
    TEST_REQUIRE(tarry_ticker_dropped(&dropped, ticker) == 0);
    TEST_REQUIRE((int64_t)dropped + ticks >= 13); /* each period is accounted for */
    _exit(0);
}

static void a_stop_of_the_whole_process_makes_no_burst(void) {
    if (!test_child_may_start_threads()) return;
    for (int i = 0; i < 3; ++i) {
        const pid_t child = fork();
        TEST_REQUIRE(child >= 0);
        if (child == 0) count_through_a_stop(NULL);
        usleep(20000);
        CHECK_INT(kill(child, SIGSTOP), 0);
        usleep(100000);
        CHECK_INT(kill(child, SIGCONT), 0);
        int status = -1;
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK_INT(status, 0);
    }
}

/* A walk through the tasks can pass one over, or still show one, while others that were joined are
 * on their way out: so what counts is what many walks in a row say. */
static int settled_timerprocs(void) {
    int count = -1;
    for (int agreed = 0; agreed < 20; ++agreed) {
        const int seen = tasks_each("tarry-0", NULL, NULL);
        if (seen != count) agreed = 0;
        count = seen;
    }
    return count;
}

/* Several threads make the first timer of a worker at once: it gets one thread. */
static void make_the_first(unsigned index, void *argument) {
    (void)index;
    atomic_uint ran = 0;
    tarry_timer *timer = func_in(argument, 0, count_run, &ran);
    TEST_REQUIRE(tarry_timer_stop_wait(timer) >= 0);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
}

static void two_first_timers_at_once_start_one_thread(void) {
    for (int i = 0; i < 30; ++i) {
        tarry_runtime *rt = make(TARRY_CLOCK_MONOTONIC, 1);
        CHECK_INT(settled_timerprocs(), 0); /* none before the first timer */
        test_threads_run(4, make_the_first, rt);
        int threads;
        do threads = settled_timerprocs();
        while (threads == 0); /* until it has given itself its name */
        CHECK_INT(threads, 1);
        CHECK_INT(tarry_destroy(rt), 0);
        CHECK_INT(settled_timerprocs(), 0);
    }
}

/* A runtime that is driven by hand has none, whatever it does. */
static void by_hand_there_is_no_thread(void) {
    tarry_runtime *rt = NULL;
    atomic_uint ran = 0;
    const tarry_options options = { .size = sizeof options, .workers = 4, .by_hand = 1,
                                    .clock = TARRY_CLOCK_BOOTTIME };
    const int before = tasks_each("", NULL, NULL);
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK_INT(tarry_bind(rt, i), 0);
        tarry_timer *timer = func_in(rt, 0, count_run, &ran);
        CHECK_INT(tarry_run_expired(rt, i, now_of(rt), 0), 1);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
    CHECK_INT(ran, 4);
    CHECK_INT(tasks_each("", NULL, NULL), before);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("fault_process", 120, CASE(no_descriptor_is_inherited_or_left_open),
           CASE(an_exit_in_the_middle_of_everything_is_an_exit),
           CASE(no_call_is_a_cancellation_point), CASE(a_stop_of_the_whole_process_makes_no_burst),
           CASE(two_first_timers_at_once_start_one_thread), CASE(by_hand_there_is_no_thread))
