/* One property of all that reads traces, logs, tables and tracepoints, for any bytes: no importer
 * and no reader goes wrong on them; what an import writes is read back whole and fits together; and
 * what can be played fires the same timers on every backend, whatever its numbers are.
 *
 * Two drivers: unit/trace_junk.c (examples and changed ones, fixed seeds), and libFuzzer
 * (fuzz/trace_fuzz.c). */
#ifndef FUZZ_TRACE_INPUT_H
#define FUZZ_TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* NULL, or what did not hold. */
const char *trace_input_check(const uint8_t *bytes, size_t size);

#endif
