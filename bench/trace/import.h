/* From another program's record to a trace. An importer reads one family of formats; here is what
 * they share: telling the format, reading, order, counting, writing. */
#ifndef TRACE_IMPORT_H
#define TRACE_IMPORT_H

#include "trace/order.h"
#include "trace/trace.h"

typedef struct import_job {
    lines *in;
    trace_writer *out;
    int64_t timeout_ns;   /* 0: the importer's default */
    const char *duration; /* the rule of --duration, or NULL */
    skips skips;
    int64_t used;         /* lines that said something */
    int64_t other;        /* lines of other kinds than the importer's, not wrong in themselves */
    int64_t unsorted;
    int64_t resolution_ns; /* of the stamps; an importer sets it before it emits */
    char about[160];       /* what the trace means; an importer sets it before it emits */
    char note[160];        /* what the user should know, or "" */
    int64_t first_ns, last_ns; /* of what was emitted */
    int64_t arms, rearms, cancels, firings;
    const char *failure; /* why it cannot go on */
} import_job;

typedef struct importer {
    const char *name;
    const char *what; /* a few words */
    /* Does this line, of the first ones of a file, show the format? first: nothing stood before. */
    bool (*knows)(slice text, bool first);
    /* Read all lines, emit all operations. False: failure is set. */
    bool (*run)(import_job *job);
} importer;

extern const importer importer_kernel;
extern const importer importer_log;
extern const importer importer_table;

/* The i-th, or NULL past the last. */
const importer *import_at(size_t i);
/* The one that the first lines show; the input is at its start again. NULL: failure is set. */
const importer *import_detect(import_job *job);

/* Read on to the next line that is one; others are skipped and counted. False: the end, or failure
 * is set. */
bool import_line(line *out, import_job *job);
/* One operation, at a point in time of the input's own scale; never back in time. */
void import_emit(import_job *job, trace_op op);
/* Into the window. A late event is a skipped line. False: failure is set. */
bool import_push(import_job *job, order_window *w, const line *at, order_event event);
bool import_finish(import_job *job, order_window *w);
/* Back to the first line. False: failure is set. */
bool import_rewind(import_job *job);
bool import_no_memory(import_job *job); /* sets failure; false */

#endif
