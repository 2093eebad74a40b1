/* Who runs callbacks: threads of ours that grow on demand, or the user's executor. A job is a
 * promise to look once for a due callback in one bucket; it needs no memory of its own, and one
 * that finds nothing (the timer was stopped meanwhile) does no harm.
 *
 * Guards: (x) the executor's lock, (a) atomic, (c) constant after creation. */
#ifndef TRI_EXECUTOR_H
#define TRI_EXECUTOR_H

#include "system/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tarry/hooks.h>

typedef struct tri_job tri_job;
typedef struct tri_executor tri_executor;

/* Embedded in a worker: all its jobs. */
struct tri_job {
    void (*run)(void *argument); /* (c) */
    void *argument;              /* (c) */
    tri_executor *executor;      /* (c) */
    tri_job *next;               /* (x) while waiting != 0 */
    size_t waiting;              /* (x) runs asked for and not yet begun */
};

struct tri_executor {
    const tarry_executor *custom; /* (c) NULL: threads of ours */
    unsigned max_threads;         /* (c) */
    _Atomic bool ready;           /* (a) there is a thread; the last ones never end before finish */
    _Atomic uint32_t word;        /* (a) idle threads sleep on it; changed under the lock */
    _Atomic uint32_t done_word;   /* (a) tri_executor_finish sleeps on it */
    tri_lock lock;
    tri_job *first, *last;        /* (x) jobs with waiting != 0 */
    size_t outstanding;           /* (x) tasks that custom has accepted and not finished */
    unsigned threads;             /* (x) that exist, or are being made */
    unsigned ending;              /* (x) that found no more to do, and are not yet gone */
    unsigned spare;               /* (x) that were made for no job and have not begun, */
    unsigned idle;                /* (x) that sleep, */
    unsigned promised;            /* (x) and of both, those that a job is left to */
    bool finishing;               /* (x) */
    bool has_ended;               /* (x) ended is the last thread to have ended, not yet joined */
    pthread_t ended;              /* (x) */
};

/* max_threads 0: 256. */
void tri_executor_init(tri_executor *executor, const tarry_executor *custom,
                       unsigned max_threads);
/* Have at least one thread, so that a later submit cannot fail. 0 or -EAGAIN. */
int tri_executor_ready(tri_executor *executor);
/* Have the job run `times` times, each time as soon as a thread is free or can be had. */
void tri_executor_submit(tri_executor *executor, tri_job *job, size_t times);
/* Wait until every job has run, and end the threads. Nothing is submitted meanwhile. */
void tri_executor_finish(tri_executor *executor);

#endif
