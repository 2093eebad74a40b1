/* Shows: between the moment that a timer is taken as due and the moment that its function begins,
 * stop, reset, shutdown and free still win, and no task that is run late runs anything else. Every
 * interleaving here is forced: a held executor keeps the tasks, and the test runs them when, and in
 * the order, that it chooses. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

static held tasks;

static void use_held(rig *r) {
    held_init(&tasks);
    rig_remake(r, &(tarry_options){ .workers = 1, .executor = &tasks.table });
}

/* A function timer that was taken as due, but has not begun. */
static tarry_timer *taken(rig *r, shot *s) {
    *s = (shot){ .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(held_waiting(&tasks), 1);
    CHECK_INT(s->runs, 0);
    CHECK_INT(rig_stats(r).pending, 1);
    CHECK_INT(rig_stats(r).fired, 0);
    return timer;
}

/* All that is left to run is run, and the timer's function does not. */
static void runs_nothing(rig *r, shot *s) {
    held_run_all(&tasks);
    CHECK_INT(s->runs, 0);
    CHECK_INT(rig_stats(r).fired, 0);
    rig_balances(r);
}

THREADED(left_alone_it_runs) {
    use_held(r);
    shot s;
    tarry_timer *timer = taken(r, &s);
    int64_t left = 42;
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    CHECK_INT(left, 0);
    held_run_all(&tasks);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

THREADED(stop_wins) {
    use_held(r);
    for (int wait = 0; wait <= 1; ++wait) {
        shot s;
        tarry_timer *timer = taken(r, &s);
        CHECK_INT(wait ? tarry_timer_stop_wait(timer) : tarry_timer_stop(timer), 1);
        CHECK_INT(tarry_timer_stop(timer), 0);
        CHECK_INT(rig_stats(r).pending, 0);
        runs_nothing(r, &s);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

THREADED(shutdown_and_free_win) {
    use_held(r);
    shot s;
    tarry_timer *timer = taken(r, &s);
    CHECK_INT(tarry_timer_shutdown(timer), 1);
    runs_nothing(r, &s);
    CHECK_INT(tarry_timer_free(timer), 0);
    timer = taken(r, &s);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(rig_stats(r).pending, 0);
    runs_nothing(r, &s);
    CHECK_INT(rig_stats(r).timers, 0);
}

/* The old task must not run the new arming before its time, and must not use it up. */
THREADED(reset_wins_and_the_new_arming_runs_once_in_its_time) {
    use_held(r);
    shot s;
    tarry_timer *timer = taken(r, &s);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1);
    runs_nothing(r, &s);
    rig_settle(r, TARRY_SECOND);
    held_run_all(&tasks);
    CHECK_INT(s.runs, 1);
    CHECK_INT(rig_stats(r).fired, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* The old task is still there when the new arming is due as well: two tasks, one run. */
THREADED(a_reset_that_is_due_again_before_the_task_runs_runs_once) {
    for (int last_first = 0; last_first <= 1; ++last_first) {
        use_held(r);
        shot s;
        tarry_timer *timer = taken(r, &s);
        for (int i = 1; i <= 3; ++i) {
            CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1);
            rig_settle(r, TARRY_SECOND);
        }
        while (last_first ? held_run_last(&tasks) : held_run(&tasks)) continue;
        CHECK_INT(s.runs, 1);
        const tarry_stats stats = rig_stats(r);
        CHECK_INT(stats.armed, 4);
        CHECK_INT(stats.stopped, 3);
        CHECK_INT(stats.fired, 1);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* The slot is another timer's by the time that the old task runs. */
THREADED(a_late_task_does_not_run_the_timer_that_took_the_slot) {
    use_held(r);
    enum { COUNT = 32 };
    shot old[COUNT], fresh[COUNT];
    tarry_timer *timers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        old[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, TARRY_SECOND, shot_run, &old[i]);
    }
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(held_waiting(&tasks), COUNT);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    for (int i = 0; i < COUNT; ++i) {
        fresh[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, TARRY_SECOND, shot_run, &fresh[i]);
    }
    held_run_all(&tasks);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(old[i].runs + fresh[i].runs, 0);
    rig_settle(r, TARRY_SECOND);
    held_run_all(&tasks);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(old[i].runs, 0);
        CHECK_INT(fresh[i].runs, 1);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
}

THREADED(a_handle_that_is_stale_by_then_runs_nothing) {
    use_held(r);
    shot s = { .r = r };
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_arm(r->rt, handle, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_STOPPED);
    CHECK_INT(tarry_arm(r->rt, handle, 0), -ESTALE);
    runs_nothing(r, &s);
}

/* Every other one of a batch is stopped, and the tasks are run from behind. */
THREADED(of_a_batch_those_run_that_were_not_stopped) {
    use_held(r);
    enum { COUNT = 300 };
    static shot shots[COUNT];
    static tarry_timer *timers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        shots[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, TARRY_SECOND + i % 3, shot_run, &shots[i]);
    }
    rig_settle(r, TARRY_SECOND + 2);
    CHECK_INT(held_waiting(&tasks), COUNT);
    for (int i = 0; i < COUNT; i += 2) CHECK_INT(tarry_timer_stop(timers[i]), 1);
    while (held_run_last(&tasks)) continue;
    for (int i = 0; i < COUNT; ++i) {
        if (!CHECK_INT(shots[i].runs, i % 2)) break;
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
}

static void run_held(void *argument) {
    (void)argument;
    held_run(&tasks);
}

/* A timer whose first task has begun in a thread of its own, and whose function stands still. */
static tarry_timer *begun_in(test_thread *thread, rig *r, blocker *b) {
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, b);
    rig_settle(r, TARRY_SECOND);
    test_thread_start(thread, run_held, NULL);
    test_count_await(&b->begun, 1);
    return timer;
}

/* While one task's function stands still in another thread, the timer is due again: the second task
 * finds it running, and it is the first that runs it again, so the two do not overlap. */
THREADED(a_second_task_does_not_overlap_the_first) {
    use_held(r);
    blocker b = BLOCKER_INIT;
    test_thread first;
    tarry_timer *timer = begun_in(&first, r, &b);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(held_waiting(&tasks), 1);
    held_run_all(&tasks);
    CHECK_INT(test_count_read(&b.begun), 1);
    test_count_add(&b.leave);
    test_count_await(&b.begun, 2);
    CHECK_INT(test_count_read(&b.ended), 1);
    test_count_add(&b.leave);
    test_thread_join(&first);
    held_run_all(&tasks);
    CHECK_INT(test_count_read(&b.ended), 2);
    CHECK_INT(rig_stats(r).fired, 2);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* As before, but stopped before the first run has ended: the second never comes. */
THREADED(a_second_run_is_stopped_while_the_first_lasts) {
    use_held(r);
    blocker b = BLOCKER_INIT;
    test_thread first;
    tarry_timer *timer = begun_in(&first, r, &b);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_stop(timer), 0);
    held_run_all(&tasks);
    test_count_add(&b.leave);
    test_thread_join(&first);
    held_run_all(&tasks);
    CHECK_INT(test_count_read(&b.begun), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* A timer that was stopped while due, and is due again before the queue has let go of it, keeps its
 * place there; freed then, its slot is not given away before that. */
THREADED(a_due_timer_that_is_stopped_armed_and_freed_leaves_no_trace) {
    use_held(r);
    shot s, other = { .r = r };
    tarry_timer *timer = taken(r, &s);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_reset(timer, 0), 0);
    rig_settle(r, 0);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
    tarry_timer *second = func_in(r->rt, 0, shot_run, &other);
    rig_settle(r, 0);
    held_run_all(&tasks);
    CHECK_INT(s.runs, 0);
    CHECK_INT(other.runs, 1);
    CHECK_INT(tarry_timer_free(second), 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

THREADED(what_the_executor_refuses_runs_at_once) {
    use_held(r);
    shot s = { .r = r };
    atomic_store(&tasks.refuse, true);
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(held_waiting(&tasks), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* A task that stands still holds up nobody: messages, other tasks, stops and frees go on. */
THREADED(a_task_that_stands_still_holds_up_nobody) {
    use_held(r);
    blocker b = BLOCKER_INIT;
    test_thread first;
    shot s = { .r = r };
    tarry_timer *slow = begun_in(&first, r, &b);
    tarry_timer *message = timer_in(r->rt, TARRY_SECOND);
    tarry_timer *func = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    rig_settle(r, TARRY_SECOND);
    held_run_all(&tasks);
    CHECK(timer_due(message) > 0);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_stop(slow), 0);
    CHECK_INT(tarry_timer_free(slow), 0);
    CHECK_INT(tarry_timer_free(message), 0);
    CHECK_INT(tarry_timer_free(func), 0);
    test_count_add(&b.leave);
    test_thread_join(&first);
    CHECK_INT(rig_stats(r).timers, 0);
}

TEST_SUITE("interleave", 60, CASE(left_alone_it_runs), CASE(stop_wins), CASE(shutdown_and_free_win),
           CASE(reset_wins_and_the_new_arming_runs_once_in_its_time),
           CASE(a_reset_that_is_due_again_before_the_task_runs_runs_once),
           CASE(a_late_task_does_not_run_the_timer_that_took_the_slot),
           CASE(a_handle_that_is_stale_by_then_runs_nothing),
           CASE(of_a_batch_those_run_that_were_not_stopped),
           CASE(a_second_task_does_not_overlap_the_first),
           CASE(a_second_run_is_stopped_while_the_first_lasts),
           CASE(a_due_timer_that_is_stopped_armed_and_freed_leaves_no_trace),
           CASE(what_the_executor_refuses_runs_at_once),
           CASE(a_task_that_stands_still_holds_up_nobody))
