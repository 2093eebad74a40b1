/* One runtime under test, in virtual time. A contract is written once and runs on each backend,
 * driven by hand and by its timerproc; a backend more is one line in rig.c. When a case ends, the
 * rig checks that the counters balance, that destroy succeeds and that no memory is left.
 *
 *     ON_EACH_RIG(stop_of_a_pending_timer_is_one) {
 *         ... r->rt, rig_pass(r, TARRY_SECOND) ...
 *     }
 *
 * All of it is deterministic: time moves only in rig_pass, callbacks run inside it (a case that
 * asks for callback threads or an executor waits for those itself). */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "check.h"
#include "counting.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tarry/tarry.h>

typedef struct rig {
    tarry_runtime *rt;
    const char *backend;
    int64_t tick; /* what its order is true to; 0: exact */
    bool by_hand;
    unsigned workers;
    int64_t now;
    counting memory;
} rig;

typedef void rig_body(rig *r);

void rig_each(rig_body *body);
void rig_each_by_hand(rig_body *body);
void rig_each_threaded(rig_body *body);

#define RIG_CASE(each, name)               \
    static void name##_on(rig *r);         \
    static void name(void) {               \
        each(name##_on);                   \
    }                                      \
    static void name##_on(rig *r)
#define ON_EACH_RIG(name) RIG_CASE(rig_each, name)
#define BY_HAND(name) RIG_CASE(rig_each_by_hand, name)
#define THREADED(name) RIG_CASE(rig_each_threaded, name)
/* An entry of TEST_SUITE, named as its function. */
#define CASE(name) { #name, name }

/* The case gets one worker and inline callbacks. Put a runtime with other options in its place;
 * backend, tick, clock, drive and allocator stay the rig's. Nothing may be alive in the old one. */
void rig_remake(rig *r, const tarry_options *options);
/* As rig_remake, after the case has destroyed the old one itself. */
void rig_make(rig *r, const tarry_options *options);

/* In its place one on the real clock, for what is about the system's own sleep. */
void rig_use_real_clock(rig *r, unsigned workers, unsigned callbacks);

/* In its place one that is driven by hand on the caller's clock, with one worker. */
typedef struct rig_clock {
    int64_t now; /* what it shows; the rig's time at first */
    int asked;   /* how often */
} rig_clock;

void rig_use_callers_clock(rig *r, rig_clock *clock);

/* Destroy the runtime now, which the rig else does at the end. Returns what destroy did. */
int rig_destroy(rig *r);

/* Let time go on, to a point or by a span, and run what is due on the way; it is exact, so a
 * backend with a tick may hold back what is due for less than that. */
void rig_reach(rig *r, int64_t to);
void rig_pass(rig *r, int64_t span);
/* As rig_pass, and one tick more, after which every timer due within span has fired. */
void rig_settle(rig *r, int64_t span);

tarry_stats rig_stats(const rig *r);
/* armed == fired + stopped + pending, with nothing running. */
bool rig_balances(const rig *r);
/* Nothing but sleep and wake counts differs. */
bool rig_unchanged(const tarry_stats *before, const tarry_stats *after);

/* What a callback saw: for tarry_after_func and handles. */
typedef struct shot {
    rig *r;
    atomic_int runs;
    atomic_int_fast64_t at_ns; /* the runtime's clock in the last run */
    int number;                /* its place in the order of all shots of the rig */
} shot;

tarry_function shot_run;

/* A message of the mailbox without waiting: 1 and *out, or 0. */
int rig_poll(tarry_message *out, tarry_mailbox *mailbox);

#endif
