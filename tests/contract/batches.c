/* Shows: of many timers that are due in one moment, a bounded number is taken under one hold of the
 * lock, and run outside it; between being taken and being begun, and of course before, a stop, a
 * reset and a free win, from within the first callback and from another thread; a limit keeps the
 * order. */
#include "api/runtime.h"
#include "held.h"
#include "suite.h"
#include "virtual.h"

#include <stdlib.h>

enum { CROWD = 300, HUGE = 10000 }; /* several batches, and very many */

typedef struct crowd crowd;

typedef struct member {
    crowd *in;
    tarry_timer *timer;
    int64_t deadline;
    int runs; /* of the thread that turns the crank; others look while it waits for them */
} member;

struct crowd {
    rig *r;
    member *members;
    int count;
    int ran;                                /* how many have */
    void (*at)(crowd *c, member *who);      /* what each does as it runs */
    int (*act)(member *other, int64_t now); /* what the first does to each other one */
    blocker stands;                         /* where the first is to stand still */
    member *first;
    test_thread turner;
    int64_t span;
};

static void run_member(void *argument) {
    member *m = argument;
    ++m->runs;
    ++m->in->ran;
    if (m->in->at != NULL) m->in->at(m->in, m);
}

static void gather(crowd *c, rig *r, int count, int64_t step) {
    *c = (crowd){ .r = r, .count = count, .stands = BLOCKER_INIT };
    c->members = calloc((size_t)count, sizeof *c->members);
    TEST_REQUIRE(c->members != NULL);
    for (int i = 0; i < count; ++i) {
        member *m = &c->members[i];
        *m = (member){ .in = c, .deadline = r->now + TARRY_SECOND + i * 7919 % count * step };
        TEST_REQUIRE(tarry_after_func_at(&m->timer, r->rt, m->deadline, run_member, m) == 0);
    }
}

static void scatter(crowd *c) {
    for (int i = 0; i < c->count; ++i)
        if (c->members[i].timer != NULL) CHECK_INT(tarry_timer_free(c->members[i].timer), 0);
    free(c->members);
}

static int stop_it(member *m, int64_t now) {
    (void)now;
    return tarry_timer_stop(m->timer);
}

static int reset_it(member *m, int64_t now) {
    return tarry_timer_reset_at(m->timer, now + 10 * TARRY_SECOND);
}

static int free_it(member *m, int64_t now) {
    (void)now;
    const int result = tarry_timer_free(m->timer);
    m->timer = NULL;
    return result + 1; /* it answers 0, and that is as much of a success as their 1 */
}

static int (*const acts[])(member *m, int64_t now) = { stop_it, reset_it, free_it };

enum { ACTS = sizeof acts / sizeof *acts };

static void act_on_all_others(crowd *c, const member *who) {
    const int64_t now = now_of(c->r->rt);
    for (int i = 0; i < c->count; ++i)
        if (&c->members[i] != who && !CHECK_INT(c->act(&c->members[i], now), 1)) return;
}

/* The first alone has run; those that were reset run once in their time, the others never. */
static void check_all_others(crowd *c) {
    CHECK_INT(c->ran, 1);
    CHECK_INT(rig_stats(c->r).pending, c->act == reset_it ? c->count - 1 : 0);
    rig_settle(c->r, 20 * TARRY_SECOND);
    for (int i = 0; i < c->count; ++i)
        if (!CHECK_INT(c->members[i].runs, &c->members[i] == c->first || c->act == reset_it))
            break;
    scatter(c);
}

static void first_acts(crowd *c, member *who) {
    if (c->ran != 1) return;
    c->first = who;
    act_on_all_others(c, who);
}

ON_EACH_RIG(what_the_first_of_a_crowd_does_to_all_others_wins) {
    for (int i = 0; i < ACTS; ++i) {
        crowd c;
        gather(&c, r, CROWD, 0);
        c.at = first_acts;
        c.act = acts[i];
        rig_settle(r, TARRY_SECOND);
        check_all_others(&c);
    }
}

static void first_stands_still(crowd *c, member *who) {
    if (c->ran != 1) return;
    c->first = who;
    blocker_run(&c->stands);
}

static void turn(void *argument) {
    crowd *c = argument;
    rig_settle(c->r, c->span);
}

/* The crank is turned in a thread, whose first callback stands still while this one acts. */
ON_EACH_RIG(what_another_thread_does_to_a_crowd_that_is_due_wins) {
    for (int i = 0; i < ACTS; ++i) {
        crowd c;
        gather(&c, r, CROWD, 0);
        c.at = first_stands_still;
        c.act = acts[i];
        c.span = TARRY_SECOND;
        test_thread_start(&c.turner, turn, &c);
        test_count_await(&c.stands.begun, 1);
        CHECK_INT(rig_stats(r).running, 1);
        CHECK_INT(rig_stats(r).pending, CROWD - 1);
        act_on_all_others(&c, c.first);
        test_count_add(&c.stands.leave);
        test_thread_join(&c.turner);
        check_all_others(&c);
    }
}

static void stop_one(void *argument) {
    crowd *c = argument;
    int i = c->count - 1;
    while (i >= 0 && (c->members[i].timer == NULL || c->members[i].runs != 0)) --i;
    if (i < 0) return;
    CHECK_INT(tarry_timer_stop(c->members[i].timer), 1);
    CHECK_INT(tarry_timer_free(c->members[i].timer), 0);
    c->members[i].timer = NULL;
}

/* Those that are taken and not begun are in the due queue; with inline callbacks a batch is over
 * before the next is taken. Once a batch another thread is let in, and takes the lock. */
static void look_at_the_queue(crowd *c, member *who) {
    (void)who;
    if (c->r->rt->workers[0].bucket.due >= TRI_BATCH)
        CHECK_INT(c->r->rt->workers[0].bucket.due, TRI_BATCH - 1);
    if (c->ran % (int)TRI_BATCH != 0) return;
    test_thread other;
    test_thread_start(&other, stop_one, c);
    test_thread_join(&other);
}

ON_EACH_RIG(one_hold_of_the_lock_takes_a_bounded_number) {
    crowd c;
    gather(&c, r, HUGE, 0);
    c.at = look_at_the_queue;
    rig_settle(r, TARRY_SECOND);
    int stopped = 0;
    for (int i = 0; i < HUGE; ++i) {
        const member *m = &c.members[i];
        if (!CHECK_INT(m->runs + (m->timer == NULL), 1)) break;
        stopped += m->timer == NULL;
    }
    CHECK_INT(c.ran + stopped, HUGE);
    CHECK(stopped > HUGE / (int)TRI_BATCH / 2);
    scatter(&c);
}

static int64_t latest;

static void comes_in_order(crowd *c, member *who) {
    const int64_t least = c->r->tick == 0 ? latest : latest - c->r->tick + 1;
    if (who->deadline < least) CHECK_INT(who->deadline, least);
    if (who->deadline > latest) latest = who->deadline;
}

BY_HAND(a_limit_keeps_the_order) {
    static const size_t limits[] = { 1, 7, 63, 64, 65, 100, 2000 };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        crowd c;
        gather(&c, r, CROWD, TARRY_MILLISECOND / 3);
        c.at = comes_in_order;
        latest = 0;
        r->now += 3 * TARRY_SECOND;
        while (c.ran < CROWD) {
            const int before = c.ran, left = CROWD - before;
            const int expected = left < (int)limits[i] ? left : (int)limits[i];
            CHECK_INT(tarry_run_expired(r->rt, 0, r->now, limits[i]), expected);
            if (!CHECK_INT(c.ran - before, expected)) break;
        }
        scatter(&c);
    }
}

TEST_SUITE("batches", 120, CASE(what_the_first_of_a_crowd_does_to_all_others_wins),
           CASE(what_another_thread_does_to_a_crowd_that_is_due_wins),
           CASE(one_hold_of_the_lock_takes_a_bounded_number), CASE(a_limit_keeps_the_order))
