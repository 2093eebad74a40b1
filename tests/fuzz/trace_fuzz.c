/* Shows: the property of trace_input.h, for what libFuzzer finds. Built by tests/fuzz/build. */
#include "trace_input.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const char *why = trace_input_check(bytes, size);
    if (why == NULL) return 0;
    fprintf(stderr, "%s\n", why);
    abort();
}
