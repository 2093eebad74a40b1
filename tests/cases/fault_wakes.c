/* Shows: faults that other libraries had with waking: a waiter that a reset did not wake, a removed
 * head that nobody told the sleeper of, a worker's timers lost with its thread, a herd woken for
 * one deadline. Each case names whose. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

typedef struct receiver {
    tarry_timer *timer;
    tarry_message message;
    int result;
} receiver;

static void receive(void *argument) {
    receiver *w = argument;
    w->result = tarry_mailbox_recv(&w->message, tarry_timer_mailbox(w->timer));
}

/* tokio#849, 6e8475dd6, ed2563614, libHttpClient#975: the waiter waited on for the old time. */
THREADED(tokio_a_reset_to_earlier_wakes_the_waiter_in_time) {
    receiver w = { .timer = timer_in(r->rt, 1000 * TARRY_SECOND), .result = 1 };
    test_thread thread;
    test_thread_start(&thread, receive, &w);
    CHECK(test_thread_blocked(&thread));
    const int64_t due = r->now + TARRY_SECOND;
    CHECK_INT(tarry_timer_reset(w.timer, TARRY_SECOND), 1);
    rig_pass(r, TARRY_SECOND - 1);
    CHECK(test_thread_blocked(&thread));
    rig_settle(r, 1);
    test_thread_join(&thread);
    CHECK_INT(w.result, 0);
    CHECK_INT(w.message.due_ns, due);
    CHECK_INT(tarry_timer_free(w.timer), 0);
}

THREADED(tokio_a_reset_to_the_past_wakes_the_waiter_at_once) {
    receiver w = { .timer = timer_in(r->rt, 1000 * TARRY_SECOND), .result = 1 };
    test_thread thread;
    test_thread_start(&thread, receive, &w);
    CHECK(test_thread_blocked(&thread));
    CHECK_INT(tarry_timer_reset_at(w.timer, r->now - TARRY_SECOND), 1);
    test_thread_join(&thread); /* nobody moves the clock */
    CHECK_INT(w.result, 0);
    CHECK_INT(tarry_timer_free(w.timer), 0);
}

/* libevent#1727, golang#47762: the head was removed, or moved, by another thread; what is behind it
 * is on time. */
typedef struct meddler {
    tarry_timer *head;
    bool moves;
} meddler;

static void meddle(void *argument) {
    const meddler *m = argument;
    if (m->moves) TEST_REQUIRE(tarry_timer_reset(m->head, 3000 * TARRY_SECOND) == 1);
    else TEST_REQUIRE(tarry_timer_stop(m->head) == 1);
}

THREADED(libevent_the_head_removed_by_another_thread_delays_nobody) {
    for (int moves = 0; moves <= 1; ++moves) {
        shot s = { .r = r };
        meddler m = { .head = timer_in(r->rt, TARRY_SECOND), .moves = moves };
        tarry_timer *behind = func_in(r->rt, 2 * TARRY_SECOND, shot_run, &s);
        const int64_t due = r->now + 2 * TARRY_SECOND;
        test_thread thread;
        test_thread_start(&thread, meddle, &m);
        test_thread_join(&thread);
        rig_settle(r, 2 * TARRY_SECOND);
        CHECK_INT(s.runs, 1);
        CHECK(s.at_ns >= due && s.at_ns <= due + r->tick);
        CHECK_INT(tarry_timer_free(m.head), 0);
        CHECK_INT(tarry_timer_free(behind), 0);
    }
}

/* golang#47329: Reset far, Stop, Reset 0 on a hundred timers: one was lost, or came at the old
 * deadline. */
ON_EACH_RIG(go_far_then_stopped_then_now_is_not_lost) {
    enum { COUNT = 100 };
    shot shots[COUNT];
    tarry_timer *timers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        shots[i] = (shot){ .r = r };
        timers[i] = func_in(r->rt, TARRY_FOREVER, shot_run, &shots[i]);
    }
    for (int round = 1; round <= 20; ++round) {
        for (int i = 0; i < COUNT; ++i) {
            CHECK(tarry_timer_reset(timers[i], TARRY_SECOND + i) >= 0);
            CHECK_INT(tarry_timer_stop(timers[i]), 1);
            CHECK_INT(tarry_timer_reset(timers[i], 0), 0);
        }
        rig_settle(r, 0);
        for (int i = 0; i < COUNT; ++i)
            if (!CHECK_INT(shots[i].runs, round)) return;
    }
    for (int i = 0; i < COUNT; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
}

/* asio#1652: a reset in one thread and a wait in another: the wait never ended. */
typedef struct pair_of {
    tarry_timer *timer;
    unsigned rounds;
    test_count received;
} pair_of;

static void arm_or_receive(unsigned index, void *argument) {
    pair_of *p = argument;
    tarry_message message;
    for (unsigned i = 1; i <= p->rounds; ++i) {
        if (index == 0) {
            TEST_REQUIRE(tarry_timer_reset_at(p->timer, 1) >= 0);
            test_count_await(&p->received, i);
        } else {
            TEST_REQUIRE(tarry_mailbox_recv(&message, tarry_timer_mailbox(p->timer)) == 0);
            test_count_add(&p->received);
        }
    }
}

THREADED(asio_a_reset_against_a_wait_in_another_thread_is_not_missed) {
    pair_of p = { .timer = timer_in(r->rt, TARRY_FOREVER), .rounds = test_rounds(500, 20000),
                  .received = TEST_COUNT_INIT };
    test_threads_run(2, arm_or_receive, &p);
    CHECK_INT(rig_stats(r).fired, p.rounds);
    CHECK_INT(tarry_timer_free(p.timer), 0);
}

/* golang#45716: a worker went away and its timers with it. Here they are their bucket's, whatever
 * becomes of the thread that made them. */
typedef struct leaver {
    rig *r;
    shot shot;
    tarry_timer *func, *message;
    tarry_ticker *ticker;
} leaver;

static void make_and_leave(void *argument) {
    leaver *l = argument;
    l->shot = (shot){ .r = l->r };
    l->func = func_in(l->r->rt, TARRY_SECOND, shot_run, &l->shot);
    l->message = timer_in(l->r->rt, TARRY_SECOND);
    l->ticker = ticker_of(l->r->rt, TARRY_SECOND);
}

ON_EACH_RIG(go_timers_survive_the_thread_that_made_them) {
    enum { COUNT = 20 };
    rig_remake(r, &(tarry_options){ .workers = 3, .callbacks = TARRY_CALLBACKS_INLINE });
    leaver leavers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        test_thread thread;
        leavers[i].r = r;
        test_thread_start(&thread, make_and_leave, &leavers[i]);
        test_thread_join(&thread);
    }
    rig_settle(r, TARRY_SECOND);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_INT(leavers[i].shot.runs, 1);
        CHECK(timer_due(leavers[i].message) > 0);
        CHECK(ticker_due(leavers[i].ticker) > 0);
        CHECK_INT(tarry_timer_free(leavers[i].func), 0);
        CHECK_INT(tarry_timer_free(leavers[i].message), 0);
        CHECK_INT(tarry_ticker_free(leavers[i].ticker), 0);
    }
}

/* apache/hertzbeat, heph#383, opensips#983: every worker woke for one deadline. On the real clock,
 * an hour away, since a virtual one wakes whom it moves past. */
THREADED(heph_one_timer_wakes_one_worker) {
    enum { WORKERS = 4 };
    rig_use_real_clock(r, WORKERS, TARRY_CALLBACKS_INLINE);
    tarry_timer *timers[WORKERS];
    tarry_stats before[WORKERS], after;
    for (unsigned i = 0; i < WORKERS; ++i) {
        CHECK_INT(tarry_bind(r->rt, i), 0);
        timers[i] = quiet_in(r->rt, 3600 * TARRY_SECOND);
        do {
            before[i] = (tarry_stats)TARRY_STATS_INIT;
            CHECK_INT(tarry_stats_read(&before[i], r->rt, i), 0);
        } while (before[i].sleeps <= before[i].wakes); /* it is asleep now */
    }
    for (int i = 0; i < 50; ++i) {
        CHECK(tarry_timer_reset_at(timers[2], 1) >= 0);
        while (rig_stats(r).fired <= (uint64_t)i) sched_yield();
    }
    for (unsigned i = 0; i < WORKERS; ++i) {
        after = (tarry_stats)TARRY_STATS_INIT;
        CHECK_INT(tarry_stats_read(&after, r->rt, i), 0);
        if (i == 2) CHECK_INT(after.fired, 50);
        else CHECK(rig_unchanged(&before[i], &after) && after.sleeps == before[i].sleeps);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
}

TEST_SUITE("fault_wakes", 60, CASE(tokio_a_reset_to_earlier_wakes_the_waiter_in_time),
           CASE(tokio_a_reset_to_the_past_wakes_the_waiter_at_once),
           CASE(libevent_the_head_removed_by_another_thread_delays_nobody),
           CASE(go_far_then_stopped_then_now_is_not_lost),
           CASE(asio_a_reset_against_a_wait_in_another_thread_is_not_missed),
           CASE(go_timers_survive_the_thread_that_made_them), CASE(heph_one_timer_wakes_one_worker))
