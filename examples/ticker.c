/* Five ticks; a slow receiver drops ticks and keeps the phase. */
#include <inttypes.h>
#include <stdio.h>
#include <tarry/tarry.h>

int main(void) {
    tarry_runtime *rt = tarry_default();
    tarry_ticker *ticker;
    int64_t start;
    if (tarry_now(&start, rt) != 0) return 1;
    if (tarry_ticker_new(&ticker, rt, 10 * TARRY_MILLISECOND) != 0) return 1;
    for (int i = 0; i < 5; ++i) {
        tarry_message tick;
        tarry_mailbox_recv(&tick, tarry_ticker_mailbox(ticker));
        if (tick.sent_ns < tick.due_ns) return 1;
        printf("tick due at %3" PRId64 " ms\n", (tick.due_ns - start) / TARRY_MILLISECOND);
        if (i == 1) tarry_sleep(rt, 35 * TARRY_MILLISECOND);
    }
    uint64_t dropped;
    tarry_ticker_dropped(&dropped, ticker);
    printf("dropped: %" PRIu64 "\n", dropped);
    tarry_ticker_free(ticker);
    return 0;
}
