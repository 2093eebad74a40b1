/* Shows: callbacks keep the promises of Go's AfterFunc: a slow one holds up no other, they are
 * started in the order of their deadlines, a zero delay needs no time, stop keeps one from running
 * or tells that it did. Runs of one timer never overlap, which Go does not promise. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* Callbacks in threads of their own, instead of the rig's inline ones. */
static void use_threads(rig *r) {
    rig_remake(r, &(tarry_options){ .workers = 1 });
}

/* A chain of callbacks, each of which arms the next and then dozes until the gate opens. */
typedef struct chain {
    tarry_runtime *rt;
    tarry_timer *timers[11];
    unsigned started;
    test_count arrived, gate;
} chain;

static void arm_the_next_and_doze(void *argument) {
    chain *c = argument;
    const unsigned next = ++c->started;
    if (next < 11)
        c->timers[next] = func_in(c->rt, 0, arm_the_next_and_doze, c);
    test_count_add(&c->arrived);
    if (next < 11) test_count_await(&c->gate, 1);
}

/* TestAfterFunc: eleven callbacks run, though the first ten all still doze when the last begins. */
THREADED(callbacks_that_doze_do_not_hold_up_the_next) {
    use_threads(r);
    chain c = { .rt = r->rt, .arrived = TEST_COUNT_INIT, .gate = TEST_COUNT_INIT };
    c.timers[0] = func_in(r->rt, 0, arm_the_next_and_doze, &c);
    for (unsigned i = 1; i <= 11; ++i) {
        rig_settle(r, 0);
        test_count_await(&c.arrived, i);
    }
    test_count_add(&c.gate);
    for (int i = 0; i < 11; ++i) {
        CHECK_INT(tarry_timer_stop_wait(c.timers[i]), 0);
        CHECK_INT(tarry_timer_free(c.timers[i]), 0);
    }
}

/* TestAfterQueuing, func: one move of the clock over all of them starts them in order. */
ON_EACH_RIG(callbacks_start_in_the_order_of_their_deadlines) {
    static const int slots[] = { 5, 3, 6, 6, 6, 1, 1, 2, 7, 9, 4, 8, 0 };
    enum { COUNT = sizeof slots / sizeof *slots };
    const int64_t delta = 20 * TARRY_MILLISECOND, start = r->now;
    shot shots[COUNT];
    tarry_timer *timers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        shots[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, slots[i] * delta, shot_run, &shots[i]);
    }
    rig_settle(r, 9 * delta);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(shots[i].runs, 1);
        CHECK(shots[i].at_ns >= start + slots[i] * delta);
        if (!r->by_hand) CHECK(shots[i].at_ns <= start + slots[i] * delta + r->tick);
        for (int j = 0; j < COUNT; ++j)
            if (slots[i] < slots[j]) CHECK(shots[i].number < shots[j].number);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
}

/* synctest AfterFuncRunsImmediately: no time has to pass, and it runs for each zero. */
ON_EACH_RIG(a_callback_due_at_once_runs_at_once) {
    atomic_uint runs = 0;
    const int64_t before = r->now;
    tarry_timer *timer = func_in(r->rt, 0, count_run, &runs);
    rig_settle(r, 0);
    CHECK_INT(runs, 1);
    CHECK_INT(r->now, before + r->tick);
    for (unsigned i = 2; i < 10; ++i) {
        CHECK_INT(tarry_timer_reset(timer, 0), 0);
        rig_settle(r, 0);
        CHECK_INT(runs, i);
    }
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestTimerStopStress: a hundred threads arm a callback for two seconds and stop it after one. */
typedef struct stopper {
    test_thread thread;
    tarry_runtime *rt;
    atomic_uint *runs;
    test_count *armed, *go;
    int answer;
} stopper;

static void arm_wait_stop(void *argument) {
    stopper *self = argument;
    tarry_timer *timer = func_in(self->rt, 2 * TARRY_SECOND, count_run, self->runs);
    test_count_add(self->armed);
    test_count_await(self->go, 1);
    self->answer = tarry_timer_stop(timer);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
}

THREADED(stopped_in_many_threads_none_runs) {
    enum { THREADS = 100 };
    rig_remake(r, &(tarry_options){ .workers = 4 });
    static stopper stoppers[THREADS];
    atomic_uint runs = 0;
    test_count armed = TEST_COUNT_INIT, go = TEST_COUNT_INIT;
    for (int i = 0; i < THREADS; ++i) {
        stoppers[i] = (stopper){ .rt = r->rt, .runs = &runs, .armed = &armed, .go = &go };
        test_thread_start(&stoppers[i].thread, arm_wait_stop, &stoppers[i]);
    }
    test_count_await(&armed, THREADS);
    rig_settle(r, TARRY_SECOND);
    test_count_add(&go);
    for (int i = 0; i < THREADS; ++i) {
        test_thread_join(&stoppers[i].thread);
        CHECK_INT(stoppers[i].answer, 1);
    }
    rig_settle(r, 2 * TARRY_SECOND);
    CHECK_INT(runs, 0);
}

/* A callback that rearms itself for now and then waits for a later timer. */
typedef struct overlap {
    tarry_timer *self, *later;
    atomic_uint inside, most, runs;
    test_count begun;
    int later_status;
} overlap;

static void note_inside(overlap *o) {
    const unsigned inside = atomic_fetch_add(&o->inside, 1) + 1;
    if (inside > atomic_load(&o->most)) atomic_store(&o->most, inside);
}

static void rearm_and_wait_for_the_later(void *argument) {
    overlap *o = argument;
    const bool first = atomic_fetch_add(&o->runs, 1) == 0;
    note_inside(o);
    if (first) TEST_REQUIRE(tarry_timer_reset(o->self, 0) == 0);
    test_count_add(&o->begun);
    if (first) {
        tarry_message message;
        o->later_status = tarry_mailbox_recv(&message, tarry_timer_mailbox(o->later));
    }
    atomic_fetch_sub(&o->inside, 1);
}

/* Unlike Go: a reset within the callback begins its next run when this one has returned, though the
 * deadline is long over by then; and the callback, slow as it is, delays no other timer. */
THREADED(the_next_run_waits_for_the_end_of_the_last) {
    use_threads(r);
    overlap o = { .begun = TEST_COUNT_INIT, .later_status = -1 };
    o.later = timer_in(r->rt, 2 * TARRY_SECOND);
    o.self = func_in(r->rt, TARRY_SECOND, rearm_and_wait_for_the_later, &o);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&o.begun, 1);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&o.begun, 2);
    CHECK_INT(tarry_timer_stop_wait(o.self), 0);
    CHECK_INT(o.later_status, 0);
    CHECK_INT(o.runs, 2);
    CHECK_INT(o.most, 1);
    CHECK_INT(tarry_timer_free(o.self), 0);
    CHECK_INT(tarry_timer_free(o.later), 0);
}

/* AfterFunc's timer has no channel. A nil function is refused at once, not when it is due. */
ON_EACH_RIG(a_callback_timer_has_no_mailbox_and_needs_a_function) {
    atomic_uint runs = 0;
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, count_run, &runs);
    CHECK(tarry_timer_mailbox(timer) == NULL);
    tarry_timer *none = timer;
    CHECK_INT(tarry_after_func(&none, r->rt, 0, NULL, NULL), -EINVAL);
    CHECK(none == timer);
    CHECK_INT(rig_stats(r).pending, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("go_after_func", 60, CASE(callbacks_that_doze_do_not_hold_up_the_next),
           CASE(callbacks_start_in_the_order_of_their_deadlines),
           CASE(a_callback_due_at_once_runs_at_once), CASE(stopped_in_many_threads_none_runs),
           CASE(the_next_run_waits_for_the_end_of_the_last),
           CASE(a_callback_timer_has_no_mailbox_and_needs_a_function))
