/* The standard workloads. Each has N timers pending; virtual time goes on by 1 us with each
 * operation, and every 1024 operations what is due is expired and armed again.
 *
 *   stop+add       stop a random timer, arm it again for 1 to 60 s. One operation is the pair
 *   reset-later    reset a random timer to 60 s from now: an idle timeout that a request renews
 *   reset-earlier  reset a random timer to 15/16 of what is left
 *   expire         N deadlines over 10 s, in steps of 1 ms. One operation is one firing
 *   fifo           arm a timer for 60 s, stop the one armed 16 before: requests that are answered
 *   mixed          70 % reset later, 15 % stop+add, 10 % to half of what is left, 5 % to 0..10 ms
 *   worst          longest single stop, add, reset and expire: half of N are stopped, then a mix;
 *                  N deadlines over 100 s in steps of 10 ms; N adds in 100 ms, 95 % stopped.
 *                  Element-wise minimum over identical repeats, so that only what the structure
 *                  does itself remains
 *   churn          10,000,000 arm+stop pairs on one timer and on N: does memory come back?
 *   mailbox        make a timer with a mailbox for 1 to 60 s, stop and free it; nobody waits on it
 *                  nor on the N that are pending. Time stands still. tarry alone
 *
 * Beside them, lateness: not for `micro`. */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

enum workload {
    WORKLOAD_STOP_ADD,
    WORKLOAD_RESET_LATER,
    WORKLOAD_RESET_EARLIER,
    WORKLOAD_EXPIRE,
    WORKLOAD_FIFO,
    WORKLOAD_MIXED,
    WORKLOAD_WORST,
    WORKLOAD_CHURN,
    WORKLOAD_MAILBOX,
    WORKLOAD_LATENESS
};

#define WORKLOAD_STEP_NS 1000       /* virtual time of one operation */
#define WORKLOAD_TICK_OPS 1024      /* an expiry call each so many operations */
#define WORKLOAD_RING 32u           /* timers of fifo, beside the N */
#define WORKLOAD_START_NS 1000000000000 /* where virtual time begins */
#define WORKLOAD_CHURN_OPS 10000000

/* The i-th workload of `micro`, or NULL past the last. */
const char *workload_name(size_t i);
/* enum workload; -1: no such name. Knows "lateness" too. */
int workload_find(const char *name);
const char *workload_text(enum workload workload);

#endif
