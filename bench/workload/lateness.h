/* Lateness, measured: one segment is a number of timers with random deadlines over a span of real
 * time; every contender plays the same segments, taking turns. The log gathers how late each firing
 * was, and what the process spent. */
#ifndef WORKLOAD_LATENESS_H
#define WORKLOAD_LATENESS_H

#include "report/histogram.h"
#include "report/row.h"

#define LATENESS_LEAD_NS 2000000 /* from the begin of a segment to its zero point: time to arm */

typedef struct lateness_log {
    histogram late; /* ns, early ones as 0 */
    int64_t firings, early;
    int64_t wakeups; /* voluntary context switches of the process in its segments */
    double cpu_s;
    int64_t wakeups_before; /* at the begin of this segment */
    double cpu_before;
} lateness_log;

/* The deadlines of segment `index`, sorted: ns after its zero point, below span_ns. */
void lateness_offsets(int64_t *offsets, int64_t count, int64_t span_ns, uint64_t seed,
                      int64_t index);

/* 0 or -ENOMEM. */
int lateness_init(lateness_log *log);
void lateness_free(lateness_log *log);
void lateness_begin(lateness_log *log);
/* One firing, at this moment. Of one thread at a time. */
void lateness_note(lateness_log *log, int64_t deadline_ns);
void lateness_end(lateness_log *log);
/* Fills ops, late_p50_us, late_p99_us, early, wakeups, cpu_s. */
void lateness_row(const lateness_log *log, row *r);

#endif
