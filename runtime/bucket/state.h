/* The states of a slot. "Armed" is no bit: a slot is armed while it is in the backend, that is
 * while slot->deadline is not TRI_NEVER, or DUE.
 *
 *   call            free     idle       armed         due           running          running+armed/due
 *   open            idle     -          -             -             -                -
 *   arm             ESTALE   armed      armed (moved) armed         running+armed    running+armed
 *   stop            ESTALE   idle       idle, 1       idle, 1       running          running, 1
 *   clock: deadline -        -          due *         -             -                running+due
 *   its turn        -        -          -             running       -                (waits for end)
 *   callback ends   -        -          -             -             idle             armed/due
 *   close           ESTALE   free       free, 1       free, 1 **    doomed           doomed, 1
 *
 *   *  a slot with a delivery (a mailbox) is delivered on the spot, and is idle or armed again.
 *   ** released when the due queue lets go of it (LINKED), as a doomed one is when its callback
 *      ends. Doomed: closed, so not USED, but still LINKED or RUNNING.
 *
 * A slot whose state is TRI_USED alone (idle or armed, a callback, nothing special) is what nearly
 * every call finds: bucket.h has a short way for it.
 *
 * Runs of one timer never overlap: DUE waits while RUNNING. A slot that is DUE was taken from the
 * backend but its callback has not begun, so stop, reset and close still win. */
#ifndef TRI_STATE_H
#define TRI_STATE_H

enum {
    TRI_USED = 1u << 0,     /* somebody holds a handle to it */
    TRI_DELIVERY = 1u << 1, /* its action is a tri_delivery, not a callback */
    TRI_DUE = 1u << 2,      /* taken from the backend, not begun */
    TRI_LINKED = 1u << 3,   /* in the due queue; stop leaves it there */
    TRI_RUNNING = 1u << 4,  /* its callback runs */
    TRI_SHUT = 1u << 5,     /* shut down, or the runtime ends: never armed again */
    TRI_TRACED = 1u << 6    /* what is done to it is recorded */
};

#endif
