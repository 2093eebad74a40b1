/* A timer whose firing is a message: its mailbox, and when the message is due.
 *
 * The message matters to nobody before somebody looks, so the deadline is only written down: who
 * receives, selects or polls makes the message that has come due, and who blocks sleeps until the
 * deadline by itself. Nothing is in the backend, and no thread of the runtime is woken. An arming
 * for earlier has those who sleep look again.
 *
 * A runtime driven by hand has its messages made by the crank, which has to know when: there the
 * timer has a slot like any other, its action a tri_delivery.
 *
 * Guards: (b) the bucket's lock, which is the mailbox's too: a stop is one step. (c) constant after
 * creation. */
#ifndef TRI_TIMED_H
#define TRI_TIMED_H

#include "dispatch/mailbox.h"

typedef struct tri_timed {
    tarry_mailbox mailbox; /* first */
    tri_ref ref;           /* (c) its slot; bucket NULL: it has none */
    int64_t deadline;      /* (b) without a slot; TRI_NEVER: not armed */
    int64_t period;        /* (b) 0: it fires once */
    uint64_t dropped;      /* (b) ticks that nobody took */
    bool shut;             /* (b) without a slot: never armed again */
} tri_timed;

/* Not armed. with_slot: 0, -ENOMEM. */
int tri_timed_init_locked(tri_timed *timed, tri_bucket *bucket, bool with_slot);
/* Disarm for good; return once every waiter has left. The lock is dropped meanwhile. */
void tri_timed_fini_locked(tri_timed *timed);
/* The runtime ends: disarm, and wake all who wait. */
void tri_timed_close_locked(tri_timed *timed, tri_waiter **wakes);

/* As tri_bucket_arm, _stop and _deadline. */
int tri_timed_arm(tri_timed *timed, int64_t deadline, int64_t period);
int tri_timed_stop(tri_timed *timed, uint32_t also);
int tri_timed_deadline(int64_t *out, tri_timed *timed);
uint64_t tri_timed_dropped(tri_timed *timed);
/* Arm one that is new, before anybody knows it. */
void tri_timed_begin_locked(tri_timed *timed, int64_t deadline, int64_t period);

/* Make the message that has come due. The next deadline, which a receiver has to sleep to;
 * TRI_NEVER where there is none, or the crank makes it. */
int64_t tri_timed_look_locked(tri_timed *timed, tri_waiter **wakes);

#endif
