#include "dispatch/waiter.h"

#include "system/futex.h"
#include "system/lock.h"

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
