#include "check.h"

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

/* CUnit counts in plain globals; this lock makes an assertion legal in any thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char context[128];

void test_context(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    vsnprintf(context, sizeof context, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

static bool report(bool holds, const char *text, const char *file, unsigned line) {
    char with_context[512];
    pthread_mutex_lock(&lock);
    snprintf(with_context, sizeof with_context, "[%s] %s", context, text);
    CU_assertImplementation(holds ? CU_TRUE : CU_FALSE, line, with_context, file, "", CU_FALSE);
    pthread_mutex_unlock(&lock);
    return holds;
}

bool test_check(bool holds, const char *text, const char *file, unsigned line) {
    return report(holds, text, file, line);
}

bool test_check_int(int64_t got, int64_t want, const char *got_text, const char *want_text,
                    const char *file, unsigned line) {
    char text[320];
    snprintf(text, sizeof text, "%s is %" PRId64 ", not %s = %" PRId64, got_text, got, want_text,
             want);
    return report(got == want, text, file, line);
}
