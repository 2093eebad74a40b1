/* What the kernel tells about the threads of this process. The library's own are known by their
 * names, which begin with "tarry-". */
#ifndef TEST_TASKS_H
#define TEST_TASKS_H

#include <stddef.h>

/* The text of a file of a thread ("comm", "status", "syscall"); empty where it cannot be read. */
void task_read(char *out, size_t size, const char *task, const char *file);

/* How many threads have a name that begins so; look, if not NULL, is called for each. */
int tasks_each(const char *name, void (*look)(const char *task, void *argument), void *argument);

#endif
