/* The cores that this process may use, and which thread runs on which. */
#ifndef WORKLOAD_CORES_H
#define WORKLOAD_CORES_H

#include <stdint.h>

/* How many there are. */
int64_t cores_count(void);

/* Bind the calling thread to one of them: index 0 to the first, and round again past the last. The
 * main thread must not be bound, since its cores are taken for the process's. Where the system
 * refuses, the thread stays where it was. */
void cores_bind(int64_t index);

#endif
