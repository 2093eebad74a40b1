/* A worker: a bucket, and who turns its crank. Taking what is due is the same turn for both:
 * timerproc.c (a thread) and drive.c (the caller's hand).
 *
 * Guards: as in bucket/bucket.h; (r) tri_shared.lock. */
#ifndef TRI_WORKER_H
#define TRI_WORKER_H

#include "bucket/bucket.h"
#include "dispatch/executor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tri_worker {
    tri_bucket bucket;      /* first: its fields have their own guards */
    tri_executor *executor; /* (c) NULL: callbacks run where the crank is turned */
    tri_job job;            /* (x) its runs of due callbacks, in the executor's hands */
    _Atomic bool started;   /* (a) set under (r), once */
    pthread_t thread;       /* (r) */
} tri_worker;

/* timerproc.c */

/* Have the worker's thread running. 0, -EAGAIN, or the runtime's state where it has ended. */
int tri_timerproc_ensure(tri_worker *worker);
/* The bucket is closing: wake the thread, where there is one, and wait for its end. */
void tri_timerproc_join(tri_worker *worker);
/* Virtual time: wait until the thread, where there is one, has handed on all that is due by then
 * and sleeps; the point that it sleeps until, TRI_NEVER where there is none. Adds to *sleeps how
 * often it went to sleep so far. */
int64_t tri_timerproc_settle(tri_worker *worker, int64_t point, uint64_t *sleeps);

/* drive.c */

/* Run what is due. The number of firings, -EBUSY or -EDEADLK. */
int64_t tri_drive_run(tri_worker *worker, int64_t now, size_t limit);
/* When to run next; TRI_NEVER: nothing is pending. */
int64_t tri_drive_next(tri_worker *worker);

#endif
