/* Shows: the core surface gives three answers. STOPPED: it will not run. RUNNING: it is running
 * now. IDLE: it was not armed. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(what_is_armed_is_stopped_and_then_idle) {
    shot s = { .r = r };
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_IDLE);
    CHECK_INT(tarry_arm(r->rt, handle, TARRY_SECOND), 0);
    CHECK_INT(tarry_arm(r->rt, handle, 2 * TARRY_SECOND), 0);
    CHECK_INT(tarry_rearm(r->rt, handle, 3 * TARRY_SECOND), TARRY_STOPPED);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_STOPPED);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_IDLE);
    rig_settle(r, 4 * TARRY_SECOND);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_rearm(r->rt, handle, TARRY_SECOND), TARRY_IDLE);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_IDLE);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.armed, 4);
    CHECK_INT(stats.stopped, 3);
    CHECK_INT(stats.fired, 1);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
}

THREADED(what_runs_is_running_until_it_has_returned) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    blocker b = BLOCKER_INIT;
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, blocker_run, &b), 0);
    CHECK_INT(tarry_arm(r->rt, handle, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&b.begun, 1);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_RUNNING);
    CHECK_INT(tarry_rearm(r->rt, handle, TARRY_SECOND), TARRY_RUNNING);
    CHECK_INT(tarry_rearm(r->rt, handle, TARRY_SECOND), TARRY_STOPPED);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_STOPPED); /* the new arming */
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_RUNNING);
    test_count_add(&b.leave);
    rig_wait_for_callbacks(r);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_IDLE);
    CHECK_INT(test_count_read(&b.begun), 1);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
}

THREADED(freeing_what_runs_says_so) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    blocker b = BLOCKER_INIT;
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, blocker_run, &b), 0);
    CHECK_INT(tarry_arm(r->rt, handle, 0), 0);
    rig_settle(r, 0);
    test_count_await(&b.begun, 1);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_RUNNING);
    CHECK_INT(tarry_disarm(r->rt, handle), -ESTALE);
    test_count_add(&b.leave);
    rig_wait_for_callbacks(r);
    CHECK_INT(test_count_read(&b.ended), 1);
    CHECK_INT(rig_stats(r).timers, 0);
}

typedef struct self {
    rig *r;
    tarry_handle handle;
    atomic_int runs, first, second, third;
} self;

static void ask_about_itself(void *argument) {
    self *s = argument;
    if (++s->runs > 1) return;
    s->first = tarry_disarm(s->r->rt, s->handle);
    s->second = tarry_rearm(s->r->rt, s->handle, TARRY_SECOND);
    s->third = tarry_disarm(s->r->rt, s->handle);
    CHECK_INT(tarry_arm(s->r->rt, s->handle, TARRY_SECOND), 0);
}

ON_EACH_RIG(within_its_own_function_it_is_running) {
    self s = { .r = r };
    CHECK_INT(tarry_handle_new(&s.handle, r->rt, 0, ask_about_itself, &s), 0);
    CHECK_INT(tarry_arm(r->rt, s.handle, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.first, TARRY_RUNNING);
    CHECK_INT(s.second, TARRY_RUNNING);
    CHECK_INT(s.third, TARRY_STOPPED);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 2);
    CHECK_INT(tarry_handle_free(r->rt, s.handle), TARRY_IDLE);
}

TEST_SUITE("stop_core", 60, CASE(what_is_armed_is_stopped_and_then_idle),
           CASE(what_runs_is_running_until_it_has_returned), CASE(freeing_what_runs_says_so),
           CASE(within_its_own_function_it_is_running))
