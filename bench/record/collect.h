/* From the parts that the shim left (record/part.h) to traces. */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLLECT_LIBRARIES 4

typedef struct collect_counts {
    char library[16]; /* "": none */
    int64_t arms, rearms, cancels, firings;
} collect_counts;

/* What is in one part. */
typedef struct collected {
    collect_counts counts[COLLECT_LIBRARIES];
    int64_t lines;
    int64_t broken; /* lines: the process was killed while it wrote */
    int64_t length_ns;
} collected;

/* Make a trace of a part, whole or not at all. With no operation in the part none is made, and
 * lines is 0. False with errno set. */
bool collect_part(collected *out, const char *part, const char *trace, bool replace);

/* The trace of the n-th process: the first has the name itself, the second of mine.csv.gz is
 * mine.2.csv.gz. NULL with errno set; free it. */
char *collect_name(const char *trace, unsigned n);

#endif
