#include "dispatch/waiter.h"

#include "system/futex.h"

#include <errno.h>

void tri_waiter_wake(tri_waiter *wakes) {
    tri_assert_no_lock();
    while (wakes != NULL) {
        tri_waiter *next = wakes->next_wake;
        _Atomic uint32_t *word = &wakes->word;
        atomic_fetch_or_explicit(word, TRI_DONE, memory_order_release);
        tri_futex_wake(word, 1);
        wakes = next;
    }
}

int tri_waiter_park(tri_waiter *waiter, tri_clock *clock, int64_t deadline) {
    for (;;) {
        const uint32_t seen = atomic_load_explicit(&waiter->word, memory_order_acquire);
        if ((seen & TRI_DONE) != 0) return 0;
        if (deadline < TRI_TIME_END && tri_clock_now(clock) >= deadline) {
            if (tri_waiter_claim(waiter, TRI_CLAIM_TIMEOUT)) return -ETIMEDOUT;
            deadline = TRI_TIME_END; /* somebody is about to wake us: wait for that */
            continue;
        }
        tri_clock_wait(clock, &waiter->word, seen, deadline);
    }
}
