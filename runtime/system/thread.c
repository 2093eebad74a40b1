#include "system/thread.h"

#include <signal.h>
#include <sys/prctl.h>

int tri_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    /* A new thread inherits the mask and the slack; set from outside, no signal slips in first. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    const int error = pthread_create(thread, NULL, run, argument);
    if (slack > 0) prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void tri_thread_name(const char *name) {
    prctl(PR_SET_NAME, name);
}
