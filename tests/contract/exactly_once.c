/* Shows: each arming fires once or is stopped, as the calls' results tell, and tarry_stats agrees:
 * armed == fired + stopped + pending after every step. */
#include "rig.h"
#include "suite.h"

#include <stdlib.h>

enum { TIMERS = 100, STEPS = 6000 };

/* What the results said about one timer. */
typedef struct account {
    shot shot;
    tarry_timer *timer;
    tarry_handle handle;
    int64_t armings, ended; /* ended: by a stop, a reset or a free that answered so */
    int64_t received;
} account;

static account accounts[TIMERS];

static int64_t random_delay(unsigned *seed) {
    return (int64_t)rand_r(seed) << (rand_r(seed) % 10);
}

static bool counts_agree(const rig *r, int64_t armings) {
    const tarry_stats s = rig_stats(r);
    return CHECK_INT(s.armed, armings) && CHECK_INT(s.armed, s.fired + s.stopped + s.pending);
}

static bool armed(tarry_timer *timer) {
    int64_t left = 0;
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    return left != TARRY_FOREVER;
}

ON_EACH_RIG(each_arming_of_a_function_runs_or_is_stopped) {
    unsigned seed = 19;
    int64_t armings = 0;
    for (int i = 0; i < TIMERS; ++i) {
        accounts[i] = (account){ .shot.r = r, .armings = 1 };
        CHECK_INT(tarry_after_func(&accounts[i].timer, r->rt, random_delay(&seed), shot_run,
                                   &accounts[i].shot), 0);
        ++armings;
    }
    for (int step = 0; step < STEPS; ++step) {
        account *a = &accounts[rand_r(&seed) % TIMERS];
        const int what = rand_r(&seed) % 3;
        if (what == 0) {
            a->ended += tarry_timer_stop(a->timer);
        } else if (what == 1) {
            a->ended += tarry_timer_reset(a->timer, random_delay(&seed));
            ++a->armings, ++armings;
        } else {
            rig_pass(r, random_delay(&seed) / TIMERS);
        }
        if (!CHECK_INT(a->armings, a->ended + a->shot.runs + armed(a->timer))) return;
        if (!counts_agree(r, armings)) return;
    }
    for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_timer_free(accounts[i].timer), 0);
    CHECK_INT(rig_stats(r).pending, 0);
    counts_agree(r, armings);
}

ON_EACH_RIG(each_arming_of_a_handle_runs_or_is_stopped) {
    unsigned seed = 23;
    int64_t armings = 0;
    for (int i = 0; i < TIMERS; ++i) {
        accounts[i] = (account){ .shot.r = r };
        CHECK_INT(tarry_handle_new(&accounts[i].handle, r->rt, 0, shot_run, &accounts[i].shot), 0);
    }
    for (int step = 0; step < STEPS; ++step) {
        account *a = &accounts[rand_r(&seed) % TIMERS];
        const int what = rand_r(&seed) % 3;
        if (what == 0) {
            a->ended += tarry_disarm(r->rt, a->handle) == TARRY_STOPPED;
        } else if (what == 1) {
            a->ended += tarry_rearm(r->rt, a->handle, random_delay(&seed)) == TARRY_STOPPED;
            ++a->armings, ++armings;
        } else {
            rig_pass(r, random_delay(&seed) / TIMERS);
        }
        const int64_t open = a->armings - a->ended - a->shot.runs;
        if (!CHECK(open == 0 || open == 1) || !counts_agree(r, armings)) return;
    }
    for (int i = 0; i < TIMERS; ++i) {
        account *a = &accounts[i];
        a->ended += tarry_handle_free(r->rt, a->handle) == TARRY_STOPPED;
        CHECK_INT(a->armings, a->ended + a->shot.runs);
    }
    CHECK_INT(rig_stats(r).pending, 0);
}

/* A message that is taken back counts as stopped, not as fired. */
ON_EACH_RIG(each_arming_of_a_mailbox_is_received_or_stopped) {
    unsigned seed = 29;
    int64_t armings = 0;
    tarry_message message;
    for (int i = 0; i < TIMERS; ++i) {
        accounts[i] = (account){ .armings = 1 };
        CHECK_INT(tarry_timer_new(&accounts[i].timer, r->rt, random_delay(&seed)), 0);
        ++armings;
    }
    for (int step = 0; step < STEPS; ++step) {
        account *a = &accounts[rand_r(&seed) % TIMERS];
        const int what = rand_r(&seed) % 4;
        if (what == 0) {
            a->ended += tarry_timer_stop(a->timer);
        } else if (what == 1) {
            a->ended += tarry_timer_reset(a->timer, random_delay(&seed));
            ++a->armings, ++armings;
        } else if (what == 2) {
            a->received += rig_poll(&message, tarry_timer_mailbox(a->timer));
        } else {
            rig_pass(r, random_delay(&seed) / TIMERS);
        }
        const int64_t open = a->armings - a->ended - a->received;
        if (!CHECK(open == 0 || open == 1) || !counts_agree(r, armings)) return;
    }
    for (int i = 0; i < TIMERS; ++i) {
        account *a = &accounts[i];
        a->ended += tarry_timer_stop(a->timer);
        CHECK_INT(a->armings, a->ended + a->received);
        CHECK_INT(tarry_timer_free(a->timer), 0);
    }
    const tarry_stats s = rig_stats(r);
    CHECK_INT(s.pending, 0);
    CHECK_INT(s.dropped, 0);
}

ON_EACH_RIG(the_counters_of_each_tick_balance) {
    tarry_ticker *ticker;
    tarry_message message;
    CHECK_INT(tarry_ticker_new(&ticker, r->rt, TARRY_SECOND), 0);
    for (int i = 1; i <= 50; ++i) {
        rig_settle(r, TARRY_SECOND);
        if (i % 3 == 0) CHECK_INT(rig_poll(&message, tarry_ticker_mailbox(ticker)), 1);
        rig_balances(r);
        CHECK_INT(rig_stats(r).pending, 1);
    }
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(rig_stats(r).pending, 0);
    rig_balances(r);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

TEST_SUITE("exactly_once", 120, CASE(each_arming_of_a_function_runs_or_is_stopped),
           CASE(each_arming_of_a_handle_runs_or_is_stopped),
           CASE(each_arming_of_a_mailbox_is_received_or_stopped),
           CASE(the_counters_of_each_tick_balance))
