/* Shows: signals end no wait early and no wait with an error, however many come; the library's own
 * threads take none. Waits on the real clock for some 30 ms each, since the kernel must interrupt a
 * real wait; only "never early" and the result are checked. */
#include "suite.h"
#include "tasks.h"
#include "virtual.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t span = 30 * TARRY_MILLISECOND;

static atomic_uint delivered;

static void note_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&delivered, 1);
}

enum { WAITS = 5 };

typedef struct wait_of {
    int kind;
    tarry_runtime *rt;
    int result;
    int64_t began, ended;
} wait_of;

static int wait_once(int kind, tarry_runtime *rt, int64_t deadline) {
    tarry_message message;
    size_t chosen = 9;
    int result;
    if (kind == 0) return tarry_sleep(rt, span);
    if (kind == 1) return tarry_sleep_until(rt, deadline);
    tarry_timer *timer = timer_in(rt, kind == 2 ? span : 10 * TARRY_SECOND);
    tarry_case one = { .mailbox = tarry_timer_mailbox(timer), .op = TARRY_RECV };
    if (kind == 2) {
        result = tarry_mailbox_recv(&message, one.mailbox);
    } else if (kind == 3) {
        result = tarry_mailbox_recv_until(&message, one.mailbox, deadline) == -ETIMEDOUT ? 0 : 1;
    } else {
        result = tarry_select(&chosen, &one, 1, deadline) == -ETIMEDOUT ? 0 : 1;
    }
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    return result;
}

static void wait_through_it(void *argument) {
    wait_of *w = argument;
    w->began = now_of(w->rt);
    w->result = wait_once(w->kind, w->rt, w->began + span);
    w->ended = now_of(w->rt);
}

static void storm(rig *r) {
    wait_of waits[WAITS];
    test_thread threads[WAITS];
    for (int i = 0; i < WAITS; ++i) {
        waits[i] = (wait_of){ .kind = i, .rt = r->rt, .result = 1 };
        test_thread_start(&threads[i], wait_through_it, &waits[i]);
    }
    for (int open = WAITS; open != 0;) {
        open = 0;
        for (int i = 0; i < WAITS; ++i) {
            if (test_thread_ended(&threads[i])) continue;
            ++open;
            TEST_REQUIRE(pthread_kill(threads[i].id, SIGUSR1) == 0);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    for (int i = 0; i < WAITS; ++i) {
        test_thread_join(&threads[i]);
        CHECK_INT(waits[i].result, 0);
        CHECK(waits[i].ended - waits[i].began >= span);
    }
}

THREADED(a_storm_of_signals_ends_no_wait_early) {
    const struct sigaction action = { .sa_handler = note_signal }; /* no SA_RESTART */
    struct sigaction before;
    TEST_REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
    rig_use_real_clock(r, 2, TARRY_CALLBACKS_THREADS);
    atomic_store(&delivered, 0);
    storm(r);
    CHECK(delivered >= WAITS);
    TEST_REQUIRE(sigaction(SIGUSR1, &before, NULL) == 0);
}

/* Every signal that can be blocked is. */
static void check_mask(const char *task, void *argument) {
    char status[4096];
    task_read(status, sizeof status, task, "status");
    const char *line = strstr(status, "SigBlk:");
    TEST_REQUIRE(argument == NULL && line != NULL);
    const unsigned long long blocked = strtoull(line + 7, NULL, 16);
    for (int i = 1; i < 32; ++i)
        if (i != SIGKILL && i != SIGSTOP) CHECK_INT(blocked >> (i - 1) & 1, 1);
}

static void the_librarys_threads_take_no_signal(void) {
    tarry_runtime *rt = NULL;
    atomic_uint ran = 0;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    const tarry_options options = { .size = sizeof options, .workers = 1,
                                    .clock = TARRY_CLOCK_BOOTTIME };
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    tarry_timer *timer = func_in(rt, 0, count_run, &ran);
    while (ran == 0) CHECK_INT(tarry_sleep(rt, TARRY_MILLISECOND), 0);
    /* The timerproc, a callback thread, the watcher of resumes; each names itself as it begins. */
    while (tasks_each("tarry-", check_mask, NULL) < 3) CHECK_INT(tarry_sleep(rt, 1000), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 32; ++i) CHECK_INT(sigismember(&after, i), sigismember(&before, i));
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("signals", 60, CASE(a_storm_of_signals_ends_no_wait_early),
           CASE(the_librarys_threads_take_no_signal))
