/* Threads for tests: start, settle, join, a crowd that begins at once, and a count that threads wait
 * for. CUnit's asserts belong to the main thread alone: a test thread leaves what it saw in its
 * argument, and the test asserts after the join. What cannot be gone on without (TEST_REQUIRE) ends
 * the program, in any thread, so that no test goes on with less than it says. */
#ifndef TEST_THREADS_H
#define TEST_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* For any thread: aborts, with the condition and the line, where it does not hold. */
#define TEST_REQUIRE(condition) test_require((condition), #condition, __FILE__, __LINE__)
void test_require(bool holds, const char *condition, const char *file, int line);

typedef struct test_thread {
    pthread_t id;
    void (*run)(void *argument);
    void *argument;
    _Atomic int tid; /* 0: has not begun */
    atomic_bool ended;
} test_thread;

void test_thread_start(test_thread *thread, void (*run)(void *argument), void *argument);
void test_thread_join(test_thread *thread);
bool test_thread_ended(test_thread *thread);

/* Returns once the thread sleeps in the kernel, or has ended. A thread that was woken before the
 * call does not count as asleep until it sleeps again, so "not ended" is then a finding, and not a
 * matter of who was faster. */
void test_thread_settle(test_thread *thread);
/* Settle, then tell whether it is still blocked. */
bool test_thread_blocked(test_thread *thread);

/* run(index, argument) in `count` threads that begin at once; returns when all have returned. */
void test_threads_run(unsigned count, void (*run)(unsigned index, void *argument), void *argument);

/* How many rounds a stress test makes: quick, or full where TARRY_TEST_FULL is 1. */
unsigned test_rounds(unsigned quick, unsigned full);

/* A number that only grows, and that threads wait for. A gate is one that is waited for at 1. */
typedef struct test_count {
    pthread_mutex_t lock;
    pthread_cond_t grown;
    unsigned value;
} test_count;

#define TEST_COUNT_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

void test_count_add(test_count *count);
void test_count_await(test_count *count, unsigned at_least);
unsigned test_count_read(test_count *count);

#endif
