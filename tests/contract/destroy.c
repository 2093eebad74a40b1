/* Shows: destroy drops what is pending, waits for functions that run, wakes all waiters with EPIPE;
 * no callback comes after it; what is not yet freed stays valid for its own free call. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(every_pending_timer_is_dropped) {
    enum { COUNT = 500 };
    shot s = { .r = r };
    tarry_timer *timers[COUNT];
    tarry_handle handle;
    for (int i = 0; i < COUNT; ++i) timers[i] = func_in(r->rt, 1 + i, shot_run, &s);
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_arm(r->rt, handle, 1), 0);
    rig_destroy(r);
    CHECK_INT(s.runs, 0);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(s.runs, 0);
}

static void destroy_runtime(void *argument) {
    tarry_runtime **rt = argument;
    CHECK_INT(tarry_destroy(*rt), 0);
}

THREADED(running_functions_are_waited_for) {
    rig_remake(r, &(tarry_options){ .workers = 2, .callbacks = TARRY_CALLBACKS_THREADS });
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = func_in(r->rt, 0, blocker_run, &b);
    test_thread thread;
    tarry_runtime *rt = r->rt;
    rig_settle(r, 0);
    r->rt = NULL;
    test_count_await(&b.begun, 1);
    test_thread_start(&thread, destroy_runtime, &rt);
    CHECK(test_thread_blocked(&thread));
    test_count_add(&b.leave);
    test_thread_join(&thread);
    CHECK_INT(test_count_read(&b.ended), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

static void drive_once(void *argument) {
    const rig *r = argument;
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
}

static void stop_and_wait(void *argument) {
    const int result = tarry_timer_stop_wait(argument);
    CHECK(result == 0 || result == -ESHUTDOWN);
}

static void move_clock(void *argument) {
    const rig *r = argument;
    const int result = tarry_advance(r->rt, r->now);
    CHECK(result == 0 || result == -ESHUTDOWN);
}

/* Destroy while the first timer's function stands still, and `waiting` waits for it to end. */
static void destroy_under(rig *r, blocker *b, test_thread *waiting) {
    test_thread destroyer;
    tarry_runtime *rt = r->rt;
    CHECK(test_thread_blocked(waiting));
    r->rt = NULL;
    test_thread_start(&destroyer, destroy_runtime, &rt);
    CHECK(test_thread_blocked(&destroyer));
    test_count_add(&b->leave);
    test_thread_join(&destroyer);
    test_thread_join(waiting);
    CHECK_INT(test_count_read(&b->begun), 1);
}

THREADED(a_stop_wait_that_is_waiting_returns) {
    blocker b = BLOCKER_INIT;
    test_thread stopper;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, &b);
    rig_settle(r, TARRY_SECOND);
    test_count_await(&b.begun, 1);
    test_thread_start(&stopper, stop_and_wait, timer);
    destroy_under(r, &b, &stopper);
    CHECK_INT(tarry_timer_free(timer), 0);
}

THREADED(an_advance_that_is_on_its_way_returns) {
    blocker b = BLOCKER_INIT;
    test_thread mover;
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, &b);
    tarry_timer *later = func_in(r->rt, 2 * TARRY_SECOND, blocker_run, &b);
    rig moved = { .rt = r->rt, .now = r->now + 3 * TARRY_SECOND };
    test_thread_start(&mover, move_clock, &moved);
    test_count_await(&b.begun, 1);
    destroy_under(r, &b, &mover);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(later), 0);
}

/* By hand the function runs in a turn that another thread makes. Which of the two that are then
 * let go comes first is up to the system: so, a few times. */
static void destroy_under_a_turn(rig *r) {
    blocker b = BLOCKER_INIT;
    test_thread driver;
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, blocker_run, &b);
    tarry_timer *later = func_in(r->rt, 2 * TARRY_SECOND, blocker_run, &b);
    rig driven = { .rt = r->rt, .now = r->now + TARRY_SECOND + r->tick };
    test_thread_start(&driver, drive_once, &driven);
    test_count_await(&b.begun, 1);
    destroy_under(r, &b, &driver);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(later), 0);
}

BY_HAND(a_turn_that_is_in_a_function_returns) {
    for (int i = 0; i < 20; ++i) {
        destroy_under_a_turn(r);
        TEST_REQUIRE(r->rt == NULL);
        rig_make(r, &(tarry_options){ .workers = 1 });
    }
}

/* Tasks that an executor has accepted and not begun are waited for too, and run nothing. */
THREADED(accepted_tasks_are_waited_for_and_run_nothing) {
    static held h;
    held_init(&h);
    rig_remake(r, &(tarry_options){ .workers = 1, .executor = &h.table });
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(held_waiting(&h), 1);
    test_thread thread;
    tarry_runtime *rt = r->rt;
    r->rt = NULL;
    test_thread_start(&thread, destroy_runtime, &rt);
    CHECK(test_thread_blocked(&thread));
    held_run_all(&h);
    test_thread_join(&thread);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

enum { WAITERS = 6 };

typedef struct waiter {
    tarry_runtime *rt;
    tarry_mailbox *full, *empty, *of_timer, *of_ticker;
    int kind;
    int result, status;
} waiter;

static void wait_somewhere(void *argument) {
    waiter *w = argument;
    tarry_message message;
    size_t chosen;
    tarry_case cases[] = { { .mailbox = w->empty, .op = TARRY_RECV },
                           { .mailbox = w->full, .op = TARRY_SEND },
                           { .mailbox = w->of_timer, .op = TARRY_RECV } };
    switch (w->kind) {
    case 0: w->result = tarry_mailbox_recv(&message, w->empty); break;
    case 1: w->result = tarry_mailbox_send(w->full, NULL); break;
    case 2: w->result = tarry_mailbox_recv_until(&message, w->of_timer, TARRY_FOREVER - 1); break;
    case 3: w->result = tarry_mailbox_recv(&message, w->of_ticker); break;
    case 4: w->result = tarry_sleep(w->rt, 1000 * TARRY_SECOND); break;
    default:
        w->status = tarry_select(&chosen, cases, 3, TARRY_FOREVER);
        w->result = w->status == 0 ? cases[chosen].status : 0;
        break;
    }
}

THREADED(all_who_wait_wake_with_EPIPE) {
    waiter waiters[WAITERS];
    test_thread threads[WAITERS];
    tarry_timer *timer = timer_in(r->rt, 1000 * TARRY_SECOND);
    tarry_ticker *ticker = ticker_of(r->rt, 1000 * TARRY_SECOND);
    tarry_mailbox *full = mailbox_in(r->rt), *empty = mailbox_in(r->rt);
    CHECK_INT(tarry_mailbox_try_send(full, r), 0);
    for (int i = 0; i < WAITERS; ++i) {
        waiters[i] = (waiter){ .rt = r->rt, .kind = i, .full = full, .empty = empty,
                               .of_timer = tarry_timer_mailbox(timer),
                               .of_ticker = tarry_ticker_mailbox(ticker), .result = 1 };
        test_thread_start(&threads[i], wait_somewhere, &waiters[i]);
    }
    for (int i = 0; i < WAITERS; ++i) CHECK(test_thread_blocked(&threads[i]));
    rig_destroy(r);
    for (int i = 0; i < WAITERS; ++i) {
        test_thread_join(&threads[i]);
        CHECK_INT(waiters[i].status, 0);
        CHECK_INT(waiters[i].result, -EPIPE);
    }
    CHECK_INT(tarry_mailbox_free(full), 0);
    CHECK_INT(tarry_mailbox_free(empty), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

typedef struct self_destroyer {
    rig *r;
    atomic_int runs, result;
} self_destroyer;

static void destroy_own_runtime(void *argument) {
    self_destroyer *d = argument;
    d->result = tarry_destroy(d->r->rt);
    ++d->runs;
}

ON_EACH_RIG(destroy_from_a_callback_is_EDEADLK_and_changes_nothing) {
    self_destroyer d = { .r = r };
    shot s = { .r = r };
    tarry_timer *first = func_in(r->rt, TARRY_SECOND, destroy_own_runtime, &d);
    tarry_timer *second = func_in(r->rt, 2 * TARRY_SECOND, shot_run, &s);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(d.runs, 1);
    CHECK_INT(d.result, -EDEADLK);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
}

THREADED(destroy_from_a_callback_thread_is_EDEADLK_too) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    self_destroyer d = { .r = r };
    tarry_timer *timer = func_in(r->rt, 0, destroy_own_runtime, &d);
    rig_settle(r, 0);
    rig_wait_for_all(r);
    CHECK_INT(d.runs, 1);
    CHECK_INT(d.result, -EDEADLK);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(a_second_destroy_is_ESHUTDOWN) {
    tarry_runtime *rt = r->rt;
    rig_destroy(r);
    CHECK_INT(tarry_destroy(rt), -ESHUTDOWN);
}

/* Those in other threads' pasts too: a runtime may be made, used and destroyed again and again. */
ON_EACH_RIG(a_runtime_leaves_nothing_behind) {
    for (int i = 0; i < 20; ++i) {
        shot s = { .r = r };
        tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
        rig_settle(r, TARRY_SECOND);
        CHECK_INT(s.runs, 1);
        CHECK_INT(tarry_timer_free(timer), 0);
        rig_remake(r, &(tarry_options){ .workers = 1 + (unsigned)i % 4,
                                        .callbacks = TARRY_CALLBACKS_INLINE });
    }
}

TEST_SUITE("destroy", 60, CASE(every_pending_timer_is_dropped),
           CASE(running_functions_are_waited_for),
           CASE(a_stop_wait_that_is_waiting_returns),
           CASE(accepted_tasks_are_waited_for_and_run_nothing), CASE(all_who_wait_wake_with_EPIPE),
           CASE(destroy_from_a_callback_is_EDEADLK_and_changes_nothing),
           CASE(destroy_from_a_callback_thread_is_EDEADLK_too),
           CASE(a_second_destroy_is_ESHUTDOWN), CASE(a_runtime_leaves_nothing_behind),
           CASE(a_turn_that_is_in_a_function_returns),
           CASE(an_advance_that_is_on_its_way_returns))
