/* The kernel's timer:timer_start, timer_cancel and timer_expire_entry, as tracefs, trace-cmd or
 * perf print them.
 *
 *   seen                               means
 *   start                              A
 *   cancel, start at most 4 us later   R: mod_timer of a pending timer shows so, within 3 us; a
 *                                      cancel and another arming lie 5 us apart or more
 *   cancel, then expire_entry          F
 *   cancel, anything else              C
 *
 * So a cancel waits, for HOLD_NS at most, until the next event of its timer tells what it was; what
 * came behind it waits too, since a trace is in order. A delay is the kernel's timeout in jiffies
 * times the tick, which is found from how fast jiffies pass, in a first reading of the file. */
#include "trace/dense.h"
#include "trace/import.h"
#include "trace/tracepoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REARM_NS 4000
#define HOLD_NS 10000000
#define MIN_JIFFIES 100 /* fewer do not tell 250 from 256 a second */
#define NO_PLACE UINT64_MAX

typedef struct held {
    trace_op op;
    uint64_t timer; /* number of it */
    bool open;      /* a cancel whose meaning is not known yet */
    bool dropped;
} held;

typedef struct timer {
    uint32_t class;
    bool pending;
    uint64_t cancel; /* place of its open cancel, or NO_PLACE */
} timer;

typedef struct kernel_import {
    import_job *job;
    int64_t tick_ns;
    dense addresses, functions;
    timer *timers; /* by the number of the address */
    uint64_t room;
    held *queue; /* places first .. last - 1, in order of time, a ring of queue_room */
    uint64_t first, last, queue_room;
    uint64_t unknown; /* cancels and firings of timers that were armed before the recording */
    uint64_t lost;
} kernel_import;

static held *at_place(kernel_import *k, uint64_t place) {
    return &k->queue[place & (k->queue_room - 1)];
}

static bool enqueue(kernel_import *k, held item) {
    if (k->last - k->first == k->queue_room) {
        const uint64_t room = k->queue_room == 0 ? 1024 : 2 * k->queue_room;
        held *queue = malloc(room * sizeof *queue);
        if (queue == NULL) return import_no_memory(k->job);
        for (uint64_t p = k->first; p < k->last; ++p) queue[p & (room - 1)] = *at_place(k, p);
        free(k->queue);
        k->queue = queue;
        k->queue_room = room;
    }
    *at_place(k, k->last++) = item;
    return true;
}

/* Let go what is decided, or has waited long enough. */
static void flush(kernel_import *k, int64_t now_ns) {
    for (; k->first < k->last; ++k->first) {
        held *item = at_place(k, k->first);
        if (item->dropped) continue;
        if (item->open && item->op.t_ns > now_ns - HOLD_NS) return;
        if (item->open) k->timers[item->timer].cancel = NO_PLACE;
        import_emit(k->job, item->op);
    }
}

static bool put(kernel_import *k, const order_event *event, char op, int64_t delay_ns) {
    const timer *t = &k->timers[event->key];
    return enqueue(k, (held){
        .op = { .t_ns = event->t_ns, .id = event->key, .op = op, .delay_ns = delay_ns,
                .class = dense_key(&k->functions, t->class) },
        .timer = event->key,
        .open = op == 'C',
    });
}

/* Take the timer's open cancel out, if there is one from `since` on. */
static bool drop_cancel(kernel_import *k, timer *t, int64_t since_ns) {
    if (t->cancel == NO_PLACE) return false;
    held *cancel = at_place(k, t->cancel);
    t->cancel = NO_PLACE;
    if (cancel->op.t_ns >= since_ns) cancel->dropped = true;
    else cancel->open = false;
    return cancel->dropped;
}

static bool on_start(kernel_import *k, const order_event *event, timer *t) {
    int64_t delay_ns;
    const bool again = drop_cancel(k, t, event->t_ns - REARM_NS) || t->pending;
    t->pending = true;
    t->class = event->class;
    if (__builtin_mul_overflow(event->value, k->tick_ns, &delay_ns))
        delay_ns = event->value < 0 ? 0 : INT64_MAX;
    return put(k, event, again ? 'R' : 'A', delay_ns);
}

static bool on_cancel(kernel_import *k, const order_event *event, timer *t) {
    if (!t->pending) {
        ++k->unknown;
        return true;
    }
    t->pending = false;
    t->cancel = k->last;
    return put(k, event, 'C', 0);
}

static bool on_expire(kernel_import *k, const order_event *event, timer *t) {
    const bool was_pending = drop_cancel(k, t, INT64_MIN) || t->pending;
    t->pending = false;
    if (was_pending) return put(k, event, 'F', 0);
    ++k->unknown;
    return true;
}

static bool on_event(void *context, const order_event *event) {
    kernel_import *k = context;
    timer *t = &k->timers[event->key];
    bool fine;
    if (event->kind == TRACEPOINT_START) fine = on_start(k, event, t);
    else if (event->kind == TRACEPOINT_CANCEL) fine = on_cancel(k, event, t);
    else fine = on_expire(k, event, t);
    flush(k, event->t_ns);
    return fine;
}

static bool make_timer(kernel_import *k, uint64_t number) {
    if (number < k->room) return true;
    const uint64_t room = k->room == 0 ? 1024 : 2 * k->room;
    timer *timers = realloc(k->timers, room * sizeof *timers);
    if (timers == NULL) return import_no_memory(k->job);
    for (uint64_t n = k->room; n < room; ++n) timers[n] = (timer){ .cancel = NO_PLACE };
    k->timers = timers;
    k->room = room;
    return true;
}

static bool take_line(kernel_import *k, order_window *w, const line *at) {
    const slice text = { at->text, at->length };
    tracepoint p;
    const char *why;
    uint64_t class = 0;
    order_event event = { 0 };
    const tracepoint_result result = tracepoint_parse(&p, text, &why);
    if (result == TRACEPOINT_OTHER) k->lost += tracepoint_lost(text);
    if (result == TRACEPOINT_OTHER) ++k->job->other;
    if (result == TRACEPOINT_BAD) skips_add(&k->job->skips, at, why);
    if (result != TRACEPOINT_GOOD) return true;
    if (!dense_number(&event.key, &k->addresses, &p.timer, sizeof p.timer) ||
        (p.kind == TRACEPOINT_START &&
         !dense_number(&class, &k->functions, p.function.text, p.function.length)))
        return import_no_memory(k->job);
    event.t_ns = p.t_ns;
    event.kind = (char)p.kind;
    event.value = p.timeout_jiffies;
    event.class = (uint32_t)class;
    return make_timer(k, event.key) && import_push(k->job, w, at, event);
}

/* The tick from the first and the last event that tell jiffies. 0: they do not tell it. */
static int64_t tick_between(const tracepoint *first, const tracepoint *last) {
    static const double rates[] = { 24,  32,  48,  64,  100, 128,  200,  250,
                                    256, 300, 500, 512, 600, 1000, 1024, 1200 };
    const uint64_t jiffies = last->now_jiffies - first->now_jiffies;
    const int64_t span_ns = last->t_ns - first->t_ns;
    if (jiffies < MIN_JIFFIES || jiffies > INT64_MAX / 2 || span_ns <= 0) return 0;
    const double seen = (double)jiffies * 1e9 / (double)span_ns;
    double best = rates[0];
    for (size_t i = 1; i < sizeof rates / sizeof *rates; ++i)
        if (fabs(rates[i] - seen) < fabs(best - seen)) best = rates[i];
    return fabs(seen / best - 1) < 0.03 ? (int64_t)(1e9 / best) : 0;
}

/* The first reading. False: the file cannot be read, or not twice. */
static bool find_tick(kernel_import *k) {
    tracepoint p, first, last;
    bool any = false;
    line at;
    const char *why;
    lines_result result;
    while ((result = lines_next(&at, k->job->in)) == LINES_GOOD || result == LINES_BAD) {
        if (tracepoint_parse(&p, (slice){ at.text, at.length }, &why) != TRACEPOINT_GOOD) continue;
        if (p.kind == TRACEPOINT_CANCEL) continue;
        if (!any) first = p;
        last = p;
        any = true;
    }
    k->tick_ns = any ? tick_between(&first, &last) : 0;
    if (k->tick_ns == 0) {
        k->tick_ns = NS_PER_S / 250;
        snprintf(k->job->note, sizeof k->job->note,
                 "the recording is too short to tell the kernel's tick; taken to be 4 ms");
    }
    if (result == LINES_FAILED) k->job->failure = at.why;
    return result != LINES_FAILED && import_rewind(k->job);
}

static void tell(kernel_import *k) {
    if (k->lost > 0)
        snprintf(k->job->note, sizeof k->job->note,
                 "the kernel had no room for %" PRIu64 " events: what they were is missing",
                 k->lost);
    else if (k->job->note[0] == '\0' && k->unknown > 0)
        snprintf(k->job->note, sizeof k->job->note,
                 "%" PRIu64 " cancels or firings of timers armed before the recording: left out",
                 k->unknown);
}

static bool run(import_job *job) {
    kernel_import k = { .job = job };
    order_window w = { .sink = on_event, .context = &k };
    line at;
    bool fine = find_tick(&k);
    job->resolution_ns = k.tick_ns;
    snprintf(job->about, sizeof job->about, "the kernel's timers (%" PRId64 " ticks a second)",
             NS_PER_S / k.tick_ns);
    while (fine && import_line(&at, job)) fine = take_line(&k, &w, &at);
    fine = job->failure == NULL && import_finish(job, &w);
    if (fine) flush(&k, INT64_MAX);
    tell(&k);
    order_window_free(&w);
    dense_free(&k.addresses);
    dense_free(&k.functions);
    free(k.timers);
    free(k.queue);
    return fine;
}

static bool knows(slice text, bool first) {
    tracepoint p;
    const char *why;
    (void)first;
    return tracepoint_parse(&p, text, &why) == TRACEPOINT_GOOD;
}

const importer importer_kernel = {
    .name = "kernel",
    .what = "text of the kernel's timer tracepoints",
    .knows = knows,
    .run = run,
};
