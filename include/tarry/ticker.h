/* Tickers, as Go's time.Ticker. */
#ifndef TARRY_TICKER_H
#define TARRY_TICKER_H

#include <tarry/base.h>
#include <tarry/mailbox.h>
#include <tarry/runtime.h>

TARRY_BEGIN_DECLS

typedef struct tarry_ticker tarry_ticker;

/* Make a ticker: a message every `period` ns, the first one period from now. A tick that finds
 * the last one not yet received is dropped and counted. It keeps its phase: after a stall the next
 * tick is the first that is still to come, next = deadline + period * (1 + late / period).
 * Returns    0. -EINVAL: a NULL, period <= 0. -ENOMEM, -ESHUTDOWN, -ECHILD.
 * Ownership  the caller's, until tarry_ticker_free.
 * Threads    any. In a callback: allowed. Like: time.NewTicker.
 * Cost       as a timer with a mailbox, see tarry_timer_new: a tick that nobody looks for is made,
 *            and counted where it was dropped, by the next call that does look. */
TARRY_API int tarry_ticker_new(tarry_ticker **out, tarry_runtime *rt, int64_t period);

/* Stop. Returns 1: it ticked until now, 0: it was stopped before; -EINVAL, -ESHUTDOWN, -ECHILD.
 * After it   no tick from before can be received. The mailbox stays open.
 * Threads    any. In a callback: allowed. Like: Ticker.Stop, Go 1.23. */
TARRY_API int tarry_ticker_stop(tarry_ticker *ticker);

/* Start afresh with a new period, whether it ticks or is stopped; the first tick one period from
 * now.
 * Returns    as tarry_ticker_stop would have. -EINVAL: ticker is NULL, period <= 0. -ESHUTDOWN,
 *            -ECHILD.
 * Threads    any. In a callback: allowed. Like: Ticker.Reset, Go 1.23. */
TARRY_API int tarry_ticker_reset(tarry_ticker *ticker, int64_t period);

/* The ticker's mailbox, for receives and select; NULL for NULL. Owned by the ticker. */
TARRY_API tarry_mailbox *tarry_ticker_mailbox(tarry_ticker *ticker);

/* How many ticks were dropped since it was made, those of a long stall included.
 * Returns    0. -EINVAL: a NULL. -ESHUTDOWN, -ECHILD. Threads: any. */
TARRY_API int tarry_ticker_dropped(uint64_t *out, tarry_ticker *ticker);

/* Stop and free, in any state. Those who wait on its mailbox wake with -EPIPE.
 * Returns    as tarry_timer_free. Threads: any, while no other starts a new call on it. */
TARRY_API int tarry_ticker_free(tarry_ticker *ticker);

TARRY_END_DECLS

#endif
