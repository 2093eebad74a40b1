/* Around a runtime on a virtual clock: timers that must come to be, a poll that tells the due time,
 * a thread that moves the clock all the time, and the frame of the stress tests. */
#ifndef TEST_VIRTUAL_H
#define TEST_VIRTUAL_H

#include "rig.h"
#include "threads.h"

#include <stdatomic.h>
#include <tarry/tarry.h>

/* Any thread; the program ends where one cannot be made. */
tarry_timer *timer_in(tarry_runtime *rt, int64_t delay);
tarry_timer *func_in(tarry_runtime *rt, int64_t delay, tarry_function *function, void *argument);
/* One in the bucket whose firing does nothing: for what its deadline alone does. */
tarry_timer *quiet_in(tarry_runtime *rt, int64_t delay);
tarry_ticker *ticker_of(tarry_runtime *rt, int64_t period);
tarry_mailbox *mailbox_in(tarry_runtime *rt);

/* The runtime's clock. */
int64_t now_of(const tarry_runtime *rt);
/* Poll a mailbox: the due_ns of the message that was there, or the error; -EAGAIN is "empty". */
int64_t take_due(tarry_mailbox *mailbox);
/* As take_due, of a timer's and a ticker's mailbox. */
int64_t timer_due(tarry_timer *timer);
int64_t ticker_due(tarry_ticker *ticker);
/* A callback that counts: argument is an atomic_uint. */
tarry_function count_run;

/* A thread that moves a virtual clock on, step by step, until it is stopped. */
typedef struct virtual_mover {
    test_thread thread;
    tarry_runtime *rt;
    int64_t step_ns;
    atomic_bool stop;
} virtual_mover;

void virtual_mover_start(virtual_mover *mover, tarry_runtime *rt, int64_t step_ns);
void virtual_mover_stop(virtual_mover *mover);

/* The frame of a stress test: run body on each backend, first on the real clock, then on a virtual
 * one that a thread moves all the time. Nothing is said about when a thing happens, only about what
 * and how often. At the end all that was made must be freed, and the counters must balance. */
typedef void race_body(tarry_runtime *rt);
void race_each(race_body *body, unsigned workers);

#define RACE(name, workers)                \
    static void name##_in(tarry_runtime *rt); \
    static void name(void) {               \
        race_each(name##_in, workers);     \
    }                                      \
    static void name##_in(tarry_runtime *rt)

#endif
