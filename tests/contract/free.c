/* Shows: a timer may be freed in any state; a function that runs finishes, none begins afterwards;
 * those who wait on its mailbox wake with EPIPE; a stale handle is an error and never another
 * timer. */
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>

ON_EACH_RIG(a_timer_may_be_freed_in_any_state) {
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_timer_free(timer_in(r->rt, TARRY_SECOND)), 0); /* pending */
    tarry_timer *due = timer_in(r->rt, 0);                         /* due, perhaps delivered */
    CHECK_INT(tarry_timer_free(due), 0);
    tarry_timer *unread = timer_in(r->rt, 0), *read = timer_in(r->rt, 0);
    tarry_timer *stopped = timer_in(r->rt, 0), *shut = timer_in(r->rt, 0);
    rig_settle(r, 0);
    CHECK(timer_due(read) > 0);
    CHECK_INT(tarry_timer_stop(stopped), 1);
    CHECK_INT(tarry_timer_shutdown(shut), 1);
    CHECK_INT(tarry_timer_free(unread), 0);
    CHECK_INT(tarry_timer_free(read), 0);
    CHECK_INT(tarry_timer_free(stopped), 0);
    CHECK_INT(tarry_timer_free(shut), 0);
    tarry_ticker *ticking = ticker_of(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(tarry_ticker_free(ticking), 0);
    const tarry_stats after = rig_stats(r);
    CHECK_INT(after.timers, before.timers);
    CHECK_INT(after.pending, 0);
}

ON_EACH_RIG(a_freed_timer_never_runs) {
    enum { COUNT = 200 };
    static shot shots[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        shots[i] = (shot){ .r = r };
        CHECK_INT(tarry_timer_free(func_in(r->rt, i % 5, shot_run, &shots[i])), 0);
    }
    rig_wait_for_callbacks(r); /* a timerproc may have begun some before they were freed */
    int runs = 0;
    for (int i = 0; i < COUNT; ++i) runs += shots[i].runs;
    CHECK_INT(rig_stats(r).fired, runs);
    rig_settle(r, TARRY_SECOND);
    for (int i = 0; i < COUNT; ++i) runs -= shots[i].runs;
    CHECK_INT(runs, 0);
}

THREADED(a_function_that_runs_finishes_though_its_timer_is_freed) {
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_THREADS });
    blocker b = BLOCKER_INIT;
    tarry_timer *timer = func_in(r->rt, 0, blocker_run, &b);
    rig_settle(r, 0);
    test_count_await(&b.begun, 1);
    CHECK_INT(tarry_timer_reset(timer, 0), 0); /* its next run is due while this one lasts */
    rig_settle(r, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(test_count_read(&b.ended), 0);
    test_count_add(&b.leave);
    rig_wait_for_callbacks(r);
    CHECK_INT(test_count_read(&b.ended), 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(test_count_read(&b.begun), 1);
    CHECK_INT(rig_stats(r).timers, 0);
}

typedef struct receiver {
    tarry_mailbox *mailbox;
    bool selects;
    int result, status;
} receiver;

static void receive(void *argument) {
    receiver *w = argument;
    tarry_case one = { .mailbox = w->mailbox, .op = TARRY_RECV };
    size_t chosen;
    if (w->selects) {
        w->result = tarry_select(&chosen, &one, 1, TARRY_FOREVER);
        w->status = one.status;
    } else {
        w->status = tarry_mailbox_recv(&one.message, w->mailbox);
    }
}

/* Some wait in recv, some in select; free returns when each of them has left the mailbox. */
static void check_waiters_leave(tarry_mailbox *mailbox, int (*free_it)(void *), void *object) {
    enum { COUNT = 4 };
    receiver receivers[COUNT];
    test_thread threads[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        receivers[i] = (receiver){ .mailbox = mailbox, .selects = i % 2 != 0 };
        test_thread_start(&threads[i], receive, &receivers[i]);
    }
    for (int i = 0; i < COUNT; ++i) CHECK(test_thread_blocked(&threads[i]));
    CHECK_INT(free_it(object), 0);
    for (int i = 0; i < COUNT; ++i) {
        test_thread_join(&threads[i]);
        CHECK_INT(receivers[i].result, 0);
        CHECK_INT(receivers[i].status, -EPIPE);
    }
}

static int free_timer(void *object) {
    return tarry_timer_free(object);
}

static int free_ticker(void *object) {
    return tarry_ticker_free(object);
}

static int free_mailbox(void *object) {
    return tarry_mailbox_free(object);
}

ON_EACH_RIG(those_who_wait_on_what_is_freed_wake_with_EPIPE) {
    for (int pending = 0; pending <= 1; ++pending) {
        tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
        if (!pending) CHECK_INT(tarry_timer_stop(timer), 1);
        check_waiters_leave(tarry_timer_mailbox(timer), free_timer, timer);
    }
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    check_waiters_leave(tarry_ticker_mailbox(ticker), free_ticker, ticker);
    tarry_mailbox *mailbox = mailbox_in(r->rt);
    check_waiters_leave(mailbox, free_mailbox, mailbox);
    CHECK_INT(rig_stats(r).timers, 0);
}

static void check_stale(rig *r, tarry_handle handle) {
    const tarry_stats before = rig_stats(r);
    CHECK_INT(tarry_arm(r->rt, handle, 0), -ESTALE);
    CHECK_INT(tarry_arm_at(r->rt, handle, r->now), -ESTALE);
    CHECK_INT(tarry_rearm(r->rt, handle, 0), -ESTALE);
    CHECK_INT(tarry_rearm_at(r->rt, handle, r->now), -ESTALE);
    CHECK_INT(tarry_disarm(r->rt, handle), -ESTALE);
    CHECK_INT(tarry_handle_free(r->rt, handle), -ESTALE);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
}

ON_EACH_RIG(a_freed_handle_is_stale) {
    shot s = { .r = r };
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_arm(r->rt, handle, TARRY_SECOND), 0);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_STOPPED);
    check_stale(r, handle);
    rig_settle(r, 2 * TARRY_SECOND);
    CHECK_INT(s.runs, 0);
    check_stale(r, (tarry_handle){ 0 });
    check_stale(r, (tarry_handle){ .bucket = 1, .slot = handle.slot, .generation = 1 });
    check_stale(r, (tarry_handle){ .bucket = UINT32_MAX, .slot = UINT32_MAX,
                                   .generation = UINT32_MAX });
    check_stale(r, (tarry_handle){ .bucket = 0, .slot = 1000000, .generation = 1 });
}

/* Its slot is used again, many times: no old handle ever names a new timer. */
ON_EACH_RIG(a_stale_handle_never_names_another_timer) {
    enum { REUSES = 2000 };
    static tarry_handle old[REUSES];
    shot s = { .r = r };
    for (int i = 0; i < REUSES; ++i) {
        tarry_handle handle;
        CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
        CHECK_INT(tarry_arm(r->rt, handle, TARRY_SECOND), 0);
        for (int back = 1; back <= 3 && back <= i; ++back) check_stale(r, old[i - back]);
        CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_STOPPED);
        old[i] = handle;
    }
    tarry_handle last;
    CHECK_INT(tarry_handle_new(&last, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_arm(r->rt, last, TARRY_SECOND), 0);
    for (int i = 0; i < REUSES; ++i) CHECK_INT(tarry_disarm(r->rt, old[i]), -ESTALE);
    CHECK_INT(rig_stats(r).timers, 1);
    CHECK_INT(tarry_disarm(r->rt, last), TARRY_STOPPED);
    CHECK_INT(tarry_handle_free(r->rt, last), TARRY_IDLE);
}

/* A timer's slot becomes a handle's and back: generations are per slot, not per kind. */
ON_EACH_RIG(a_handle_does_not_survive_in_a_timer_of_another_kind) {
    shot s = { .r = r };
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    check_stale(r, handle);
    rig_settle(r, TARRY_SECOND);
    check_stale(r, handle);
    CHECK(timer_due(timer) > 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("free", 60, CASE(a_timer_may_be_freed_in_any_state), CASE(a_freed_timer_never_runs),
           CASE(a_function_that_runs_finishes_though_its_timer_is_freed),
           CASE(those_who_wait_on_what_is_freed_wake_with_EPIPE), CASE(a_freed_handle_is_stale),
           CASE(a_stale_handle_never_names_another_timer),
           CASE(a_handle_does_not_survive_in_a_timer_of_another_kind))
