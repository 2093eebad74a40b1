/* Shows: a runtime whose next deadline is far away sleeps until then and makes no system call; a
 * timer that was stopped costs at most one wake for nothing.
 *
 * These wait for real time, since sleep is what they are about: a third of a second, ten with
 * TARRY_TEST_FULL=1. What is checked does not depend on how fast the machine is. */
#include "held.h"
#include "suite.h"
#include "tasks.h"
#include "virtual.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What the kernel says about the threads that the library has made: how often they were switched,
 * and which system calls they are in. */
typedef struct threads_seen {
    int count;
    unsigned long switches;
    char calls[1024];
} threads_seen;

static unsigned long number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    unsigned long value = 0;
    if (at != NULL) sscanf(at + strlen(key), " %lu", &value);
    return value;
}

static void add_thread(const char *task, void *argument) {
    threads_seen *seen = argument;
    char status[4096], call[160];
    task_read(status, sizeof status, task, "status");
    task_read(call, sizeof call, task, "syscall");
    seen->switches += number_after(status, "\nvoluntary_ctxt_switches:");
    seen->switches += number_after(status, "\nnonvoluntary_ctxt_switches:");
    strncat(seen->calls, call, sizeof seen->calls - strlen(seen->calls) - 1);
}

static threads_seen look_at_threads(void) {
    threads_seen seen = { 0 };
    seen.count = tasks_each("tarry-", add_thread, &seen);
    return seen;
}

static void wait_ms(long ms) {
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static void idle_ms(void) {
    wait_ms((long)test_rounds(333, 10000));
}

/* Threads that have just been given work may still be on their way to sleep. */
static threads_seen look_when_settled(void) {
    threads_seen before = look_at_threads(), now;
    for (;;) {
        wait_ms(20);
        now = look_at_threads();
        if (now.switches == before.switches && strcmp(now.calls, before.calls) == 0) return now;
        before = now;
    }
}

static void check_idle(rig *r, int least_threads) {
    const threads_seen before = look_when_settled();
    const tarry_stats stats_before = rig_stats(r);
    idle_ms();
    const threads_seen after = look_at_threads();
    const tarry_stats stats_after = rig_stats(r);
    CHECK(before.count >= least_threads);
    CHECK_INT(after.count, before.count);
    CHECK_INT(after.switches, before.switches);
    CHECK(strcmp(after.calls, before.calls) == 0);
    CHECK_INT(stats_after.sleeps, stats_before.sleeps);
    CHECK_INT(stats_after.idle_wakes, stats_before.idle_wakes);
}

THREADED(an_hour_to_go_costs_no_system_call) {
    rig_use_real_clock(r, 2, TARRY_CALLBACKS_THREADS);
    tarry_timer *first, *second;
    shot s = { .r = r };
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    first = quiet_in(r->rt, 3600 * TARRY_SECOND);
    CHECK_INT(tarry_bind(r->rt, 1), 0);
    second = func_in(r->rt, 0, shot_run, &s); /* so that there is a callback thread too */
    while (s.runs == 0) wait_ms(1);
    CHECK_INT(tarry_timer_reset(second, 3600 * TARRY_SECOND), 0);
    check_idle(r, 3);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
}

THREADED(nothing_pending_costs_no_system_call) {
    rig_use_real_clock(r, 2, TARRY_CALLBACKS_INLINE);
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    tarry_timer *timer = quiet_in(r->rt, 0);
    while (rig_stats(r).fired == 0) wait_ms(1);
    check_idle(r, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

THREADED(never_costs_no_system_call) {
    rig_use_real_clock(r, 2, TARRY_CALLBACKS_INLINE);
    CHECK_INT(tarry_bind(r->rt, 0), 0);
    tarry_timer *timer = quiet_in(r->rt, TARRY_FOREVER);
    check_idle(r, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* Stop does not wake the sleeper; it wakes once at the old deadline, and not again. */
THREADED(a_stopped_head_costs_at_most_one_wake) {
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_INLINE);
    tarry_timer *far = quiet_in(r->rt, 3600 * TARRY_SECOND);
    tarry_timer *near = quiet_in(r->rt, 200 * TARRY_MILLISECOND);
    rig_wait_until_asleep(r);
    const uint64_t before = rig_stats(r).idle_wakes;
    CHECK_INT(tarry_timer_stop(near), 1);
    idle_ms();
    CHECK_INT(rig_stats(r).idle_wakes, before + 1);
    check_idle(r, 1);
    CHECK_INT(tarry_timer_free(far), 0);
    CHECK_INT(tarry_timer_free(near), 0);
}

TEST_SUITE("idle", 240, CASE(an_hour_to_go_costs_no_system_call),
           CASE(nothing_pending_costs_no_system_call), CASE(never_costs_no_system_call),
           CASE(a_stopped_head_costs_at_most_one_wake))
