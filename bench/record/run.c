#include "record/run.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Of the command; 0: it has ended. */
typedef struct running {
    pid_t command;
    int status;
    sigset_t signals;
} running;

/* To every child: the orphans of the command have become ours. */
static void signal_rest(int signal) {
    char path[64];
    long pid;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *children = fopen(path, "r");
    if (children == NULL) return;
    while (fscanf(children, "%ld", &pid) == 1) kill((pid_t)pid, signal);
    fclose(children);
}

static void pass_on(const running *r, const siginfo_t *info) {
    if (r->command == 0) signal_rest(info->si_signo);
    else if (info->si_code != SI_KERNEL) kill(r->command, info->si_signo);
}

/* False: no child is left. */
static bool reap(running *r) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != r->command) continue;
        r->command = 0;
        r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return pid == 0;
}

static void wait_for_all(running *r) {
    static const struct timespec patience = { .tv_sec = 1 };
    bool told = false;
    while (reap(r)) {
        siginfo_t info;
        const bool tell = r->command == 0 && !told;
        const int signal = tell ? sigtimedwait(&r->signals, &info, &patience)
                                : sigwaitinfo(&r->signals, &info);
        if (signal > 0 && signal != SIGCHLD) pass_on(r, &info);
        if (signal > 0 || errno != EAGAIN || !tell) continue;
        told = true;
        fprintf(stderr, "tarry-compare record: the command has ended; waiting for what it left"
                        " running (SIGINT or SIGTERM is passed on to it)\n");
    }
}

static int start(running *r, char **arguments, const sigset_t *mask) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error =
        posix_spawnp(&r->command, arguments[0], NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int run_and_wait(char **arguments, int *error) {
    static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
    running r = { 0 };
    sigset_t before;
    sigemptyset(&r.signals);
    sigaddset(&r.signals, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; ++i)
        sigaddset(&r.signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &r.signals, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    *error = start(&r, arguments, &before);
    if (*error != 0) return *error == ENOENT ? 127 : 126;
    wait_for_all(&r);
    return r.status;
}
