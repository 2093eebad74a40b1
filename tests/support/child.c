#include "child.h"

#include "threads.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 10 };

/* The thread sanitizer would end a child of a program with threads when it makes one itself, which
 * is what these tests are about. Not called in other builds. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "die_after_fork=0";
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
