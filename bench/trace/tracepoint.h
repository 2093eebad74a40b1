/* One line of the kernel's timer tracepoints as text: of tracefs' trace and trace_pipe, of
 * `trace-cmd report`, of `perf script`. They differ in what stands before the event's name. */
#ifndef TRACE_TRACEPOINT_H
#define TRACE_TRACEPOINT_H

#include "trace/slice.h"

typedef enum tracepoint_kind {
    TRACEPOINT_START,
    TRACEPOINT_CANCEL,
    TRACEPOINT_EXPIRE
} tracepoint_kind;

typedef struct tracepoint {
    tracepoint_kind kind;
    int64_t t_ns;
    uint64_t timer;          /* its address, or the hash of it that the kernel shows */
    slice function;           /* START */
    int64_t timeout_jiffies; /* START: from now on */
    uint64_t now_jiffies;    /* START, EXPIRE */
} tracepoint;

typedef enum tracepoint_result {
    TRACEPOINT_GOOD,
    TRACEPOINT_OTHER, /* another event, a header, a comment */
    TRACEPOINT_BAD    /* why says what is wrong */
} tracepoint_result;

tracepoint_result tracepoint_parse(tracepoint *out, slice text, const char **why);
/* "[LOST 12 EVENTS]": 12, else 0. */
uint64_t tracepoint_lost(slice text);

#endif
