/* Starting the runtime's own threads. */
#ifndef TRI_THREAD_H
#define TRI_THREAD_H

#include <pthread.h>

/* A joinable thread that blocks every signal, has the smallest timer slack, and that name (up to
 * 15 bytes). 0 or an errno value, positive as pthread_create's. */
int tri_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

#endif
