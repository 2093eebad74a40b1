/* Shows: a timer or ticker with a mailbox, in a runtime with threads, is in no backend and wakes no
 * thread of the runtime; whoever looks makes the message that has come due; who waits wakes at the
 * deadline by itself, also at one that was moved while it slept; one sleep may wait for timers of
 * several clocks. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

THREADED(pending_ones_are_in_no_backend) {
    enum { COUNT = 20000 };
    static tarry_timer *timers[COUNT];
    const tarry_stats before = rig_stats(r);
    for (int i = 0; i < COUNT; ++i) timers[i] = timer_in(r->rt, TARRY_SECOND + i);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.pending, COUNT);
    CHECK_INT(stats.timers, COUNT);
    CHECK_INT(stats.armed, COUNT);
    CHECK_INT(stats.entries, before.entries);
    CHECK_INT(stats.sleeps, before.sleeps); /* its thread was not even started */
    for (int i = 0; i < COUNT; i += 2) CHECK_INT(tarry_timer_stop(timers[i]), 1);
    CHECK_INT(rig_stats(r).pending, COUNT / 2);
    rig_pass(r, TARRY_SECOND + COUNT);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(timer_due(timers[i]) >= 0, i % 2);
    CHECK_INT(rig_stats(r).fired, COUNT / 2);
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

/* One that nobody waited for lies there since it was due. */
THREADED(a_message_that_is_made_late_is_stamped_with_its_deadline) {
    const int64_t due = r->now + TARRY_SECOND;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_message message = { 0 };
    rig_pass(r, 3600 * TARRY_SECOND);
    CHECK_INT(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)), 0);
    CHECK_INT(message.due_ns, due);
    CHECK_INT(message.sent_ns, due);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* What was due is due, whoever looks first: a stop takes it back, a reset too. */
THREADED(stop_and_reset_undo_what_nobody_has_looked_at) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    rig_pass(r, 2 * TARRY_SECOND);
    CHECK_INT(tarry_timer_reset(timer, TARRY_SECOND), 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    rig_pass(r, 2 * TARRY_SECOND);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(tarry_timer_stop(timer), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

typedef struct waiting {
    test_thread thread;
    tarry_case cases[2];
    size_t chosen;
    int result;
} waiting;

static void choose(void *argument) {
    waiting *w = argument;
    w->result = tarry_select(&w->chosen, w->cases, 2, TARRY_FOREVER);
}

static void start(waiting *w, tarry_mailbox *first, tarry_mailbox *second) {
    w->cases[0] = (tarry_case){ .mailbox = first };
    w->cases[1] = (tarry_case){ .mailbox = second };
    w->result = 1;
    test_thread_start(&w->thread, choose, w);
    test_thread_settle(&w->thread);
}

static void check_woken(waiting *w, size_t chosen, int64_t due) {
    test_thread_join(&w->thread);
    CHECK_INT(w->result, 0);
    CHECK_INT(w->chosen, chosen);
    CHECK_INT(w->cases[chosen].message.due_ns, due);
    CHECK_INT(w->cases[chosen].message.sent_ns, due);
}

/* Though time goes far past it in one step: the receiver makes its message at its own point. */
THREADED(who_waits_wakes_at_the_deadline) {
    const int64_t due = r->now + TARRY_SECOND;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND), *far = timer_in(r->rt, TARRY_FOREVER);
    waiting w;
    start(&w, tarry_timer_mailbox(far), tarry_timer_mailbox(timer));
    rig_pass(r, TARRY_SECOND - 1);
    CHECK(test_thread_blocked(&w.thread));
    rig_pass(r, 3600 * TARRY_SECOND);
    check_woken(&w, 1, due);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(far), 0);
}

/* Moved to later, to earlier, stopped and armed again, all while somebody sleeps on it. */
THREADED(a_deadline_that_moves_is_followed) {
    tarry_timer *timer = timer_in(r->rt, 10 * TARRY_SECOND), *far = timer_in(r->rt, TARRY_FOREVER);
    waiting w;
    start(&w, tarry_timer_mailbox(timer), tarry_timer_mailbox(far));
    CHECK_INT(tarry_timer_reset(timer, 20 * TARRY_SECOND), 1);
    rig_pass(r, 15 * TARRY_SECOND);
    test_thread_settle(&w.thread);
    CHECK(test_thread_blocked(&w.thread));
    CHECK_INT(tarry_timer_stop(timer), 1);
    rig_pass(r, 15 * TARRY_SECOND);
    test_thread_settle(&w.thread);
    CHECK(test_thread_blocked(&w.thread));
    CHECK_INT(tarry_timer_reset(timer, 8 * TARRY_SECOND), 0);
    CHECK_INT(tarry_timer_reset(timer, 3 * TARRY_SECOND), 1);
    const int64_t due = r->now + 3 * TARRY_SECOND;
    test_thread_settle(&w.thread);
    rig_pass(r, 3600 * TARRY_SECOND);
    check_woken(&w, 0, due);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(far), 0);
}

/* Each tick goes to one of those who wait, in their order; none is dropped. */
THREADED(several_receivers_share_the_ticks) {
    enum { COUNT = 4 };
    const int64_t began = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    waiting all[COUNT];
    uint64_t dropped;
    for (int i = 0; i < COUNT; ++i) start(&all[i], tarry_ticker_mailbox(ticker), NULL);
    rig_pass(r, COUNT * TARRY_SECOND);
    for (int i = 0; i < COUNT; ++i) check_woken(&all[i], 0, began + (1 + i) * TARRY_SECOND);
    CHECK_INT(tarry_ticker_dropped(&dropped, ticker), 0);
    CHECK_INT(dropped, 0);
    CHECK_INT(rig_stats(r).armed, COUNT + 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* Two runtimes, each with a virtual clock of its own: whichever comes first ends the sleep. */
THREADED(one_sleep_waits_on_several_clocks) {
    tarry_options options = { .size = sizeof options, .workers = 1, .backend = r->backend,
                              .tick_ns = r->tick, .clock = TARRY_CLOCK_VIRTUAL };
    tarry_runtime *other = NULL;
    TEST_REQUIRE(tarry_create(&other, &options) == 0);
    for (int first = 0; first < 2; ++first) {
        tarry_timer *here = timer_in(r->rt, TARRY_SECOND), *there = timer_in(other, TARRY_SECOND);
        const int64_t due = (first == 0 ? r->now : now_of(other)) + TARRY_SECOND;
        waiting w;
        start(&w, tarry_timer_mailbox(here), tarry_timer_mailbox(there));
        if (first == 0) rig_pass(r, 2 * TARRY_SECOND);
        else CHECK_INT(tarry_advance(other, now_of(other) + 2 * TARRY_SECOND), 0);
        check_woken(&w, (size_t)first, due);
        CHECK_INT(tarry_timer_free(here), 0);
        CHECK_INT(tarry_timer_free(there), 0);
    }
    CHECK_INT(tarry_destroy(other), 0);
}

TEST_SUITE("timed", 60, CASE(pending_ones_are_in_no_backend),
           CASE(a_message_that_is_made_late_is_stamped_with_its_deadline),
           CASE(stop_and_reset_undo_what_nobody_has_looked_at),
           CASE(who_waits_wakes_at_the_deadline), CASE(a_deadline_that_moves_is_followed),
           CASE(several_receivers_share_the_ticks), CASE(one_sleep_waits_on_several_clocks))
