#include "held.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

void blocker_run(void *argument) {
    blocker *b = argument;
    atomic_store(&b->tid, (int)gettid());
    test_count_add(&b->begun);
    test_count_await(&b->leave, test_count_read(&b->begun));
    test_count_add(&b->ended);
}

void blocker_settle(blocker *b) {
    test_count_await(&b->begun, 1);
    test_thread running = { .tid = atomic_load(&b->tid) };
    test_thread_settle(&running);
}

static void wait_a_little(void) {
    nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

void rig_wait_for_callbacks(const rig *r) {
    while (rig_stats(r).running != 0) wait_a_little();
}

void rig_wait_for_all(const rig *r) {
    while (rig_stats(r).pending != 0) wait_a_little();
    rig_wait_for_callbacks(r);
}

void rig_wait_until_asleep(const rig *r) {
    for (tarry_stats s = rig_stats(r); s.sleeps <= s.wakes; s = rig_stats(r)) wait_a_little();
}

static int submit(void *context, void (*task)(void *argument), void *argument) {
    held *h = context;
    if (atomic_load(&h->refuse)) return -EAGAIN;
    pthread_mutex_lock(&h->lock);
    TEST_REQUIRE(h->submitted < HELD_MAX);
    h->tasks[h->submitted].task = task;
    h->tasks[h->submitted++].argument = argument;
    pthread_mutex_unlock(&h->lock);
    return 0;
}

void held_init(held *h) {
    *h = (held){ .table = { submit, h }, .lock = PTHREAD_MUTEX_INITIALIZER };
}

unsigned held_waiting(held *h) {
    pthread_mutex_lock(&h->lock);
    const unsigned waiting = h->submitted - h->taken;
    pthread_mutex_unlock(&h->lock);
    return waiting;
}

bool held_run(held *h) {
    pthread_mutex_lock(&h->lock);
    const bool any = h->taken < h->submitted;
    const unsigned which = any ? h->taken++ : 0;
    pthread_mutex_unlock(&h->lock);
    if (any) h->tasks[which].task(h->tasks[which].argument);
    return any;
}

bool held_run_last(held *h) {
    pthread_mutex_lock(&h->lock);
    const bool any = h->taken < h->submitted;
    const unsigned which = any ? --h->submitted : 0;
    void (*const task)(void *) = h->tasks[which].task;
    void *const argument = h->tasks[which].argument;
    pthread_mutex_unlock(&h->lock);
    if (any) task(argument);
    return any;
}

void held_run_all(held *h) {
    while (held_run(h)) continue;
}
