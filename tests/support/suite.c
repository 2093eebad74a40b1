#include "suite.h"

#include <CUnit/Basic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *volatile running = "set-up";

static void watchdog(int signal) {
    (void)signal;
    static const char text[] = "watchdog: the time is up in: ";
    ssize_t done = write(STDERR_FILENO, text, sizeof text - 1);
    done = write(STDERR_FILENO, running, strlen(running));
    done = write(STDERR_FILENO, "\n", 1);
    (void)done;
    abort();
}

static void note_start(const CU_pTest test, const CU_pSuite suite) {
    (void)suite;
    running = test->pName;
    printf("  %s\n", test->pName);
    fflush(stdout);
}

static int wanted(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return 1;
    return argc <= 1;
}

int test_suite_run(int argc, char **argv, const char *suite, const test_case *cases, size_t count,
                   unsigned watchdog_s) {
    if (CU_initialize_registry() != CUE_SUCCESS) return 2;
    CU_pSuite added = CU_add_suite(suite, NULL, NULL);
    for (size_t i = 0; added != NULL && i < count; ++i)
        if (wanted(argc, argv, cases[i].name) &&
            CU_add_test(added, cases[i].name, cases[i].run) == NULL)
            added = NULL;
    if (added == NULL || CU_get_registry()->uiNumberOfTests == 0) {
        fprintf(stderr, "%s: no such test, or it could not be added\n", suite);
        return 2;
    }
    signal(SIGALRM, watchdog);
    alarm(watchdog_s);
    CU_set_test_start_handler(note_start);
    CU_set_error_action(CUEA_IGNORE);
    CU_run_all_tests();
    CU_basic_show_failures(CU_get_failure_list());
    const CU_pRunSummary summary = CU_get_run_summary();
    printf("\n%s: %u passed, %u failed\n", suite, summary->nTestsRun - summary->nTestsFailed,
           summary->nTestsFailed);
    const int status = summary->nTestsFailed != 0;
    CU_cleanup_registry();
    return status;
}
