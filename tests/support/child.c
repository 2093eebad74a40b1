#include "child.h"

#include "sanitizers.h"
#include "threads.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 10 };

bool test_child_may_start_threads(void) {
    return !TEST_THREAD_SANITIZER;
}

bool test_others_may_allocate_at_fork(void) {
    return !TEST_ADDRESS_SANITIZER;
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
