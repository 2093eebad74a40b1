/* Shows: a callback may stop, reset and free its own timer and others, those due in the same moment
 * included, and may make and arm new ones; a stop that answers 1 keeps the other from running even
 * where it was already due. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

enum { BATCH = 40 };

/* All timers of a case, so that a callback can get at any of them. */
typedef struct stage {
    rig *r;
    tarry_timer *timers[BATCH];
    tarry_handle handles[BATCH];
    int count;
    int runs[BATCH]; /* only callbacks of one bucket touch it, one at a time */
    int results[BATCH];
    int actor;                    /* the number of the timer that acts, on its first run */
    void (*act)(struct stage *s); /* what it does */
    shot extra;
} stage;

typedef struct part {
    stage *on;
    int number;
} part;

static void play(void *argument) {
    part *p = argument;
    ++p->on->runs[p->number];
    if (p->number == p->on->actor && p->on->runs[p->number] == 1) p->on->act(p->on);
}

/* `count` timers that are due at the same point, one of which acts on the others. */
static void run_stage(rig *r, stage *s, int count, int actor, void (*act)(stage *s)) {
    static part parts[BATCH];
    *s = (stage){ .r = r, .count = count, .actor = actor, .act = act, .extra.r = r };
    for (int i = 0; i < count; ++i) {
        parts[i] = (part){ .on = s, .number = i };
        s->timers[i] = func_in(r->rt, TARRY_SECOND, play, &parts[i]);
    }
    rig_settle(r, TARRY_SECOND);
}

static void free_stage(stage *s) {
    for (int i = 0; i < s->count; ++i)
        if (s->timers[i] != NULL) CHECK_INT(tarry_timer_free(s->timers[i]), 0);
}

static void stop_itself(stage *s) {
    s->results[0] = tarry_timer_stop(s->timers[0]);
    s->results[1] = tarry_timer_stop_wait(s->timers[0]);
}

ON_EACH_RIG(a_callback_may_stop_its_own_timer) {
    stage s;
    run_stage(r, &s, 1, 0, stop_itself);
    CHECK_INT(s.results[0], 0);
    CHECK_INT(s.results[1], -EDEADLK);
    CHECK_INT(s.runs[0], 1);
    free_stage(&s);
}

static void reset_itself(stage *s) {
    s->results[0] = tarry_timer_reset(s->timers[0], 2 * TARRY_SECOND);
    s->results[1] = tarry_timer_reset(s->timers[0], TARRY_SECOND);
}

ON_EACH_RIG(a_callback_may_reset_its_own_timer) {
    stage s;
    run_stage(r, &s, 1, 0, reset_itself);
    CHECK_INT(s.results[0], 0);
    CHECK_INT(s.results[1], 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs[0], 2);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(s.runs[0], 2);
    free_stage(&s);
}

static void free_itself(stage *s) {
    s->results[0] = tarry_timer_free(s->timers[0]);
    s->timers[0] = NULL;
}

ON_EACH_RIG(a_callback_may_free_its_own_timer) {
    stage s;
    run_stage(r, &s, 1, 0, free_itself);
    CHECK_INT(s.results[0], 0);
    CHECK_INT(s.runs[0], 1);
    CHECK_INT(rig_stats(r).timers, 0);
}

static void free_itself_armed(stage *s) {
    CHECK_INT(tarry_timer_reset(s->timers[0], TARRY_SECOND), 0);
    free_itself(s);
}

ON_EACH_RIG(a_callback_may_free_its_own_timer_that_it_has_armed_again) {
    stage s;
    run_stage(r, &s, 1, 0, free_itself_armed);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(s.runs[0], 1);
    CHECK_INT(rig_stats(r).pending, 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

/* In one moment, nobody can say which runs first: so each of the batch is the actor once, and the
 * result of each call tells what must have happened. */
static void stop_all_others(stage *s) {
    for (int i = 0; i < s->count; ++i) {
        int (*const stop)(tarry_timer *) = i % 2 ? tarry_timer_stop : tarry_timer_stop_wait;
        if (i != s->actor) s->results[i] = stop(s->timers[i]);
    }
}

ON_EACH_RIG(a_stop_of_one_due_in_the_same_moment_is_obeyed) {
    stage s;
    int stopped = 0;
    for (int actor = 0; actor < BATCH; ++actor) {
        run_stage(r, &s, BATCH, actor, stop_all_others);
        for (int i = 0; i < BATCH; ++i) {
            if (!CHECK_INT(s.runs[i] + s.results[i], 1)) return;
            stopped += s.results[i];
        }
        free_stage(&s);
    }
    /* Whatever the order is, all runs over all actors stop each pair one way or the other. */
    CHECK(stopped > 0);
}

static void reset_all_others(stage *s) {
    for (int i = 0; i < s->count; ++i)
        if (i != s->actor) s->results[i] = tarry_timer_reset(s->timers[i], TARRY_SECOND);
}

ON_EACH_RIG(a_reset_of_one_due_in_the_same_moment_is_obeyed) {
    stage s;
    for (int actor = 0; actor < BATCH; actor += 3) {
        run_stage(r, &s, BATCH, actor, reset_all_others);
        for (int i = 0; i < BATCH; ++i)
            if (i != actor && !CHECK_INT(s.runs[i] + s.results[i], 1)) return;
        rig_settle(r, TARRY_SECOND);
        for (int i = 0; i < BATCH; ++i)
            if (i != actor && !CHECK_INT(s.runs[i] + s.results[i], 2)) return;
        free_stage(&s);
    }
}

static void free_all_others(stage *s) {
    for (int i = 0; i < s->count; ++i) {
        if (i == s->actor) continue;
        s->results[i] = s->runs[i]; /* as it was when it was freed */
        CHECK_INT(tarry_timer_free(s->timers[i]), 0);
        s->timers[i] = NULL;
    }
}

ON_EACH_RIG(a_free_of_one_due_in_the_same_moment_is_obeyed) {
    stage s;
    for (int actor = 0; actor < BATCH; actor += 3) {
        run_stage(r, &s, BATCH, actor, free_all_others);
        for (int i = 0; i < BATCH; ++i)
            if (i != actor && !CHECK_INT(s.runs[i], s.results[i])) return;
        CHECK_INT(rig_stats(r).timers, 1);
        free_stage(&s);
    }
}

static void make_new(stage *s) {
    tarry_timer *mailbox_timer = NULL;
    CHECK_INT(tarry_after_func(&s->timers[1], s->r->rt, TARRY_SECOND, shot_run, &s->extra), 0);
    CHECK_INT(tarry_timer_new(&mailbox_timer, s->r->rt, 0), 0);
    CHECK_INT(tarry_timer_stop(mailbox_timer), 1); /* its value or its arming, but once */
    CHECK_INT(timer_due(mailbox_timer), -EAGAIN);
    CHECK_INT(tarry_timer_free(mailbox_timer), 0);
    CHECK_INT(tarry_handle_new(&s->handles[0], s->r->rt, 0, shot_run, &s->extra), 0);
    CHECK_INT(tarry_arm(s->r->rt, s->handles[0], 0), 0);
    s->count = 2;
}

ON_EACH_RIG(a_callback_may_make_and_arm_others) {
    stage s;
    run_stage(r, &s, 1, 0, make_new);
    rig_settle(r, 0);
    CHECK_INT(s.extra.runs, 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.extra.runs, 2);
    CHECK_INT(tarry_handle_free(r->rt, s.handles[0]), TARRY_IDLE);
    free_stage(&s);
}

static void use_everything_else(stage *s) {
    tarry_runtime *rt = s->r->rt;
    tarry_ticker *ticker = ticker_of(rt, TARRY_SECOND);
    tarry_mailbox *mailbox = mailbox_in(rt);
    tarry_message message;
    tarry_stats stats = TARRY_STATS_INIT;
    tarry_case cases[] = { { .mailbox = mailbox, .op = TARRY_RECV },
                           { .mailbox = tarry_ticker_mailbox(ticker), .op = TARRY_RECV } };
    size_t chosen = 9;
    CHECK_INT(tarry_ticker_reset(ticker, 2 * TARRY_SECOND), 1);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_mailbox_try_send(mailbox, s), 0);
    CHECK_INT(tarry_select(&chosen, cases, 2, INT64_MIN), 0);
    CHECK_INT(chosen, 0);
    CHECK(cases[0].message.data == s);
    CHECK_INT(tarry_mailbox_recv_until(&message, mailbox, INT64_MIN), -ETIMEDOUT);
    CHECK_INT(tarry_mailbox_close(mailbox), 0);
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
    CHECK_INT(tarry_stats_read(&stats, rt, TARRY_ALL_WORKERS), 0);
    CHECK_INT(stats.running, 1);
    s->results[0] = 1;
}

ON_EACH_RIG(a_callback_may_use_tickers_mailboxes_and_select) {
    stage s;
    run_stage(r, &s, 1, 0, use_everything_else);
    CHECK_INT(s.results[0], 1);
    free_stage(&s);
}

static void make_a_runtime(stage *s) {
    tarry_runtime *other = NULL;
    const tarry_options options = { .size = sizeof options, .backend = s->r->backend, .workers = 1,
                                    .clock = TARRY_CLOCK_VIRTUAL, .by_hand = 1 };
    shot in_other = { .r = s->r };
    CHECK_INT(tarry_create(&other, &options), 0);
    tarry_timer *timer = func_in(other, TARRY_SECOND, shot_run, &in_other);
    CHECK_INT(tarry_run_expired(other, 0, 3 * TARRY_SECOND, 0), 1);
    CHECK_INT(in_other.runs, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(other), 0);
    CHECK_INT(tarry_destroy(s->r->rt), -EDEADLK); /* its own */
    s->results[0] = 1;
}

ON_EACH_RIG(a_callback_may_make_drive_and_destroy_another_runtime) {
    stage s;
    run_stage(r, &s, 1, 0, make_a_runtime);
    CHECK_INT(s.results[0], 1);
    free_stage(&s);
}

/* Due timers whose turn is still to come are in what a callback reads about the next turn. */
static void ask_for_the_next(stage *s) {
    int64_t next = INT64_MAX;
    CHECK_INT(tarry_next_deadline(&next, s->r->rt, 0), 0);
    s->results[0] = next <= now_of(s->r->rt);
}

BY_HAND(the_next_deadline_counts_those_that_are_due_and_have_not_begun) {
    stage s;
    int early = 0;
    for (int actor = 0; actor < 2; ++actor) {
        run_stage(r, &s, 2, actor, ask_for_the_next);
        CHECK_INT(s.runs[0] + s.runs[1], 2);
        early += s.results[0];
        free_stage(&s);
    }
    CHECK_INT(early, 1); /* of the two orders, one has another timer behind the actor */
}

/* A callback that arms its timer for now on each run would keep the turn for itself: others that
 * are due get in, and by hand a call ends. */
typedef struct greedy {
    rig *r;
    tarry_timer *timer;
    int runs, until;
} greedy;

static void arm_for_now(void *argument) {
    greedy *g = argument;
    if (++g->runs < g->until) CHECK_INT(tarry_timer_reset(g->timer, 0), 0);
}

BY_HAND(a_zero_delay_armed_again_and_again_lets_others_in_and_the_call_end) {
    greedy g = { .r = r, .until = INT32_MAX };
    shot s = { .r = r };
    g.timer = func_in(r->rt, 0, arm_for_now, &g);
    tarry_timer *other = func_in(r->rt, 1, shot_run, &s);
    const int64_t now = r->now + 1 + r->tick;
    int calls = 0;
    while (s.runs == 0 && ++calls <= 3) CHECK(tarry_run_expired(r->rt, 0, now, 0) <= 2);
    CHECK_INT(s.runs, 1);
    CHECK(g.runs <= 6);
    CHECK_INT(tarry_timer_free(other), 0);
    CHECK_INT(tarry_timer_free(g.timer), 0);
}

THREADED(a_zero_delay_armed_again_and_again_ends_when_it_ends) {
    greedy g = { .r = r, .until = 10000 };
    g.timer = func_in(r->rt, TARRY_SECOND, arm_for_now, &g);
    rig_settle(r, TARRY_SECOND + 10000 * r->tick);
    CHECK_INT(g.runs, 10000);
    CHECK_INT(tarry_timer_free(g.timer), 0);
}

TEST_SUITE("within_callback", 60, CASE(a_callback_may_stop_its_own_timer),
           CASE(a_callback_may_reset_its_own_timer), CASE(a_callback_may_free_its_own_timer),
           CASE(a_callback_may_free_its_own_timer_that_it_has_armed_again),
           CASE(a_stop_of_one_due_in_the_same_moment_is_obeyed),
           CASE(a_reset_of_one_due_in_the_same_moment_is_obeyed),
           CASE(a_free_of_one_due_in_the_same_moment_is_obeyed),
           CASE(a_callback_may_make_and_arm_others),
           CASE(a_callback_may_use_tickers_mailboxes_and_select),
           CASE(a_callback_may_make_drive_and_destroy_another_runtime),
           CASE(the_next_deadline_counts_those_that_are_due_and_have_not_begun),
           CASE(a_zero_delay_armed_again_and_again_lets_others_in_and_the_call_end),
           CASE(a_zero_delay_armed_again_and_again_ends_when_it_ends))
