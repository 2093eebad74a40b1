/* Shows: tickers keep the promises of Go's ticker tests: they tick on the period's grid, reset
 * moves them to a new one, stop is final until then, a slow receiver gets the oldest tick that it
 * missed, and a stall costs one tick and no burst. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* TestTicker: five ticks, reset to twice the period, five more, stop, silence. */
ON_EACH_RIG(ticks_come_on_the_grid_of_the_last_reset) {
    for (int64_t delta = 20 * TARRY_MILLISECOND; delta < TARRY_SECOND; delta *= 7) {
        int64_t start = r->now;
        tarry_ticker *ticker = ticker_of(r->rt, delta);
        for (int i = 1; i <= 5; ++i) {
            rig_reach(r, start + i * delta - 1);
            CHECK_INT(ticker_due(ticker), -EAGAIN);
            rig_reach(r, start + i * delta + r->tick);
            CHECK_INT(ticker_due(ticker), start + i * delta);
        }
        start = r->now;
        CHECK_INT(tarry_ticker_reset(ticker, 2 * delta), 1);
        for (int i = 1; i <= 5; ++i) {
            rig_reach(r, start + 2 * i * delta - 1);
            CHECK_INT(ticker_due(ticker), -EAGAIN);
            rig_reach(r, start + 2 * i * delta + r->tick);
            CHECK_INT(ticker_due(ticker), start + 2 * i * delta);
        }
        CHECK_INT(tarry_ticker_stop(ticker), 1);
        rig_settle(r, 4 * delta);
        CHECK_INT(ticker_due(ticker), -EAGAIN);
        CHECK_INT(tarry_ticker_stop(ticker), 0);
        CHECK_INT(tarry_ticker_free(ticker), 0);
    }
}

/* Ticker.Reset since Go 1.15: a stopped ticker starts again. */
ON_EACH_RIG(reset_starts_a_stopped_ticker) {
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(tarry_ticker_reset(ticker, TARRY_SECOND), 0);
    const int64_t due = r->now + TARRY_SECOND;
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ticker_due(ticker), due);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* TestTeardown: a ticker that is freed right after a tick, three times. */
THREADED(a_ticker_can_be_torn_down_after_a_tick) {
    for (int i = 0; i < 3; ++i) {
        tarry_ticker *ticker = ticker_of(r->rt, 100 * TARRY_MILLISECOND);
        rig_settle(r, 100 * TARRY_MILLISECOND);
        tarry_message message;
        CHECK_INT(tarry_mailbox_recv(&message, tarry_ticker_mailbox(ticker)), 0);
        CHECK_INT(tarry_ticker_stop(ticker), 1);
        CHECK_INT(tarry_ticker_free(ticker), 0);
    }
}

/* NewTicker's documentation: ticks are dropped for a slow receiver. The one that waits in the slot
 * is the oldest, with its own stamp, and the grid stays. */
ON_EACH_RIG(a_slow_receiver_gets_the_oldest_tick_and_the_grid_stays) {
    const int64_t period = 10 * TARRY_MILLISECOND, start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    for (int i = 1; i <= 7; ++i) rig_reach(r, start + i * period + r->tick);
    CHECK_INT(ticker_due(ticker), start + period);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    uint64_t dropped = 0;
    CHECK_INT(tarry_ticker_dropped(&dropped, ticker), 0);
    CHECK_INT(dropped, 6);
    rig_reach(r, start + 8 * period + r->tick);
    CHECK_INT(ticker_due(ticker), start + 8 * period);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* next = due + period * (1 + late / period): by hand time can jump over many periods at once. */
BY_HAND(a_stall_costs_one_tick_and_keeps_the_grid) {
    const int64_t period = 10 * TARRY_MILLISECOND, start = r->now;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    rig_reach(r, start + 1000 * period + period / 2);
    CHECK_INT(ticker_due(ticker), start + period);
    uint64_t dropped = 0;
    CHECK_INT(tarry_ticker_dropped(&dropped, ticker), 0);
    CHECK_INT(dropped, 999);
    rig_reach(r, start + 1001 * period - 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    rig_reach(r, start + 1001 * period + r->tick);
    CHECK_INT(ticker_due(ticker), start + 1001 * period);

    /* A jump that ends on a point of the grid: the next tick lies after it, not on it. */
    CHECK_INT(tarry_ticker_reset(ticker, period), 1);
    const int64_t again = r->now;
    rig_reach(r, again + 5 * period);
    CHECK_INT(ticker_due(ticker), again + period);
    rig_reach(r, again + 6 * period - 1);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    rig_reach(r, again + 6 * period + r->tick);
    CHECK_INT(ticker_due(ticker), again + 6 * period);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

TEST_SUITE("go_ticker", 60, CASE(ticks_come_on_the_grid_of_the_last_reset),
           CASE(reset_starts_a_stopped_ticker), CASE(a_ticker_can_be_torn_down_after_a_tick),
           CASE(a_slow_receiver_gets_the_oldest_tick_and_the_grid_stays),
           CASE(a_stall_costs_one_tick_and_keeps_the_grid))
