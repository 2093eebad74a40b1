#include "duel.h"

#include "check.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_BATCH = 64 };

void duel_init(duel *d, const tri_backend_ops *ops, const duel_options *options) {
    *d = (duel){ .options = *options, .now = options->start, .random = options->seed };
    bed_init(&d->bed, ops, options->tick_ns, options->start, options->slots);
    oracle_init(&d->oracle, options->slots);
}

void duel_fini(duel *d) {
    oracle_fini(&d->oracle);
    bed_fini(&d->bed);
}

static bool expect(duel *d, bool holds, const char *what, int64_t got) {
    if (holds || d->lost) return !d->lost;
    const duel_options *o = &d->options;
    char text[384];
    snprintf(text, sizeof text,
             "%s: %s (%" PRId64 ", now %" PRId64 ", first %" PRId64 "): { .seed = %" PRIu64
             ", .steps = %" PRIu64 ", .slots = %" PRIu32 ", .start = %" PRId64
             ", .tick_ns = %" PRId64 " }",
             d->bed.ops->name, what, got, d->now, oracle_first(&d->oracle), o->seed, d->step + 1,
             o->slots, o->start, o->tick_ns);
    test_check(false, text, __FILE__, __LINE__);
    d->lost = true;
    return false;
}

static bool counts_agree(duel *d) {
    const size_t live = d->bed.backend->live;
    return expect(d, live == d->oracle.count, "live is miscounted", (int64_t)live);
}

bool duel_arm(duel *d, uint32_t slot, int64_t deadline) {
    oracle_set(&d->oracle, slot, ORACLE_NEVER);
    const bool earliest = deadline < oracle_first(&d->oracle);
    oracle_set(&d->oracle, slot, deadline);
    const bool said = bed_arm(&d->bed, slot, deadline);
    return expect(d, said || !earliest, "an earliest one is not told", deadline) && counts_agree(d);
}

bool duel_stop(duel *d, uint32_t slot) {
    oracle_set(&d->oracle, slot, ORACLE_NEVER);
    bed_stop(&d->bed, slot);
    return counts_agree(d);
}

/* With a tick: the end of the tick that the deadline lies in, or now, where it has passed. */
static int64_t latest_next(const duel *d, int64_t deadline) {
    const int64_t tick = d->bed.tick_ns;
    if (tick == 0) return deadline;
    const int64_t over = deadline % tick;
    const int64_t end = over > 0 ? test_add(deadline - over, tick) : deadline - over;
    return end > d->now ? end : d->now;
}

bool duel_next(duel *d) {
    const int64_t first = oracle_first(&d->oracle);
    int64_t next = bed_next(&d->bed);
    if (first == ORACLE_NEVER) return expect(d, next == TRI_NEVER, "next where none is", next);
    if (!expect(d, next <= latest_next(d, first), "next is too late", next)) return false;
    if (d->bed.tick_ns != 0) return true;
    /* It may answer with less before it has cleaned up; each answer brings it on. */
    size_t asks = d->bed.backend->entries;
    while (next != first && asks-- > 0) next = bed_next(&d->bed);
    return expect(d, next == first, "next is not exact", next);
}

static bool accept_one(duel *d, const tri_due *due) {
    const int64_t deadline = due->slot < d->options.slots ? oracle_deadline(&d->oracle, due->slot)
                                                          : ORACLE_NEVER;
    return expect(d, deadline != ORACLE_NEVER, "one that is not pending fires", due->slot) &&
           expect(d, due->deadline == deadline, "it fires for another deadline", due->deadline) &&
           expect(d, deadline <= d->now, "it fires early", deadline) &&
           expect(d, d->bed.tick_ns != 0 || deadline == oracle_first(&d->oracle),
                  "it fires out of order", deadline);
}

bool duel_pop(duel *d, int64_t now, size_t max) {
    tri_due due[MAX_BATCH];
    d->now = now;
    const size_t count = bed_pop(&d->bed, now, due, max);
    if (!expect(d, count <= max, "more fire than were asked for", (int64_t)count)) return false;
    for (size_t i = 0; i < count; ++i) {
        if (!accept_one(d, &due[i])) return false;
        oracle_set(&d->oracle, due[i].slot, ORACLE_NEVER);
    }
    const int64_t first = oracle_first(&d->oracle);
    const bool late = first <= now && (uint64_t)now - (uint64_t)first >= (uint64_t)d->bed.tick_ns;
    return expect(d, count == max || !late, "one is left behind", first) && counts_agree(d);
}

void duel_walk(duel *d, int64_t step) {
    for (size_t before = SIZE_MAX; !d->lost && d->oracle.count != 0;) {
        const int64_t first = oracle_first(&d->oracle), end = test_add(first, step);
        if (d->now == INT64_MAX - 1 && d->oracle.count == before) return;
        before = d->oracle.count;
        if (first > d->now) duel_pop(d, first - 1, MAX_BATCH);
        duel_next(d);
        if (first > d->now) duel_pop(d, first, MAX_BATCH);
        duel_pop(d, end > d->now ? end : d->now, MAX_BATCH);
    }
}

bool duel_sound(duel *d) {
    return expect(d, bed_sound(&d->bed), "the structure is broken", 0);
}

/* Random steps. */

static const unsigned boundary_bits[] = { 0, 1, 8, 14, 20, 26, 32 };

static uint64_t below(duel *d, uint64_t limit) {
    return test_random_below(&d->random, limit);
}

/* 2 ticks and 1 ns to either side at the most. */
static int64_t jitter(duel *d) {
    const int64_t ticks = (int64_t)below(d, 5) - 2;
    return test_add(test_multiply(ticks, d->options.tick_ns), (int64_t)below(d, 3) - 1);
}

static int64_t boundary_span(duel *d, unsigned kinds) {
    const int64_t ticks = (int64_t)1 << boundary_bits[below(d, kinds)];
    return test_multiply(ticks, d->options.tick_ns);
}

static int64_t random_deadline(duel *d) {
    const int64_t now = d->now;
    const int64_t span = boundary_span(d, sizeof boundary_bits / sizeof *boundary_bits);
    switch (below(d, 10)) {
    case 0: return test_add(now, -(int64_t)below(d, 1000));
    case 1: return test_add(now, (int64_t)below(d, 3) - 1);
    case 2:
    case 3: return test_add(now, test_multiply((int64_t)below(d, 600), d->options.tick_ns));
    case 4: return test_add(test_add(now, span), jitter(d));
    case 5: return test_add(test_add(now - now % span, span), jitter(d));
    case 6: return test_add(now, (int64_t)(test_random(&d->random) >> (1 + below(d, 62))));
    case 7: return below(d, 2) ? test_add(INT64_MAX, -(int64_t)below(d, 3) - 1)
                               : test_add(INT64_MIN, (int64_t)below(d, 3));
    default: break;
    }
    const int64_t other = oracle_deadline(&d->oracle, (uint32_t)below(d, d->options.slots));
    return other != ORACLE_NEVER ? test_add(other, (int64_t)below(d, 3) - 1) : now;
}

/* Mostly a few ticks, or to what comes next; and the further, the more seldom, so that the end of
 * time is not reached at once. */
static int64_t random_now(duel *d) {
    const int64_t first = oracle_first(&d->oracle), tick = d->options.tick_ns;
    const uint64_t kind = below(d, 10000);
    if (kind < 4) return test_add(test_add(d->now, boundary_span(d, 7)), jitter(d));
    if (kind < 100) return test_add(test_add(d->now, boundary_span(d, 4)), jitter(d));
    if (kind < 3000 && first / 2 - d->now / 2 < test_multiply(tick, 1 << 14))
        return test_add(first, (int64_t)below(d, 3) - 1);
    if (kind < 5000) {
        const int64_t next = bed_next(&d->bed);
        if (next / 2 - d->now / 2 < tick) return next;
    }
    return test_add(d->now, (int64_t)below(d, 1 + 3 * (uint64_t)(tick / 2)));
}

/* The clock never goes back, and never shows TRI_NEVER. */
static int64_t move_clock(duel *d) {
    const int64_t now = random_now(d);
    return now > d->now && now != TRI_NEVER ? now : d->now;
}

static bool random_step(duel *d) {
    const uint32_t slot = (uint32_t)below(d, d->options.slots);
    const uint64_t what = below(d, 100);
    if (what < 50) return duel_arm(d, slot, random_deadline(d));
    if (what < 70) return !bed_pending(&d->bed, slot) || duel_stop(d, slot);
    if (what < 80) return duel_next(d);
    return duel_pop(d, move_clock(d), 1 + below(d, below(d, 2) ? MAX_BATCH : 3));
}

/* Everything that is left must come out by the end of time, but what lies in its last tick. */
static bool drain(duel *d) {
    size_t before;
    do {
        before = d->oracle.count;
        if (!duel_pop(d, INT64_MAX - 1, MAX_BATCH)) return false;
    } while (d->oracle.count != before);
    return duel_sound(d);
}

bool duel_random(const tri_backend_ops *ops, const duel_options *options) {
    duel d;
    duel_init(&d, ops, options);
    bool good = true;
    for (d.step = 0; good && d.step < options->steps; ++d.step) {
        good = random_step(&d);
        if (d.step % 1024 == 0 || d.step < 256) good = good && duel_sound(&d);
    }
    good = good && drain(&d);
    duel_fini(&d);
    return good;
}
