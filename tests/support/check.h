/* Assertions that say what was expected, what came, and under which circumstances (which backend,
 * which seed), since most tests run the same lines on several. Safe in any thread. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* What is under test from now on: stands before each failure's text. */
void test_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Both return whether it held, so that a loop can stop at its first failure. */
bool test_check(bool holds, const char *text, const char *file, unsigned line);
bool test_check_int(int64_t got, int64_t want, const char *got_text, const char *want_text,
                    const char *file, unsigned line);

#define CHECK(condition) test_check((condition), #condition, __FILE__, (unsigned)__LINE__)
#define CHECK_INT(got, want) \
    test_check_int((int64_t)(got), (int64_t)(want), #got, #want, __FILE__, (unsigned)__LINE__)

#endif
