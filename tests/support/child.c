#include "child.h"

#include "threads.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 10 };

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
enum { THREAD_SANITIZER = 1 };
#else
enum { THREAD_SANITIZER = 0 };
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { ADDRESS_SANITIZER = 1 };
#else
enum { ADDRESS_SANITIZER = 0 };
#endif

bool test_child_may_start_threads(void) {
    return !THREAD_SANITIZER;
}

bool test_others_may_allocate_at_fork(void) {
    return !ADDRESS_SANITIZER;
}

int test_in_child(void (*run)(void *argument), void *argument) {
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    TEST_REQUIRE(child >= 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(CHILD_SECONDS);
        run(argument);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) != child) continue;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
