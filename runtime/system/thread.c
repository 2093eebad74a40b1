#include "system/thread.h"

#include <signal.h>
#include <sys/prctl.h>

int tri_thread_sharpen(void) {
    const int slack = prctl(PR_GET_TIMERSLACK);
    if (slack > 1) prctl(PR_SET_TIMERSLACK, 1UL);
    return slack;
}

void tri_thread_blunt(int slack) {
    if (slack > 1) prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}

int tri_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    /* A new thread inherits the mask and the slack; set from outside, no signal slips in first. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int slack = tri_thread_sharpen();
    const int error = pthread_create(thread, NULL, run, argument);
    tri_thread_blunt(slack);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void tri_thread_name(const char *name) {
    prctl(PR_SET_NAME, name);
}
