/* A channel with one slot, and choosing among several. Receives, sends and select are one
 * algorithm (choose.c); a single receive is a choice of one.
 *
 * Guards: (m) the mailbox's lock, (a) atomic, (c) constant after creation. */
#ifndef TRI_MAILBOX_H
#define TRI_MAILBOX_H

#include "bucket/bucket.h"
#include "dispatch/waiter.h"
#include "system/clock.h"
#include "system/lock.h"

#include <stdbool.h>
#include <stdint.h>
#include <tarry/mailbox.h>
#include <tarry/select.h>

typedef struct tri_wait_node tri_wait_node;

/* One case of one waiter, in the queue of its mailbox. */
struct tri_wait_node {
    tri_wait_node *next, *previous; /* (m) */
    tri_waiter *waiter;             /* (c) */
    void *data;                     /* (c) what a send brings */
    uint32_t claim;                 /* (c) 1 + the number of the case */
    bool queued;                    /* (m) */
};

typedef struct tri_wait_queue {
    tri_wait_node *first, *last; /* (m) in order of arrival */
} tri_wait_queue;

struct tarry_mailbox {
    tri_resident resident;    /* (b) first: a mailbox of a user is an object of its own */
    tri_bucket *bucket;       /* (c) */
    tri_lock *lock;           /* (c) its own, or its bucket's where a timer sends */
    tri_lock own_lock;
    bool is_timers;           /* (c) the first member of a tri_timed: only that sends */
    bool full;                /* (m) */
    bool closed;              /* (m) */
    uint32_t visitors;        /* (m) waiters that have not left yet */
    _Atomic uint32_t left;    /* (a) changed when the last visitor of a closed mailbox leaves */
    tarry_message message;    /* (m) while full */
    tri_wait_queue receivers; /* (m) none with an open claim while full */
    tri_wait_queue senders;   /* (m) none with an open claim while not full */
};

/* Its resident is for the caller to enter, where the mailbox is an object of its own. */
void tri_mailbox_init(tarry_mailbox *mailbox, tri_bucket *bucket, bool is_timers);
/* Close it, and return once every waiter has left. The lock is dropped meanwhile. */
void tri_mailbox_fini_locked(tarry_mailbox *mailbox);

/* Never block; waiters to wake are pushed. 0, -EAGAIN, -EPIPE. */
int tri_mailbox_put_locked(tarry_mailbox *mailbox, const tarry_message *message,
                           tri_waiter **wakes);
int tri_mailbox_get_locked(tarry_mailbox *mailbox, tarry_message *message, tri_waiter **wakes);
/* Whether a case could go on now. */
bool tri_mailbox_ready_locked(const tarry_mailbox *mailbox, int op);
void tri_mailbox_enqueue_locked(tarry_mailbox *mailbox, int op, tri_wait_node *node);
void tri_mailbox_dequeue_locked(tarry_mailbox *mailbox, int op, tri_wait_node *node);
/* False: it was closed before. */
bool tri_mailbox_close_locked(tarry_mailbox *mailbox, tri_waiter **wakes);
/* Empty the slot; true: there was a message. */
bool tri_mailbox_take_back_locked(tarry_mailbox *mailbox);
/* Those who wait to receive look again at when the timer is due. */
void tri_mailbox_rouse_locked(tarry_mailbox *mailbox);

/* choose.c: do one of the cases, waiting until the deadline on the clock. 0 and *chosen, or
 * -ETIMEDOUT, or -EDEADLK where it would wait in a runtime without locks. Pre: the arguments were
 * checked. */
int tri_choose(size_t *chosen, tarry_case *cases, size_t count, tri_clock *clock,
               int64_t deadline);

#endif
