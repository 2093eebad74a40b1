/* Lines of an input that were of no use: how many, and the first one with its number and why. */
#ifndef TRACE_SKIPS_H
#define TRACE_SKIPS_H

#include "trace/lines.h"

#include <stdint.h>
#include <stdio.h>

typedef struct skips {
    int64_t count;
    int64_t first_number;
    char first_why[96];
    char first_text[64]; /* its beginning, made printable */
} skips;

/* why is copied. The line's text may be "". */
void skips_add(skips *s, const line *at, const char *why);
/* "WHO: NAME: 3 lines skipped; the first is line 7 (the time goes back): ...", or nothing. */
void skips_print(const skips *s, const char *who, const char *name, FILE *file);

#endif
