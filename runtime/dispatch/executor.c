/* Callback threads that grow on demand. A thread is made whenever a job comes and no idle thread is
 * free for it, so that a slow callback delays nobody. Up to KEPT_IDLE threads stay, asleep without
 * a time limit (an idle runtime makes no system call); one more that runs out of work ends at
 * once. A thread that ends joins the one that ended before it, and finish joins the last. */
#include "dispatch/executor.h"

#include "system/futex.h"
#include "system/thread.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define KEPT_IDLE 4u
#define DEFAULT_MAX_THREADS 256u

void tri_executor_init(tri_executor *executor, const tarry_executor *custom,
                       unsigned max_threads) {
    memset(executor, 0, sizeof *executor);
    executor->custom = custom;
    executor->max_threads = max_threads != 0 ? max_threads : DEFAULT_MAX_THREADS;
    tri_lock_init(&executor->lock, TRI_RANK_EXECUTOR, false);
}

static void append_locked(tri_executor *executor, tri_job *job) {
    tri_assert_held(&executor->lock);
    job->next = NULL;
    *(executor->last != NULL ? &executor->last->next : &executor->first) = job;
    executor->last = job;
}

static tri_job *take_locked(tri_executor *executor) {
    tri_assert_held(&executor->lock);
    tri_job *job = executor->first;
    if (job == NULL) return NULL;
    /* Jobs of several workers take turns. */
    executor->first = job->next;
    if (executor->first == NULL) executor->last = NULL;
    if (--job->waiting != 0) append_locked(executor, job);
    return job;
}

/* Sleep until there may be work. False: this thread is one too many, or all are to end. */
static bool idle_locked(tri_executor *executor) {
    tri_assert_held(&executor->lock);
    if (executor->finishing || executor->idle >= KEPT_IDLE) return false;
    const uint32_t seen = atomic_load_explicit(&executor->word, memory_order_relaxed);
    ++executor->idle;
    tri_lock_drop(&executor->lock);
    tri_futex_wait_until(&executor->word, seen, INT64_MAX);
    tri_lock_take(&executor->lock);
    --executor->idle;
    if (executor->promised != 0) --executor->promised;
    return true;
}

/* No longer counted among the threads, so that a new one can be made for what comes meanwhile.
 * The lock is held, and dropped. */
static void end_thread(tri_executor *executor) {
    const bool join = executor->has_ended;
    const pthread_t before = executor->ended;
    --executor->threads;
    ++executor->ending;
    executor->has_ended = true;
    executor->ended = pthread_self();
    tri_lock_drop(&executor->lock);
    if (join) pthread_join(before, NULL);
    tri_lock_take(&executor->lock);
    --executor->ending;
    const bool last = executor->threads == 0 && executor->ending == 0;
    if (last) atomic_fetch_add(&executor->done_word, 1);
    tri_lock_drop(&executor->lock);
    if (last) tri_futex_wake(&executor->done_word, INT_MAX);
}

static void *callback_thread(void *argument) {
    tri_executor *executor = argument;
    tri_thread_name("tarry-callback");
    tri_lock_take(&executor->lock);
    if (executor->spare != 0) {
        --executor->spare;
        if (executor->promised != 0) --executor->promised;
    }
    for (;;) {
        tri_job *job = take_locked(executor);
        if (job == NULL) {
            if (idle_locked(executor)) continue;
            break;
        }
        tri_lock_drop(&executor->lock);
        job->run(job->argument);
        tri_lock_take(&executor->lock);
    }
    end_thread(executor);
    return NULL;
}

/* The thread that jobs were left to could not be made, and there is no other: do its work. */
static void run_if_alone(tri_executor *executor) {
    tri_job *job;
    do {
        tri_lock_take(&executor->lock);
        job = executor->threads == 0 ? take_locked(executor) : NULL;
        tri_lock_drop(&executor->lock);
        if (job != NULL) job->run(job->argument);
    } while (job != NULL);
}

/* Counted before it is made, so that two at once do not pass the limit. */
static int add_thread(tri_executor *executor, bool spare) {
    pthread_t thread;
    const int error = tri_thread_start(&thread, callback_thread, executor);
    if (error == 0) {
        atomic_store_explicit(&executor->ready, true, memory_order_release);
        return 0;
    }
    tri_lock_take(&executor->lock);
    --executor->threads;
    if (spare) --executor->spare;
    if (executor->promised > executor->idle + executor->spare) --executor->promised;
    tri_lock_drop(&executor->lock);
    run_if_alone(executor);
    return -EAGAIN;
}

int tri_executor_ready(tri_executor *executor) {
    if (executor->custom != NULL) return 0;
    if (atomic_load_explicit(&executor->ready, memory_order_acquire)) return 0;
    tri_lock_take(&executor->lock);
    const bool first = executor->threads == 0;
    if (first) {
        ++executor->threads;
        ++executor->spare;
    }
    tri_lock_drop(&executor->lock);
    return first ? add_thread(executor, true) : 0;
}

static void submit_one(tri_executor *executor, tri_job *job) {
    bool wake = false, grow = false;
    tri_lock_take(&executor->lock);
    if (job->waiting++ == 0) append_locked(executor, job);
    if (executor->idle + executor->spare > executor->promised) {
        ++executor->promised;
        atomic_fetch_add_explicit(&executor->word, 1, memory_order_release);
        wake = true;
    } else if (executor->threads < executor->max_threads) {
        ++executor->threads;
        grow = true;
    }
    tri_lock_drop(&executor->lock);
    if (wake) tri_futex_wake(&executor->word, 1);
    /* Where no more can be had, the job waits for one of those that there are. */
    if (grow) add_thread(executor, false);
}

static void custom_task(void *argument) {
    tri_job *job = argument;
    tri_executor *executor = job->executor;
    job->run(job->argument);
    tri_lock_take(&executor->lock);
    const bool last = --executor->outstanding == 0;
    if (last) atomic_fetch_add(&executor->done_word, 1);
    /* The executor may be gone from here on. */
    tri_lock_drop(&executor->lock);
    if (last) tri_futex_wake(&executor->done_word, INT_MAX);
}

static void submit_custom(tri_executor *executor, tri_job *job) {
    tri_lock_take(&executor->lock);
    ++executor->outstanding;
    tri_lock_drop(&executor->lock);
    tri_assert_no_lock();
    if (executor->custom->submit(executor->custom->context, custom_task, job) != 0)
        custom_task(job);
}

void tri_executor_submit(tri_executor *executor, tri_job *job, size_t times) {
    for (; times > 0; --times) {
        if (executor->custom != NULL)
            submit_custom(executor, job);
        else
            submit_one(executor, job);
    }
}

/* Waits for outstanding tasks or for the threads: one of the two is always 0. */
static bool is_busy(tri_executor *executor) {
    tri_lock_take(&executor->lock);
    const bool busy =
        executor->threads != 0 || executor->ending != 0 || executor->outstanding != 0;
    tri_lock_drop(&executor->lock);
    return busy;
}

void tri_executor_finish(tri_executor *executor) {
    tri_lock_take(&executor->lock);
    executor->finishing = true;
    atomic_fetch_add(&executor->word, 1);
    tri_lock_drop(&executor->lock);
    tri_futex_wake(&executor->word, INT_MAX);
    for (;;) {
        const uint32_t seen = atomic_load(&executor->done_word);
        if (!is_busy(executor)) break;
        tri_futex_wait_until(&executor->done_word, seen, INT64_MAX);
    }
    if (executor->has_ended) pthread_join(executor->ended, NULL);
}
