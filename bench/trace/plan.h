/* A trace in memory, ready to be played: what is done to which timer, and when each arming is due.
 *
 * What a trace can say that does not fit together is counted and given the sense that a program's
 * timers would give it: A of a pending timer arms it again, R of one that is not pending arms it,
 * C of one that is not pending does nothing. "Pending" is by the deadlines, as a replay has it: one
 * that is due fires before what is done to it at the same moment.
 *
 * F lines change nothing but this: where one stands at most a tick of the recorder's clock before
 * the deadline, the recorder counted from the beginning of that tick, and the deadline is moved to
 * the F line. Beyond that they are compared with what the deadlines say, the difference told. */
#ifndef TRACE_PLAN_H
#define TRACE_PLAN_H

#include "trace/trace.h"

#include <stdio.h>
#include <tarry/base.h>

/* The latest deadline that can come: the library's time ends the ns after it. */
#define PLAN_LAST (TARRY_FOREVER - 2)

/* t_ns + delay_ns; TARRY_FOREVER beyond PLAN_LAST. */
static inline int64_t plan_deadline(int64_t t_ns, int64_t delay_ns) {
    return delay_ns > PLAN_LAST - t_ns ? TARRY_FOREVER : t_ns + delay_ns;
}

typedef struct plan_op {
    int64_t t_ns;     /* from the first line on */
    int64_t deadline; /* A, R: never before t_ns; TARRY_FOREVER: never due */
    uint32_t id;      /* dense */
    char op;          /* A, R, C; A of what is not pending, R of what is */
    bool first, last; /* of this id */
} plan_op;

/* The recorder's firings against those that the deadlines make. The _ns are the largest seen. */
typedef struct plan_recorded {
    int64_t lines;              /* F lines */
    int64_t agree;              /* within a tick of the deadline */
    int64_t later;              /* more than a tick after it, up to two */
    int64_t far_later, far_later_ns; /* more than two */
    int64_t earlier, earlier_ns;
    int64_t not_armed;          /* of a timer that was not armed, or had its F line before */
    int64_t ended_near;         /* due, but cancelled or armed again within a tick after, no F */
    int64_t ended_far, ended_far_ns; /* the same, later than that */
} plan_recorded;

typedef struct plan {
    char name[48]; /* of the file, without folder, .csv and .gz */
    plan_op *ops;
    size_t count;
    uint32_t ids;
    int64_t length_ns; /* to the last line, F lines included */
    int64_t tick_ns;   /* the recorder's clock */
    bool tick_told;    /* by the file; else the largest step that all delays are multiples of */
    int64_t arms, rearms, cancels;
    int64_t armed_again, rearmed_idle, cancelled_idle; /* what did not fit, see above */
    plan_recorded recorded;
    skips skips;
} plan;

/* False: why says what is wrong; nothing to free. */
bool plan_load(plan *out, const char *path, const char **why);
void plan_free(plan *p);
/* What was found, some lines. */
void plan_print(const plan *p, FILE *file);

#endif
