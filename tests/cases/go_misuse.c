/* Shows: where Go panics, there is an errno value, nothing has changed, no lock is left held, and
 * the next call works: nil and zero objects, periods that are not positive, a timer's channel. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* After each misuse: a ticker still ticks and stops. */
static void others_still_work(rig *r) {
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    rig_settle(r, TARRY_SECOND);
    CHECK(ticker_due(ticker) >= 0);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* TestIssue5745: a stop or a reset of a nil timer leaves no lock behind. */
ON_EACH_RIG(a_null_timer_is_an_error_and_leaves_no_lock_held) {
    CHECK_INT(tarry_timer_stop(NULL), -EINVAL);
    others_still_work(r);
    CHECK_INT(tarry_timer_reset(NULL, 0), -EINVAL);
    others_still_work(r);
}

ON_EACH_RIG(a_null_ticker_is_an_error_and_leaves_no_lock_held) {
    CHECK_INT(tarry_ticker_stop(NULL), -EINVAL);
    others_still_work(r);
    CHECK_INT(tarry_ticker_reset(NULL, TARRY_SECOND), -EINVAL);
    others_still_work(r);
}

/* TestZeroTimerResetPanics, TestZeroTimerStopPanics, TestManualTicker: timers and tickers cannot be
 * made by hand, but a handle can be all zero. It names no timer, even where one exists. */
ON_EACH_RIG(a_zeroed_handle_names_no_timer) {
    const tarry_handle zero = { 0 };
    for (int with_timer = 0; with_timer < 2; ++with_timer) {
        tarry_timer *timer = with_timer ? timer_in(r->rt, TARRY_SECOND) : NULL;
        const tarry_stats before = rig_stats(r);
        CHECK_INT(tarry_arm(r->rt, zero, 0), -ESTALE);
        CHECK_INT(tarry_rearm(r->rt, zero, 0), -ESTALE);
        CHECK_INT(tarry_disarm(r->rt, zero), -ESTALE);
        CHECK_INT(tarry_handle_free(r->rt, zero), -ESTALE);
        const tarry_stats after = rig_stats(r);
        CHECK(rig_unchanged(&before, &after));
        if (with_timer) CHECK_INT(tarry_timer_free(timer), 0);
        others_still_work(r);
    }
}

/* TestNewTickerLtZeroDuration, TestTick: no ticker without a positive period. */
ON_EACH_RIG(a_ticker_needs_a_positive_period) {
    static const int64_t periods[] = { 0, -1, INT64_MIN };
    const tarry_stats before = rig_stats(r);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; ++i) {
        tarry_ticker *ticker = NULL;
        CHECK_INT(tarry_ticker_new(&ticker, r->rt, periods[i]), -EINVAL);
        CHECK(ticker == NULL);
    }
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    others_still_work(r);
}

/* TestTickerResetLtZeroDuration: refused, and it ticks on as before. */
ON_EACH_RIG(a_reset_needs_a_positive_period_and_changes_nothing_else) {
    static const int64_t periods[] = { 0, -1, INT64_MIN };
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    const int64_t start = r->now;
    rig_pass(r, TARRY_SECOND / 2);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; ++i)
        CHECK_INT(tarry_ticker_reset(ticker, periods[i]), -EINVAL);
    rig_reach(r, start + TARRY_SECOND + r->tick);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; ++i)
        CHECK_INT(tarry_ticker_reset(ticker, periods[i]), -EINVAL);
    CHECK_INT(ticker_due(ticker), start + TARRY_SECOND);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_reset(ticker, 0), -EINVAL);
    rig_settle(r, 3 * TARRY_SECOND);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* Only the timer sends to its channel, and nobody closes it. */
ON_EACH_RIG(a_timers_mailbox_takes_no_send_close_or_free) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_mailbox *mailbox = tarry_timer_mailbox(timer);
    size_t chosen = 77;
    tarry_case one = { .mailbox = mailbox, .op = TARRY_SEND };
    CHECK_INT(tarry_mailbox_send(mailbox, NULL), -EPERM);
    CHECK_INT(tarry_mailbox_try_send(mailbox, NULL), -EPERM);
    CHECK_INT(tarry_mailbox_close(mailbox), -EPERM);
    CHECK_INT(tarry_mailbox_free(mailbox), -EPERM);
    CHECK_INT(tarry_select(&chosen, &one, 1, r->now), -EPERM);
    CHECK_INT(chosen, 77);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) >= 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("go_misuse", 60, CASE(a_null_timer_is_an_error_and_leaves_no_lock_held),
           CASE(a_null_ticker_is_an_error_and_leaves_no_lock_held),
           CASE(a_zeroed_handle_names_no_timer), CASE(a_ticker_needs_a_positive_period),
           CASE(a_reset_needs_a_positive_period_and_changes_nothing_else),
           CASE(a_timers_mailbox_takes_no_send_close_or_free))
