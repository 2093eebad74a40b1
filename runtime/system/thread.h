/* Starting the runtime's own threads. */
#ifndef TRI_THREAD_H
#define TRI_THREAD_H

#include <pthread.h>

/* A joinable thread that blocks every signal and has the smallest timer slack. It may have ended,
 * and been joined by another, before this returns. 0 or an errno value, positive as
 * pthread_create's. */
int tri_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);
/* The kernel may end a timed sleep of a user's thread some 50 us late, so as to end several at once
 * (its timer slack). Before such a sleep: the smallest slack; what it was is returned, and given
 * back afterwards: it is the user's. */
int tri_thread_sharpen(void);
void tri_thread_blunt(int slack);
/* Name the calling thread, as tools show it; up to 15 bytes. */
void tri_thread_name(const char *name);

#endif
