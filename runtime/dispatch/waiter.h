/* Somebody who waits on mailboxes: one claim, one wake.
 *
 * Everyone who could end the wait (a sender, a timer, a close, the waiter's own deadline) competes
 * for `claim`; who takes it from 0 is the only one to write the outcome. The waiter leaves as soon
 * as it sees DONE, and its stack goes with it: setting DONE is the last access to it. */
#ifndef TRI_WAITER_H
#define TRI_WAITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tarry/mailbox.h>

#define TRI_DONE 1u
#define TRI_CLAIM_OPEN 0u
#define TRI_CLAIM_TIMEOUT UINT32_MAX

typedef struct tri_waiter tri_waiter;
struct tri_waiter {
    _Atomic uint32_t word;  /* bit TRI_DONE; who has it look again adds 4 */
    _Atomic uint32_t claim; /* 0, 1 + the case that was taken, or TRI_CLAIM_TIMEOUT */
    tri_waiter *next_wake;  /* whoever holds the claim: in its list of those to wake */
    int status;             /* whoever holds the claim, until DONE */
    tarry_message message;  /* whoever holds the claim, until DONE */
};

static inline bool tri_waiter_claim(tri_waiter *waiter, uint32_t by) {
    uint32_t open = TRI_CLAIM_OPEN;
    return atomic_compare_exchange_strong(&waiter->claim, &open, by);
}

/* Push a claimed waiter onto a list of those to wake. */
static inline void tri_waiter_push(tri_waiter **wakes, tri_waiter *waiter) {
    waiter->next_wake = *wakes;
    *wakes = waiter;
}

/* Wake all of a list. With no lock held. */
void tri_waiter_wake(tri_waiter *wakes);

#endif
