/* Callbacks at a standstill, so that a test can do something exactly between two steps of one:
 *  - a blocker is a callback that has begun, and returns when the test lets it;
 *  - a held executor keeps tasks that were taken from a bucket but have not begun, and runs them in
 *    the order, and in the thread, that the test chooses. */
#ifndef TEST_HELD_H
#define TEST_HELD_H

#include "rig.h"
#include "threads.h"

typedef struct blocker {
    test_count begun, leave, ended; /* each counts runs; a run takes one of leave */
    _Atomic int tid;                /* of the thread that ran it last */
} blocker;

#define BLOCKER_INIT { TEST_COUNT_INIT, TEST_COUNT_INIT, TEST_COUNT_INIT, 0 }

/* Argument: a blocker. */
tarry_function blocker_run;

/* Wait until the callback that ran last in this blocker sleeps in the kernel. */
void blocker_settle(blocker *b);

/* With callback threads, a run is over a moment after its function has returned: wait for that. */
void rig_wait_for_callbacks(const rig *r);
/* And a run begins a moment after its timer was due: wait until all that were armed have ended. */
void rig_wait_for_all(const rig *r);

/* On the real clock: until the timerproc sleeps. Nothing may be due meanwhile, so that each sleep but
 * this one was ended by a wake. One worker. */
void rig_wait_until_asleep(const rig *r);

enum { HELD_MAX = 4096 };

typedef struct held {
    tarry_executor table;
    pthread_mutex_t lock;
    struct {
        void (*task)(void *argument);
        void *argument;
    } tasks[HELD_MAX];
    unsigned submitted, taken;
    atomic_bool refuse; /* answer every submit with an error */
} held;

void held_init(held *h);
/* How many wait to be run. */
unsigned held_waiting(held *h);
/* Run the oldest that waits; false where none does. */
bool held_run(held *h);
/* Run the newest first. */
bool held_run_last(held *h);
void held_run_all(held *h);

#endif
