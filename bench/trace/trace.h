/* The trace format: what a program did with its timers, one line each, plain or gzip:
 *
 *     t_ns,op,id,delay_ns,class
 *
 * t_ns      0 .. TRACE_T_MAX, never less than in the line before
 * op        A arm, R arm again while pending, C cancel, F fired
 * id        0 .. 2^64 - 1, which timer
 * delay_ns  of A and R, from t_ns; <= 0: due at once. Empty for C and F
 * class     any word, or nothing: a call site, a function
 *
 * Lines that begin with # are comments, empty lines are nothing; that line itself may stand where a
 * header does. A comment "# tick_ns=4000000" tells how coarse the clock was that the recorder's
 * timers ran by. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "trace/skips.h"
#include "trace/slice.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_T_MAX (INT64_MAX / 2)
#define TRACE_CLASS_LONGEST 127u
#define TRACE_HEADER "t_ns,op,id,delay_ns,class"

typedef struct trace_op {
    int64_t t_ns;
    uint64_t id;
    int64_t delay_ns; /* 0 for C and F */
    char op;
    slice class;
} trace_op;

/* Read one line. The class points into it. False: why says what is wrong. */
bool trace_parse(trace_op *out, slice text, const char **why);

typedef struct trace_reader {
    lines *lines;
    skips skips;     /* broken lines, and such that go back in time */
    int64_t good;    /* lines that were read */
    int64_t last_ns; /* t_ns of the last of them */
    int64_t tick_ns; /* as a comment tells; 0: none did yet */
    const char *failure;
} trace_reader;

/* False with errno set. */
bool trace_open(trace_reader *r, const char *path);
/* False: the end, or (failure is set) the file cannot be read on. */
bool trace_next(trace_op *out, trace_reader *r);
void trace_close(trace_reader *r);

typedef struct trace_writer trace_writer;

/* A file, whole or not at all; gzip where its name ends in .gz. "-": standard output, as it comes.
 * False with errno set (EEXIST: there is a file, and replace is not set). */
bool trace_create(trace_writer **out, const char *path, bool replace);
void trace_comment(trace_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Errors of the medium show at trace_commit. */
void trace_put(trace_writer *w, const trace_op *op);
/* False with errno set: nothing is left behind. Frees w in any case. */
bool trace_commit(trace_writer *w);
void trace_abandon(trace_writer *w);

#endif
