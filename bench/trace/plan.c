#include "trace/plan.h"

#include "trace/dense.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_OP SIZE_MAX
#define OP_MAX UINT32_MAX

/* What the deadlines say about an id. */
typedef struct state {
    size_t armed;    /* the op that armed it; NO_OP: nothing pends or is open to an F line */
    size_t last;     /* its last op */
    int64_t recorded_ns; /* of an F line for this arming; < 0: none */
} state;

typedef struct loader {
    plan *plan;
    dense numbers;
    size_t room;
    int64_t first_ns;
    uint64_t step_ns; /* greatest common divisor of the delays */
    state *states;    /* by id */
} loader;

static void name_plan(plan *p, const char *path) {
    static const char *const endings[] = { ".gz", ".csv", ".trace" };
    const char *slash = strrchr(path, '/');
    snprintf(p->name, sizeof p->name, "%s", slash != NULL ? slash + 1 : path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        const size_t length = strlen(p->name), ending = strlen(endings[i]);
        if (length > ending && strcmp(p->name + length - ending, endings[i]) == 0)
            p->name[length - ending] = '\0';
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Keep a line as it is. NULL, or what is wrong. */
static const char *keep(loader *l, const trace_op *op) {
    plan *p = l->plan;
    uint64_t id;
    if (p->count == l->room) {
        const size_t room = l->room == 0 ? 4096 : 2 * l->room;
        plan_op *ops = realloc(p->ops, room * sizeof *ops);
        if (ops == NULL) return "no memory";
        p->ops = ops;
        l->room = room;
    }
    if (!dense_number(&id, &l->numbers, &op->id, sizeof op->id)) return "no memory";
    if (p->count == OP_MAX || id >= UINT32_MAX) return "it has more than 4294967294 operations";
    if (p->count == 0) l->first_ns = op->t_ns;
    const int64_t t_ns = op->t_ns - l->first_ns;
    if (op->delay_ns > 0) l->step_ns = common_divisor((uint64_t)op->delay_ns, l->step_ns);
    const int64_t delay_ns = op->delay_ns > 0 ? op->delay_ns : 0;
    p->ops[p->count++] = (plan_op){ .t_ns = t_ns, .deadline = plan_deadline(t_ns, delay_ns),
                                    .id = (uint32_t)id, .op = op->op };
    p->length_ns = t_ns;
    return NULL;
}

static const char *read_all(loader *l, const char *path) {
    trace_reader reader;
    trace_op op;
    const char *why = NULL;
    if (!trace_open(&reader, path)) return strerror(errno);
    while (why == NULL && trace_next(&op, &reader)) why = keep(l, &op);
    if (why == NULL) why = reader.failure;
    if (why == NULL && reader.good == 0) why = "no line of it is an operation";
    l->plan->skips = reader.skips;
    l->plan->tick_told = reader.tick_ns > 0;
    l->plan->tick_ns = reader.tick_ns;
    trace_close(&reader);
    return why;
}

/* Where nothing tells the recorder's tick: its delays' step, if it can be a clock's. */
static void choose_tick(loader *l) {
    plan *p = l->plan;
    if (p->tick_told) return;
    p->tick_ns = l->step_ns >= 1 && l->step_ns <= 100000000 ? (int64_t)l->step_ns : 1;
}

static void note_largest(int64_t *largest, int64_t value) {
    if (value > *largest) *largest = value;
}

/* Something is done to an id at t, or the trace ends (done: false): did its arming fire before? */
static void close_arming(loader *l, state *s, int64_t t_ns, bool done) {
    plan_recorded *r = &l->plan->recorded;
    if (s->armed == NO_OP) return;
    const int64_t over = t_ns - l->plan->ops[s->armed].deadline;
    if (over < 0 && !done) return;
    if (over >= 0 && s->recorded_ns < 0) {
        if (over <= l->plan->tick_ns) ++r->ended_near;
        else ++r->ended_far;
        if (over > l->plan->tick_ns) note_largest(&r->ended_far_ns, over);
    }
}

static void compare_recorded(loader *l, state *s, int64_t t_ns) {
    plan_recorded *r = &l->plan->recorded;
    ++r->lines;
    if (s->armed == NO_OP || s->recorded_ns >= 0) {
        ++r->not_armed;
        return;
    }
    plan_op *arming = &l->plan->ops[s->armed];
    const int64_t late = t_ns - arming->deadline, tick = l->plan->tick_ns;
    s->recorded_ns = t_ns;
    if (late < -tick) {
        ++r->earlier;
        note_largest(&r->earlier_ns, -late);
    } else if (late - tick > tick) {
        ++r->far_later;
        note_largest(&r->far_later_ns, late);
    } else if (late > tick) {
        ++r->later;
    } else {
        ++r->agree;
        if (late < 0) arming->deadline = t_ns;
    }
}

/* Make an op fit the state of its timer, and keep it at `place`. */
static void settle(loader *l, plan_op op, size_t place) {
    plan *p = l->plan;
    state *s = &l->states[op.id];
    const bool pending = s->armed != NO_OP && p->ops[s->armed].deadline > op.t_ns;
    close_arming(l, s, op.t_ns, true);
    if (op.op == 'C') {
        ++p->cancels;
        if (!pending) ++p->cancelled_idle;
    } else {
        if (op.op == 'A' && pending) ++p->armed_again;
        if (op.op == 'R' && !pending) ++p->rearmed_idle;
        op.op = pending ? 'R' : 'A';
        if (pending) ++p->rearms;
        else ++p->arms;
    }
    op.first = s->last == NO_OP;
    p->ops[place] = op;
    *s = (state){ .armed = op.op == 'C' ? NO_OP : place, .last = place, .recorded_ns = -1 };
}

static const char *analyse(loader *l) {
    plan *p = l->plan;
    size_t kept = 0;
    p->ids = (uint32_t)l->numbers.count;
    l->states = malloc(p->ids * sizeof *l->states);
    if (l->states == NULL) return "no memory";
    for (uint32_t id = 0; id < p->ids; ++id)
        l->states[id] = (state){ .armed = NO_OP, .last = NO_OP, .recorded_ns = -1 };
    for (size_t i = 0; i < p->count; ++i) {
        if (p->ops[i].op == 'F') compare_recorded(l, &l->states[p->ops[i].id], p->ops[i].t_ns);
        else settle(l, p->ops[i], kept++);
    }
    for (uint32_t id = 0; id < p->ids; ++id) {
        close_arming(l, &l->states[id], p->length_ns, false);
        if (l->states[id].last != NO_OP) p->ops[l->states[id].last].last = true;
    }
    p->count = kept;
    return kept > 0 ? NULL : "it arms no timer";
}

bool plan_load(plan *out, const char *path, const char **why) {
    *out = (plan){ 0 };
    loader l = { .plan = out };
    name_plan(out, path);
    *why = read_all(&l, path);
    if (*why == NULL) {
        choose_tick(&l);
        *why = analyse(&l);
    }
    dense_free(&l.numbers);
    free(l.states);
    if (*why != NULL) plan_free(out);
    return *why == NULL;
}

void plan_free(plan *p) {
    free(p->ops);
    p->ops = NULL;
    p->count = 0;
}

static void print_recorded(const plan *p, FILE *file) {
    const plan_recorded *r = &p->recorded;
    fprintf(file, "  recorded firings: %" PRId64 "; %" PRId64
                  " within a tick of the recorder's clock (%.6g ms, %s) of the replay's\n",
            r->lines, r->agree, (double)p->tick_ns / 1e6,
            p->tick_told ? "as the file says" : "the step of its delays");
    if (r->later + r->far_later > 0)
        fprintf(file, "    %" PRId64 " came later by up to another tick, %" PRId64
                      " by more, up to %.6g ms\n",
                r->later, r->far_later, (double)r->far_later_ns / 1e6);
    if (r->earlier > 0)
        fprintf(file, "    %" PRId64 " came earlier, by up to %.6g ms\n", r->earlier,
                (double)r->earlier_ns / 1e6);
    if (r->not_armed > 0)
        fprintf(file, "    %" PRId64 " of timers that the trace had not armed\n", r->not_armed);
    if (r->ended_near + r->ended_far > 0)
        fprintf(file, "    %" PRId64 " fire in the replay alone: the recording has them cancelled"
                      " or armed again\n    after the deadline, %" PRId64
                      " within a tick, the others by up to %.6g ms\n",
                r->ended_near + r->ended_far, r->ended_near, (double)r->ended_far_ns / 1e6);
}

void plan_print(const plan *p, FILE *file) {
    fprintf(file, "%s: %" PRIu32 " timers, %" PRId64 " arms, %" PRId64 " re-arms, %" PRId64
                  " cancels in %.6g s\n",
            p->name, p->ids, p->arms, p->rearms, p->cancels, (double)p->length_ns / 1e9);
    if (p->armed_again + p->rearmed_idle + p->cancelled_idle > 0)
        fprintf(file, "  %" PRId64 " A of pending timers, %" PRId64 " R and %" PRId64
                      " C of ones that were not\n",
                p->armed_again, p->rearmed_idle, p->cancelled_idle);
    if (p->recorded.lines > 0) print_recorded(p, file);
}
