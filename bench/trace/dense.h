/* Small numbers for names of any kind: the first one seen is 0, the next new one 1, and so on. */
#ifndef TRACE_DENSE_H
#define TRACE_DENSE_H

#include "trace/slice.h"

#include <stdint.h>

typedef struct dense_entry dense_entry;

typedef struct dense {
    dense_entry *table;    /* by key */
    dense_entry **entries; /* by number */
    uint64_t count, room;
} dense;

/* The number of a key, which may be any bytes and is copied. False: no memory. */
bool dense_number(uint64_t *out, dense *d, const void *key, size_t length);
/* The key of a number below count; valid until dense_free. */
slice dense_key(const dense *d, uint64_t number);
void dense_free(dense *d);

#endif
