/* A plan played on several backends in one run: each looked at once, then timed in turn, several
 * times over, so that a noisy minute of the machine meets all of them. */
#ifndef TRACE_CONTEST_H
#define TRACE_CONTEST_H

#include "compare/progress.h"
#include "report/row.h"
#include "trace/play.h"

#define CONTEST_BACKENDS 8u
#define CONTEST_REPEATS 7      /* of a trace of some million operations, copies counted */
#define CONTEST_REPEATS_LONG 6 /* of a longer one; six are the least with a 95 % interval */
#define CONTEST_DETAILS 5      /* in how many of them single operations are timed as well */
#define CONTEST_DETAILS_LONG 3

typedef struct contest_entry {
    play_spec spec;
    play_check check;
    double means[CONTEST_REPEATS];
    double bytes[CONTEST_REPEATS];
    int64_t counts[PLAY_KINDS];
    /* p50, p99, p99.99, max of each kind, and (last) of all together, of each repeat */
    double figures[PLAY_KINDS + 1][4][CONTEST_DETAILS];
} contest_entry;

typedef struct contest {
    const plan *plan;
    contest_entry entries[CONTEST_BACKENDS];
    size_t count;
    bool means_only; /* set it before contest_run: single operations are not timed */
    int repeats, details;
    double floors[CONTEST_REPEATS];
} contest;

/* Add a backend. tick_ns is for those that have one. False: it cannot be made here. */
bool contest_add(contest *c, const char *backend, int64_t tick_ns, int64_t replicate, double speed,
                 uint64_t seed);
/* False: why says what went wrong. */
bool contest_run(contest *c, progress *bar, const char **why);
/* Did every backend fire the same timers? */
bool contest_agrees(const contest *c);
/* One row for each backend, with its repeats, and one for each kind of operation of each backend
 * where single operations were timed. */
void contest_rows(const contest *c, rows *out);
/* The check, a line for each backend. */
void contest_print(const contest *c, FILE *file);

#endif
