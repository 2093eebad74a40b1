/* Which backends a test runs on. Every test that names one asks here, so that the whole suite can
 * run with one in all places: with TARRY_TEST_BACKEND=tiered each other backend becomes `tiered`,
 * exact where the other is, and with the same tick where it has one. */
#ifndef TEST_BACKENDS_H
#define TEST_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_backend {
    const char *name;
    int64_t tick_ns; /* 0: exact; of a wheel: its default of 1 ms */
} test_backend;

enum { TEST_BACKENDS_MOST = 8 };

/* True: one is to be in all places. A value of the variable that means nothing ends the program. */
bool test_backend_is_forced(void);

/* The one to take in place of that one: itself, if none is forced. */
test_backend test_backend_for(const char *name, int64_t tick_ns);

/* The same for a table of at most TEST_BACKENDS_MOST; what has become equal is there once. Returns
 * how many there are. */
size_t test_backends_for(test_backend *out, const test_backend *table, size_t count);

#endif
