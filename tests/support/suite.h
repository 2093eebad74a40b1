/* CUnit glue: one suite a program, with a watchdog, so that a lost wake-up is a failure by name
 * and not a hang. */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include <CUnit/CUnit.h>
#include <stddef.h>

typedef struct test_case {
    const char *name; /* the promise that it shows, as a sentence without spaces */
    void (*run)(void);
} test_case;

/* Run the cases in order, or the ones named on the command line. Returns main's exit status.
 * watchdog_s: a program that runs longer than this is ended with the name of the case at fault. */
int test_suite_run(int argc, char **argv, const char *suite, const test_case *cases, size_t count,
                   unsigned watchdog_s);

/* A whole test program: TEST_SUITE("timer", 60, { "stop_is_true_once", stop_is_true_once }, ...) */
#define TEST_SUITE(name, watchdog_s, ...)                                                     \
    int main(int argc, char **argv) {                                                         \
        static const test_case cases[] = { __VA_ARGS__ };                                     \
        return test_suite_run(argc, argv, name, cases, sizeof cases / sizeof *cases, watchdog_s); \
    }

#endif
