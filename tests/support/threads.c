#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void test_require(bool holds, const char *condition, const char *file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

static void *thread_main(void *argument) {
    test_thread *thread = argument;
    atomic_store(&thread->tid, (int)gettid());
    thread->run(thread->argument);
    atomic_store(&thread->ended, true);
    return NULL;
}

void test_thread_start(test_thread *thread, void (*run)(void *argument), void *argument) {
    thread->run = run;
    thread->argument = argument;
    atomic_init(&thread->tid, 0);
    atomic_init(&thread->ended, false);
    TEST_REQUIRE(pthread_create(&thread->id, NULL, thread_main, thread) == 0);
}

void test_thread_join(test_thread *thread) {
    TEST_REQUIRE(pthread_join(thread->id, NULL) == 0);
}

bool test_thread_ended(test_thread *thread) {
    return atomic_load(&thread->ended);
}

/* The kernel's letter for what the thread does; 'R' where it cannot be told. */
static char thread_state(int tid) {
    char path[64], line[128];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 'R';
    const char *got = fgets(line, sizeof line, file);
    fclose(file);
    const char *after_name = got == NULL ? NULL : strrchr(line, ')');
    return after_name == NULL ? 'R' : after_name[2];
}

void test_thread_settle(test_thread *thread) {
    for (;;) {
        const int tid = atomic_load(&thread->tid);
        if (test_thread_ended(thread) || (tid != 0 && thread_state(tid) == 'S')) return;
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
}

bool test_thread_blocked(test_thread *thread) {
    test_thread_settle(thread);
    return !test_thread_ended(thread);
}

typedef struct crowd {
    void (*run)(unsigned index, void *argument);
    void *argument;
    pthread_barrier_t start;
} crowd;

typedef struct crowd_member {
    test_thread thread;
    crowd *crowd;
    unsigned index;
} crowd_member;

static void crowd_main(void *argument) {
    crowd_member *member = argument;
    pthread_barrier_wait(&member->crowd->start);
    member->crowd->run(member->index, member->crowd->argument);
}

void test_threads_run(unsigned count, void (*run)(unsigned index, void *argument), void *argument) {
    crowd all = { .run = run, .argument = argument };
    crowd_member *members = calloc(count, sizeof *members);
    TEST_REQUIRE(members != NULL);
    TEST_REQUIRE(pthread_barrier_init(&all.start, NULL, count) == 0);
    for (unsigned i = 0; i < count; ++i) {
        members[i].crowd = &all;
        members[i].index = i;
        test_thread_start(&members[i].thread, crowd_main, &members[i]);
    }
    for (unsigned i = 0; i < count; ++i) test_thread_join(&members[i].thread);
    pthread_barrier_destroy(&all.start);
    free(members);
}

unsigned test_rounds(unsigned quick, unsigned full) {
    const char *value = getenv("TARRY_TEST_FULL");
    return value != NULL && strcmp(value, "1") == 0 ? full : quick;
}

void test_count_add(test_count *count) {
    pthread_mutex_lock(&count->lock);
    ++count->value;
    pthread_cond_broadcast(&count->grown);
    pthread_mutex_unlock(&count->lock);
}

void test_count_await(test_count *count, unsigned at_least) {
    pthread_mutex_lock(&count->lock);
    while (count->value < at_least) pthread_cond_wait(&count->grown, &count->lock);
    pthread_mutex_unlock(&count->lock);
}

unsigned test_count_read(test_count *count) {
    pthread_mutex_lock(&count->lock);
    const unsigned value = count->value;
    pthread_mutex_unlock(&count->lock);
    return value;
}
