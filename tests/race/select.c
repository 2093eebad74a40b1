/* Shows: fire, send, close and the deadline of a select compete for one claim: each message goes to
 * one receiver or stays in its mailbox, none is lost and none is doubled, and whoever waits is told
 * of a close. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

enum { RECEIVERS = 3, TIMERS = 2, SENDS = 3 };

/* One round: three select on two timers and a mailbox, while time comes to the timers, somebody
 * sends, and the mailbox is closed at last. */
typedef struct round_of {
    tarry_runtime *rt;
    int64_t due;
    tarry_timer *timers[TIMERS];
    tarry_mailbox *mailbox;
    atomic_int from_timer[TIMERS], from_mailbox, sent;
    _Atomic int64_t sum;
} round_of;

static void receive_all(round_of *m) {
    for (;;) {
        tarry_case cases[] = { { .mailbox = tarry_timer_mailbox(m->timers[0]), .op = TARRY_RECV },
                               { .mailbox = m->mailbox, .op = TARRY_RECV },
                               { .mailbox = NULL, .op = TARRY_SEND },
                               { .mailbox = tarry_timer_mailbox(m->timers[1]), .op = TARRY_RECV } };
        size_t chosen = 9;
        TEST_REQUIRE(tarry_select(&chosen, cases, 4, TARRY_FOREVER) == 0);
        if (cases[chosen].status == -EPIPE) return;
        TEST_REQUIRE(cases[chosen].status == 0);
        if (chosen == 1) {
            atomic_fetch_add(&m->from_mailbox, 1);
            atomic_fetch_add(&m->sum, (int64_t)(intptr_t)cases[chosen].message.data);
        } else {
            TEST_REQUIRE(chosen == 0 || chosen == 3);
            TEST_REQUIRE(cases[chosen].message.due_ns == m->due);
            atomic_fetch_add(&m->from_timer[chosen / 3], 1);
        }
    }
}

static void take_part(unsigned index, void *argument) {
    round_of *m = argument;
    if (index < RECEIVERS) {
        receive_all(m);
    } else if (index == RECEIVERS) {
        TEST_REQUIRE(tarry_advance(m->rt, m->due + TARRY_MICROSECOND) == 0);
    } else {
        for (intptr_t i = 1; i <= SENDS; ++i)
            TEST_REQUIRE(tarry_mailbox_send(m->mailbox, (void *)i) == 0);
        TEST_REQUIRE(tarry_mailbox_close(m->mailbox) == 0);
    }
}

THREADED(each_message_goes_to_one_of_those_who_select) {
    if (r->tick > TARRY_MICROSECOND) return;
    const unsigned rounds = test_rounds(150, 5000);
    for (unsigned i = 0; i < rounds; ++i) {
        round_of m = { .rt = r->rt, .due = r->now + TARRY_MICROSECOND };
        for (int t = 0; t < TIMERS; ++t)
            CHECK_INT(tarry_timer_new_at(&m.timers[t], r->rt, m.due), 0);
        m.mailbox = mailbox_in(r->rt);
        test_threads_run(RECEIVERS + 2, take_part, &m);
        r->now += 2 * TARRY_MICROSECOND;
        CHECK_INT(m.from_mailbox, SENDS);
        CHECK_INT(m.sum, SENDS * (SENDS + 1) / 2);
        for (int t = 0; t < TIMERS; ++t) {
            const bool left = timer_due(m.timers[t]) == m.due;
            if (!CHECK_INT(m.from_timer[t] + left, 1)) return;
            CHECK_INT(tarry_timer_free(m.timers[t]), 0);
        }
        CHECK_INT(tarry_mailbox_free(m.mailbox), 0);
    }
}

/* The wait's own deadline is the timer's: one of the two wins, and the message is not lost. */
typedef struct tie {
    rig *r;
    tarry_timer *timer;
    int64_t due;
    int result, status;
} tie;

static void wait_until_due(unsigned index, void *argument) {
    tie *t = argument;
    if (index == 0) {
        TEST_REQUIRE(tarry_advance(t->r->rt, t->due + t->r->tick) == 0);
        return;
    }
    tarry_case one = { .mailbox = tarry_timer_mailbox(t->timer), .op = TARRY_RECV };
    size_t chosen;
    t->result = tarry_select(&chosen, &one, 1, t->due);
    t->status = one.status;
}

THREADED(a_deadline_and_a_firing_at_once_lose_no_message) {
    const unsigned rounds = test_rounds(200, 10000);
    for (unsigned i = 0; i < rounds; ++i) {
        tie t = { .r = r, .due = r->now + TARRY_MICROSECOND };
        CHECK_INT(tarry_timer_new_at(&t.timer, r->rt, t.due), 0);
        test_threads_run(2, wait_until_due, &t);
        r->now = t.due + r->tick;
        CHECK(t.result == 0 || t.result == -ETIMEDOUT);
        CHECK_INT(t.status, 0);
        const bool left = timer_due(t.timer) == t.due;
        if (!CHECK_INT((t.result == 0) + left, 1)) return;
        CHECK_INT(tarry_timer_free(t.timer), 0);
    }
}

/* Stop and reset against a receiver that is waiting: what one of them took back the other does not
 * get. */
typedef struct duel_of {
    tarry_timer *timer;
    tarry_runtime *rt;
    int64_t due;
    int stopped, received;
} duel_of;

static void stop_or_receive(unsigned index, void *argument) {
    duel_of *d = argument;
    tarry_message message;
    if (index == 0) {
        TEST_REQUIRE(tarry_advance(d->rt, d->due) == 0);
    } else if (index == 1) {
        d->stopped = tarry_timer_stop(d->timer);
    } else {
        const int result = tarry_mailbox_recv_until(&message, tarry_timer_mailbox(d->timer),
                                                    d->due - 1);
        TEST_REQUIRE(result == 0 || result == -ETIMEDOUT);
        d->received = result == 0;
    }
}

THREADED(a_message_is_received_or_taken_back_and_not_both) {
    const unsigned rounds = test_rounds(200, 10000);
    for (unsigned i = 0; i < rounds; ++i) {
        duel_of d = { .rt = r->rt, .due = r->now + TARRY_MICROSECOND };
        CHECK_INT(tarry_timer_new_at(&d.timer, r->rt, d.due - r->tick), 0);
        test_threads_run(3, stop_or_receive, &d);
        r->now = d.due;
        if (!CHECK_INT(d.stopped + d.received, 1)) return;
        CHECK_INT(timer_due(d.timer), -EAGAIN);
        CHECK_INT(tarry_timer_free(d.timer), 0);
    }
}

/* A select over many mailboxes, of which the first and the last are sent to while it is on its way
 * through them: once one of them has claimed it, it takes nothing from the other. */
enum { FILLERS = TARRY_MAX_CASES - 2 };

typedef struct wide {
    tarry_mailbox *first, *last, *fillers[FILLERS];
    atomic_uint round; /* the one that the senders may send in */
    atomic_uint sent;  /* by both, over all rounds */
    unsigned rounds;
} wide;

static void send_in_each_round(unsigned index, wide *w) {
    unsigned seed = 5000 + index;
    for (unsigned i = 1; i <= w->rounds; ++i) {
        while (atomic_load(&w->round) < i) sched_yield();
        for (volatile int spin = rand_r(&seed) % 2000; spin > 0; --spin) continue;
        TEST_REQUIRE(tarry_mailbox_send(index == 1 ? w->first : w->last, w) == 0);
        atomic_fetch_add(&w->sent, 1);
    }
}

static void select_in_each_round(wide *w) {
    tarry_case cases[TARRY_MAX_CASES];
    for (unsigned i = 1; i <= w->rounds; ++i) {
        cases[0] = (tarry_case){ .mailbox = w->first, .op = TARRY_RECV };
        for (int f = 0; f < FILLERS; ++f)
            cases[1 + f] = (tarry_case){ .mailbox = w->fillers[f], .op = TARRY_RECV };
        cases[TARRY_MAX_CASES - 1] = (tarry_case){ .mailbox = w->last, .op = TARRY_RECV };
        size_t chosen = 999;
        atomic_store(&w->round, i);
        TEST_REQUIRE(tarry_select(&chosen, cases, TARRY_MAX_CASES, TARRY_FOREVER) == 0);
        TEST_REQUIRE(chosen == 0 || chosen == TARRY_MAX_CASES - 1);
        TEST_REQUIRE(cases[chosen].status == 0 && cases[chosen].message.data == w);
        while (atomic_load(&w->sent) < 2 * i) sched_yield();
        TEST_REQUIRE(take_due(chosen == 0 ? w->first : w->last) == -EAGAIN);
        TEST_REQUIRE(take_due(chosen == 0 ? w->last : w->first) > 0);
    }
}

static void take_part_in_wide(unsigned index, void *argument) {
    if (index == 0) select_in_each_round(argument);
    else send_in_each_round(index, argument);
}

THREADED(a_select_that_was_claimed_takes_nothing_else) {
    wide w = { .rounds = test_rounds(1000, 50000) };
    w.first = mailbox_in(r->rt);
    w.last = mailbox_in(r->rt);
    for (int f = 0; f < FILLERS; ++f) w.fillers[f] = mailbox_in(r->rt);
    test_threads_run(3, take_part_in_wide, &w);
    CHECK_INT(w.sent, 2 * w.rounds);
    CHECK_INT(tarry_mailbox_free(w.first), 0);
    CHECK_INT(tarry_mailbox_free(w.last), 0);
    for (int f = 0; f < FILLERS; ++f) CHECK_INT(tarry_mailbox_free(w.fillers[f]), 0);
}

TEST_SUITE("select", 120, CASE(each_message_goes_to_one_of_those_who_select),
           CASE(a_deadline_and_a_firing_at_once_lose_no_message),
           CASE(a_message_is_received_or_taken_back_and_not_both),
           CASE(a_select_that_was_claimed_takes_nothing_else))
