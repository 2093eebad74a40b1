/* Shows: shutdown is final. Every later arming, from any thread or from the timer's own function,
 * answers ESHUTDOWN; shutdown, stop_wait, free is the order that makes freeing safe. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(after_shutdown_no_arming_is_taken) {
    shot s = { .r = r };
    int64_t left = 0;
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_timer_shutdown(timer), 1);
    CHECK_INT(tarry_timer_shutdown(timer), 0);
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), -ESHUTDOWN);
    CHECK_INT(tarry_timer_reset(timer, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_reset_at(timer, r->now), -ESHUTDOWN);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(tarry_timer_stop_wait(timer), 0);
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    CHECK_INT(left, TARRY_FOREVER);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(shutdown_takes_back_a_message_that_nobody_received) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_timer_shutdown(timer), 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(tarry_timer_reset(timer, 0), -ESHUTDOWN);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(shutdown_of_one_that_has_fired_or_was_stopped_is_zero) {
    shot s = { .r = r };
    tarry_timer *fired = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    tarry_timer *stopped = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    CHECK_INT(tarry_timer_stop(stopped), 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_timer_shutdown(fired), 0);
    CHECK_INT(tarry_timer_shutdown(stopped), 0);
    CHECK_INT(tarry_timer_reset(fired, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_reset(stopped, 0), -ESHUTDOWN);
    CHECK_INT(tarry_timer_free(fired), 0);
    CHECK_INT(tarry_timer_free(stopped), 0);
}

typedef struct own {
    tarry_timer *timer;
    blocker block;
    bool shuts_itself_down;
    atomic_int runs, result;
} own;

static void arm_again(void *argument) {
    own *o = argument;
    if (o->shuts_itself_down) CHECK_INT(tarry_timer_shutdown(o->timer), 0);
    else blocker_run(&o->block);
    o->result = tarry_timer_reset(o->timer, TARRY_SECOND);
    ++o->runs;
}

ON_EACH_RIG(its_own_function_cannot_arm_it_after_it_shut_it_down) {
    own o = { .shuts_itself_down = true };
    o.timer = func_in(r->rt, TARRY_SECOND, arm_again, &o);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(o.result, -ESHUTDOWN);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(o.runs, 1);
    CHECK_INT(tarry_timer_free(o.timer), 0);
}

/* A timer whose function has begun, and stands still before it arms it again. */
static void begin(rig *r, own *o) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    *o = (own){ .block = BLOCKER_INIT };
    o->timer = func_in(r->rt, TARRY_SECOND, arm_again, o);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&o->block.begun, 1);
}

/* The function is running, and will arm its timer again: after shutdown and stop_wait it has tried
 * in vain and has returned, so that what it uses may go. */
THREADED(a_running_function_cannot_arm_it_after_another_thread_shut_it_down) {
    own o;
    begin(r, &o);
    CHECK_INT(tarry_timer_shutdown(o.timer), 0);
    test_count_add(&o.block.leave);
    CHECK_INT(tarry_timer_stop_wait(o.timer), 0);
    CHECK_INT(o.runs, 1);
    CHECK_INT(o.result, -ESHUTDOWN);
    CHECK_INT(tarry_timer_free(o.timer), 0);
    rig_wait_for_callbacks(r);
}

static void stop_wait_for_it(void *argument) {
    CHECK_INT(tarry_timer_stop_wait(argument), 0);
}

/* The same without shutdown shows why it exists: stop_wait alone leaves the timer armed. */
THREADED(stop_wait_alone_does_not_keep_it_from_arming_itself) {
    own o;
    begin(r, &o);
    test_thread thread;
    test_thread_start(&thread, stop_wait_for_it, o.timer);
    CHECK(test_thread_blocked(&thread));
    test_count_add(&o.block.leave);
    test_thread_join(&thread);
    rig_wait_for_callbacks(r);
    CHECK_INT(o.result, 0);
    CHECK_INT(tarry_timer_stop(o.timer), 1);
    CHECK_INT(tarry_timer_free(o.timer), 0);
}

typedef struct own_free {
    rig *r;
    tarry_handle handle;
    tarry_handle copy;
    atomic_int freed, armed;
} own_free;

static void free_then_arm(void *argument) {
    own_free *o = argument;
    o->freed = tarry_handle_free(o->r->rt, o->handle);
    o->armed = tarry_arm(o->r->rt, o->copy, 0);
}

ON_EACH_RIG(free_implies_it) {
    own_free o = { .r = r };
    CHECK_INT(tarry_handle_new(&o.handle, r->rt, 0, free_then_arm, &o), 0);
    o.copy = o.handle;
    CHECK_INT(tarry_arm(r->rt, o.handle, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(o.freed, TARRY_RUNNING);
    CHECK_INT(o.armed, -ESTALE);
    CHECK_INT(rig_stats(r).pending, 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

TEST_SUITE("shutdown", 60, CASE(after_shutdown_no_arming_is_taken),
           CASE(shutdown_takes_back_a_message_that_nobody_received),
           CASE(shutdown_of_one_that_has_fired_or_was_stopped_is_zero),
           CASE(its_own_function_cannot_arm_it_after_it_shut_it_down),
           CASE(a_running_function_cannot_arm_it_after_another_thread_shut_it_down),
           CASE(stop_wait_alone_does_not_keep_it_from_arming_itself), CASE(free_implies_it))
