#include "backends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool test_backend_is_forced(void) {
    const char *value = getenv("TARRY_TEST_BACKEND");
    if (value == NULL || value[0] == '\0') return false;
    if (strcmp(value, "tiered") == 0) return true;
    fprintf(stderr, "TARRY_TEST_BACKEND is %s: only tiered can be every backend\n", value);
    abort();
}

test_backend test_backend_for(const char *name, int64_t tick_ns) {
    if (!test_backend_is_forced()) return (test_backend){ name, tick_ns };
    if (tick_ns == 0 && strcmp(name, "wheel") == 0) tick_ns = 1000000;
    return (test_backend){ "tiered", tick_ns };
}

static bool is_among(const test_backend *backends, size_t count, test_backend one) {
    for (size_t i = 0; i < count; ++i)
        if (backends[i].tick_ns == one.tick_ns && strcmp(backends[i].name, one.name) == 0)
            return true;
    return false;
}

size_t test_backends_for(test_backend *out, const test_backend *table, size_t count) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < TEST_BACKENDS_MOST; ++i) {
        const test_backend one = test_backend_for(table[i].name, table[i].tick_ns);
        if (!is_among(out, used, one)) out[used++] = one;
    }
    return used;
}
