/* Run part of a test in a child made by fork. What does not hold there is told by TEST_REQUIRE, which
 * ends the child; one that hangs is ended by its own watchdog, since an alarm is not inherited. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdbool.h>

/* False in a build for the thread sanitizer: it keeps the parent's threads in its books, and takes a
 * new one in the child for one of them. */
bool test_child_may_start_threads(void);

/* False in a build for the address sanitizer: its allocator does not let go of its locks over a
 * fork, so no other thread may be in it then. */
bool test_others_may_allocate_at_fork(void);

/* 0: run(argument) returned in the child. Else its exit status, or minus the signal that ended it. */
int test_in_child(void (*run)(void *argument), void *argument);

#endif
