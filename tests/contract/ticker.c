/* Shows: a ticker keeps its phase whatever happens, drops what a slow receiver does not take and
 * counts it, and answers a long stall with one tick and no burst. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

static const int64_t period = 10 * TARRY_MILLISECOND;

static uint64_t dropped(tarry_ticker *ticker) {
    uint64_t count = UINT64_MAX;
    CHECK_INT(tarry_ticker_dropped(&count, ticker), 0);
    return count;
}

ON_EACH_RIG(ticks_come_at_each_period_and_never_early) {
    const int64_t start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    for (int i = 1; i <= 100; ++i) {
        rig_reach(r, start + i * period - 1);
        CHECK_INT(ticker_due(ticker), -EAGAIN);
        rig_reach(r, start + i * period + r->tick);
        CHECK_INT(ticker_due(ticker), start + i * period);
        CHECK_INT(ticker_due(ticker), -EAGAIN);
    }
    CHECK_INT(dropped(ticker), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* The slot keeps the first tick, as a channel does; the later ones are dropped. */
ON_EACH_RIG(a_slow_receiver_gets_the_first_tick_and_drops_are_counted) {
    const int64_t start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    for (int i = 1; i <= 5; ++i) rig_reach(r, start + i * period + r->tick);
    CHECK_INT(dropped(ticker), 4);
    CHECK_INT(rig_stats(r).dropped, 4);
    CHECK_INT(ticker_due(ticker), start + period);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    rig_reach(r, start + 6 * period + r->tick);
    CHECK_INT(ticker_due(ticker), start + 6 * period);
    CHECK_INT(dropped(ticker), 4);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* The crank stood still for a million periods and a third: one call sees it in one step. */
BY_HAND(a_long_stall_costs_one_tick_and_no_burst) {
    const int64_t start = r->now, stalled = 1000000;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    const int64_t now = start + (1 + stalled) * period + period / 3;
    CHECK_INT(tarry_run_expired(r->rt, 0, now, 0), 1);
    CHECK_INT(tarry_run_expired(r->rt, 0, now, 0), 0);
    CHECK_INT(ticker_due(ticker), start + period);
    CHECK_INT(dropped(ticker), stalled);
    r->now = now;
    rig_reach(r, start + (2 + stalled) * period - 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    rig_reach(r, start + (2 + stalled) * period + r->tick);
    CHECK_INT(ticker_due(ticker), start + (2 + stalled) * period);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* late / period counts whole periods: one ns decides whether the next point is still to come. */
BY_HAND(the_next_tick_is_the_first_that_is_still_to_come) {
    for (int64_t off = -1; off <= 1; ++off) {
        const int64_t start = r->now;
        tarry_ticker *ticker = ticker_of(r->rt, period);
        const int64_t now = start + 4 * period + off;
        CHECK_INT(tarry_run_expired(r->rt, 0, now, 0), 1);
        CHECK_INT(ticker_due(ticker), start + period);
        int64_t next = 0;
        CHECK_INT(tarry_next_deadline(&next, r->rt, 0), 0);
        const int64_t due = start + (off < 0 ? 4 : 5) * period;
        CHECK(next <= due + r->tick);
        r->now = now;
        rig_reach(r, due - 1);
        CHECK_INT(ticker_due(ticker), -EAGAIN);
        rig_reach(r, due + r->tick);
        CHECK_INT(ticker_due(ticker), due);
        CHECK_INT(tarry_ticker_free(ticker), 0);
    }
}

/* Through tarry_advance and by hand alike, whoever comes late finds the phase of the start. */
ON_EACH_RIG(lateness_does_not_add_up) {
    const int64_t start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    for (int i = 0; i < 50; ++i) {
        rig_pass(r, period + period / 7 + i);
        const int64_t due = ticker_due(ticker);
        if (due == -EAGAIN) continue;
        CHECK_INT((due - start) % period, 0);
    }
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* Shorter than a wheel's tick: fewer ticks, all on the phase, none early. */
ON_EACH_RIG(a_period_below_the_tick_still_keeps_its_phase) {
    const int64_t start = r->now, shortest = 7;
    tarry_ticker *ticker = ticker_of(r->rt, shortest);
    for (int i = 0; i < 200; ++i) {
        rig_pass(r, 1 + i % 13 * (1 + r->tick / 3));
        const int64_t due = ticker_due(ticker);
        if (due == -EAGAIN) continue;
        CHECK(due <= r->now);
        CHECK_INT((due - start) % shortest, 0);
    }
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

ON_EACH_RIG(stop_ends_it_and_leaves_no_tick_behind) {
    tarry_ticker *ticker = ticker_of(r->rt, period);
    rig_settle(r, period);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(tarry_ticker_stop(ticker), 0);
    rig_settle(r, 10 * period);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(rig_stats(r).pending, 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* A tick that is taken back counts as stopped, as a timer's message does. */
ON_EACH_RIG(a_tick_that_is_taken_back_has_not_fired) {
    tarry_ticker *ticker = ticker_of(r->rt, period);
    uint64_t dropped;
    rig_settle(r, period);
    CHECK_INT(tarry_ticker_dropped(&dropped, ticker), 0); /* looks at what has come due */
    CHECK_INT(dropped, 0);
    CHECK_INT(rig_stats(r).fired, 1);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    const tarry_stats stats = rig_stats(r);
    CHECK_INT(stats.armed, 2);
    CHECK_INT(stats.fired, 0);
    CHECK_INT(stats.stopped, 2);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

ON_EACH_RIG(reset_begins_anew_from_now_and_leaves_no_tick_behind) {
    tarry_ticker *ticker = ticker_of(r->rt, period);
    rig_settle(r, period + period / 2);
    const int64_t first = r->now;
    CHECK_INT(tarry_ticker_reset(ticker, 3 * period), 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    rig_reach(r, first + 3 * period - 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    for (int i = 1; i <= 3; ++i) {
        rig_reach(r, first + i * 3 * period + r->tick);
        CHECK_INT(ticker_due(ticker), first + i * 3 * period);
    }
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    const int64_t second = r->now;
    CHECK_INT(tarry_ticker_reset(ticker, period), 0);
    rig_settle(r, period);
    CHECK_INT(ticker_due(ticker), second + period);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* A message says when its tick was due and when it was sent: the difference is the lateness. */
BY_HAND(a_late_tick_says_how_late_it_is) {
    tarry_message message;
    const int64_t start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    r->now = start + period + r->tick + 12345;
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
    CHECK_INT(rig_poll(&message, tarry_ticker_mailbox(ticker)), 1);
    CHECK_INT(message.due_ns, start + period);
    CHECK_INT(message.sent_ns, r->now);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

TEST_SUITE("ticker", 60, CASE(ticks_come_at_each_period_and_never_early),
           CASE(a_slow_receiver_gets_the_first_tick_and_drops_are_counted),
           CASE(a_long_stall_costs_one_tick_and_no_burst),
           CASE(the_next_tick_is_the_first_that_is_still_to_come), CASE(lateness_does_not_add_up),
           CASE(a_period_below_the_tick_still_keeps_its_phase),
           CASE(stop_ends_it_and_leaves_no_tick_behind),
           CASE(a_tick_that_is_taken_back_has_not_fired),
           CASE(reset_begins_anew_from_now_and_leaves_no_tick_behind),
           CASE(a_late_tick_says_how_late_it_is))
