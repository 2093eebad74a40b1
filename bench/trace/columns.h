/* Lines of a CSV or TSV file as fields, its header's names, and rules that tell how long a row's
 * request took. */
#ifndef TRACE_COLUMNS_H
#define TRACE_COLUMNS_H

#include "trace/lines.h"
#include "trace/slice.h"

#define COLUMNS_MAX 128u
#define COLUMNS_NONE COLUMNS_MAX

typedef struct columns {
    slice fields[COLUMNS_MAX];
    size_t count;
} columns;

/* What separates a header's fields: a tab where there is one, else a comma, else a semicolon. */
char columns_separator(slice header);
/* Fields may stand in double quotes, "" in them is one. Changes the text. NULL: fine, else what is
 * wrong. */
const char *columns_split(columns *out, char *text, size_t length, char separator);
/* The first column whose name is one of `names`, with spaces between; COLUMNS_NONE: none is. */
size_t columns_find(const columns *header, const char *names);

/* A duration as a sum of terms: DURATION, or COLUMN*DURATION. */
typedef struct rule {
    struct rule_term {
        size_t column; /* COLUMNS_NONE: the duration alone */
        int64_t scale_ns;
    } terms[8];
    size_t count;
} rule;

/* "GeneratedTokens*30ms+ContextTokens*200us". NULL, or what is wrong. */
const char *rule_parse(rule *out, const char *text, const columns *header);
/* A row's duration, saturating. False: a field is no number, or is missing. */
bool rule_apply(int64_t *out, const rule *r, const columns *row);
/* The rule of a column that is a duration by its name: duration, latency_ms, ... False: none is. */
bool rule_of_header(rule *out, const columns *header);

#endif
