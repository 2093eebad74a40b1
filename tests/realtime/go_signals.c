/* Shows: signals neither shorten a wait nor make it start again, and tarry's own threads take none.
 * Why it must wait for real time: what a signal interrupts is the kernel's wait. A wait of 200 ms
 * gets a signal every 10 ms until it has ended: one that ends with the first signal is too short,
 * and one that begins anew after each never ends, which the watchdog reports. */
#include "suite.h"
#include "virtual.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t length = 200 * TARRY_MILLISECOND;
static atomic_uint signals;

static void on_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&signals, 1);
}

/* Without SA_RESTART, so that system calls are interrupted. */
static void install(void) {
    struct sigaction action = { .sa_handler = on_signal };
    TEST_REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
}

typedef struct wait {
    test_thread thread;
    tarry_runtime *rt;
    int (*run)(tarry_runtime *rt);
    int64_t began, ended;
    int result;
} wait;

static void run_wait(void *argument) {
    wait *w = argument;
    w->began = now_of(w->rt);
    w->result = w->run(w->rt);
    w->ended = now_of(w->rt);
}

static int wait_asleep(tarry_runtime *rt) {
    return tarry_sleep(rt, length);
}

static int wait_for_value(tarry_runtime *rt) {
    tarry_timer *timer = timer_in(rt, length);
    tarry_message message;
    const int error = tarry_mailbox_recv(&message, tarry_timer_mailbox(timer));
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    return error;
}

static int wait_for_timeout(tarry_runtime *rt) {
    tarry_mailbox *mailbox = mailbox_in(rt);
    tarry_message message;
    const int error = tarry_mailbox_recv_until(&message, mailbox, now_of(rt) + length);
    TEST_REQUIRE(tarry_mailbox_free(mailbox) == 0);
    return error == -ETIMEDOUT ? 0 : error;
}

static int wait_to_send(tarry_runtime *rt) {
    tarry_mailbox *mailbox = mailbox_in(rt);
    TEST_REQUIRE(tarry_mailbox_send(mailbox, NULL) == 0);
    tarry_case one = { .mailbox = mailbox, .op = TARRY_SEND };
    size_t chosen;
    const int error = tarry_select(&chosen, &one, 1, now_of(rt) + length);
    TEST_REQUIRE(tarry_mailbox_free(mailbox) == 0);
    return error == -ETIMEDOUT ? 0 : error;
}

static void doze(void *argument) {
    (void)argument;
    const struct timespec end = { .tv_nsec = length };
    struct timespec left = end;
    while (nanosleep(&left, &left) != 0) continue;
}

/* stop_wait has no deadline: it must outlast a callback of that length. */
static int wait_for_callback(tarry_runtime *rt) {
    tarry_timer *timer = func_in(rt, 0, doze, NULL);
    tarry_stats stats = TARRY_STATS_INIT;
    while (tarry_stats_read(&stats, rt, TARRY_ALL_WORKERS) == 0 && stats.running == 0)
        sched_yield();
    const int error = tarry_timer_stop_wait(timer);
    TEST_REQUIRE(tarry_stats_read(&stats, rt, TARRY_ALL_WORKERS) == 0);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    return error != 0 ? error : (int)stats.running;
}

static void outlast_signals(tarry_runtime *rt, int (*run)(tarry_runtime *rt)) {
    wait w = { .rt = rt, .run = run };
    atomic_store(&signals, 0);
    test_thread_start(&w.thread, run_wait, &w);
    while (!test_thread_ended(&w.thread)) {
        pthread_kill(w.thread.id, SIGUSR1);
        nanosleep(&(struct timespec){ .tv_nsec = 10 * TARRY_MILLISECOND }, NULL);
    }
    test_thread_join(&w.thread);
    CHECK_INT(w.result, 0);
    CHECK(w.ended - w.began >= length);
    CHECK(signals > 0);
}

/* TestSleep; TestSpuriousWakeupsNeverHangSemasleep (issue 27250). */
static void a_wait_outlasts_signals_and_does_not_start_again(void) {
    static int (*const ways[])(tarry_runtime *rt) = {
        wait_asleep, wait_for_value, wait_for_timeout, wait_to_send, wait_for_callback,
    };
    install();
    tarry_runtime *rt = NULL;
    TEST_REQUIRE(tarry_create(&rt, NULL) == 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) outlast_signals(rt, ways[i]);
    CHECK_INT(tarry_destroy(rt), 0);
}

/* The signals that a thread blocks, as the kernel shows them. */
static unsigned long long blocked_by(const char *tid) {
    char path[300], line[128];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "SigBlk:", 7) == 0) mask = strtoull(line + 7, NULL, 16);
    if (file != NULL) fclose(file);
    return mask;
}

/* How many threads but the main one there are, and how many of them could take SIGUSR1. */
static void count_threads(unsigned *others, unsigned *open) {
    DIR *tasks = opendir("/proc/self/task");
    TEST_REQUIRE(tasks != NULL);
    char own[16];
    snprintf(own, sizeof own, "%d", (int)gettid());
    *others = *open = 0;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0) continue;
        ++*others;
        *open += (blocked_by(entry->d_name) >> (SIGUSR1 - 1) & 1) == 0;
    }
    closedir(tasks);
}

typedef struct look {
    unsigned others, open;
    test_count done;
} look;

static void look_at_threads(void *argument) {
    look *l = argument;
    count_threads(&l->others, &l->open);
    test_count_add(&l->done);
}

/* A program's signals go to its own threads: the timerproc's and the callbacks' block them all. */
static void threads_of_the_runtime_take_no_signal(void) {
    install();
    unsigned others_before, open_before, others, open;
    count_threads(&others_before, &open_before);
    tarry_options options = TARRY_OPTIONS_INIT;
    options.workers = 2;
    tarry_runtime *rt = NULL;
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    look l = { .done = TEST_COUNT_INIT };
    tarry_timer *timer = func_in(rt, 0, look_at_threads, &l);
    test_count_await(&l.done, 1);
    count_threads(&others, &open);
    CHECK(others > others_before);
    CHECK_INT(open, open_before);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("realtime_go_signals", 60, CASE(a_wait_outlasts_signals_and_does_not_start_again),
           CASE(threads_of_the_runtime_take_no_signal))
