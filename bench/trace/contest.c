#include "trace/contest.h"

#include "report/interval.h"
#include "workload/backends.h"
#include "workload/floor.h"

#include <inttypes.h>
#include <string.h>
#include <tarry/tarry.h>

#define FLOOR_OPS 400000
#define REPEAT_OPS 300000
#define PLAYS_MAX 20
#define LONG_OPS 20000000
#define ALL PLAY_KINDS

static const double fractions[] = { 0.5, 0.99, 0.9999 };

static bool can_be_made(const char *backend, int64_t tick_ns) {
    tarry_options options = TARRY_OPTIONS_INIT;
    tarry_runtime *rt;
    backends_choose(&options, backend);
    options.tick_ns = tick_ns;
    options.workers = 1;
    options.by_hand = 1;
    if (tarry_create(&rt, &options) != 0) return false;
    tarry_destroy(rt);
    return true;
}

bool contest_add(contest *c, const char *backend, int64_t tick_ns, int64_t replicate, double speed,
                 uint64_t seed) {
    if (!backends_has_tick(backend)) tick_ns = 0;
    if (!can_be_made(backend, tick_ns)) return false;
    contest_entry *entry = &c->entries[c->count++];
    *entry = (contest_entry){ .spec = { .plan = c->plan, .backend = backend,
                                        .tick_ns = tick_ns, .replicate = replicate,
                                        .speed = speed, .seed = seed } };
    return true;
}

static void take_figures(contest_entry *entry, int repeat, const histogram *h, int kind) {
    for (size_t f = 0; f < 3; ++f)
        entry->figures[kind][f][repeat] = (double)histogram_percentile(h, fractions[f]);
    entry->figures[kind][3][repeat] = (double)h->max;
}

static int64_t ops_of(const contest_entry *entry) {
    return (int64_t)entry->spec.plan->count * entry->spec.replicate;
}

/* How often a short trace is played within one repeat. */
static int plays_of(const contest_entry *entry) {
    const int64_t ops = ops_of(entry);
    if (ops >= REPEAT_OPS) return 1;
    return ops * PLAYS_MAX > REPEAT_OPS ? (int)(REPEAT_OPS / ops) : PLAYS_MAX;
}

static bool time_mean(contest_entry *entry, int repeat, const char **why) {
    play_times times = { 0 };
    int64_t ops = 0, spent_ns = 0;
    for (int left = plays_of(entry); left > 0; --left) {
        if (!play_mean(&times, &entry->spec, why)) return false;
        for (int kind = 0; kind < PLAY_KINDS; ++kind) ops += times.counts[kind];
        spent_ns += times.spent_ns;
    }
    for (int kind = 0; kind < PLAY_KINDS; ++kind) entry->counts[kind] = times.counts[kind];
    entry->means[repeat] = (double)spent_ns / (double)ops;
    entry->bytes[repeat] = times.bytes_per_timer;
    return true;
}

static bool time_single(contest_entry *entry, int repeat, histogram *kinds, const char **why) {
    play_times times = { .kinds = kinds };
    for (int kind = 0; kind <= ALL; ++kind) histogram_clear(&kinds[kind]);
    for (int left = plays_of(entry); left > 0; --left)
        if (!play_detail(&times, &entry->spec, why)) return false;
    for (int kind = 0; kind < PLAY_KINDS; ++kind) {
        take_figures(entry, repeat, &kinds[kind], kind);
        histogram_merge(&kinds[ALL], &kinds[kind]);
    }
    take_figures(entry, repeat, &kinds[ALL], ALL);
    return true;
}

/* How many are pending at the most. It differs a little with the tick: rows tell the largest. */
static int64_t peak_of(const contest *c) {
    int64_t timers = 1;
    for (size_t i = 0; i < c->count; ++i)
        if (c->entries[i].check.peak > timers) timers = c->entries[i].check.peak;
    return timers;
}

static bool time_all(contest *c, histogram *kinds, progress *bar, const char **why) {
    floor_timers touched;
    if (floor_open(&touched, peak_of(c), c->entries[0].spec.seed) != 0) {
        *why = "no memory";
        return false;
    }
    bool fine = true;
    for (int repeat = 0; repeat < c->repeats && fine; ++repeat) {
        c->floors[repeat] = floor_measure(&touched, FLOOR_OPS);
        for (size_t i = 0; i < c->count && fine; ++i) {
            progress_step(bar, (int64_t)(c->count * (size_t)(repeat + 1) + i), c->plan->name);
            fine = time_mean(&c->entries[i], repeat, why) &&
                   (repeat >= c->details || time_single(&c->entries[i], repeat, kinds, why));
        }
    }
    floor_close(&touched);
    return fine;
}

static bool check_all(contest *c, progress *bar, const char **why) {
    for (size_t i = 0; i < c->count; ++i) {
        progress_step(bar, (int64_t)i, c->plan->name);
        if (!play_check_all(&c->entries[i].check, &c->entries[i].spec, why)) return false;
    }
    return true;
}

bool contest_run(contest *c, progress *bar, const char **why) {
    histogram kinds[PLAY_KINDS + 1];
    int made = 0;
    const bool is_long = ops_of(&c->entries[0]) >= LONG_OPS;
    c->repeats = is_long ? CONTEST_REPEATS_LONG : CONTEST_REPEATS;
    c->details = c->means_only ? 0 : is_long ? CONTEST_DETAILS_LONG : CONTEST_DETAILS;
    progress_begin(bar, (int64_t)c->count * (c->repeats + 1));
    bool fine = check_all(c, bar, why);
    while (fine && made <= ALL) {
        fine = histogram_init(&kinds[made]) == 0;
        if (fine) ++made;
        else *why = "no memory";
    }
    fine = fine && time_all(c, kinds, bar, why);
    for (int kind = 0; kind < made; ++kind) histogram_free(&kinds[kind]);
    progress_end(bar);
    return fine;
}

bool contest_agrees(const contest *c) {
    for (size_t i = 0; i < c->count; ++i) {
        const play_check *check = &c->entries[i].check, *first = &c->entries[0].check;
        if (!play_is_right(check) || check->expected_sum != first->expected_sum) return false;
    }
    return true;
}

static double median(int count, const double *values) {
    double sorted[CONTEST_REPEATS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    return interval_of(sorted, (size_t)count).median;
}

static void init_row(row *r, const contest *c, const contest_entry *entry, int kind) {
    char workload[80];
    if (kind == ALL) snprintf(workload, sizeof workload, "replay:%s", c->plan->name);
    else snprintf(workload, sizeof workload, "replay:%s %s", c->plan->name, play_kind(kind));
    row_init(r, workload, entry->spec.backend, NULL);
    r->timers = peak_of(c);
    r->threads = 1;
    r->replicate = entry->spec.replicate;
    r->speed = entry->spec.speed;
    if (c->details == 0) return;
    r->p50_ns = (int64_t)median(c->details, entry->figures[kind][0]);
    r->p99_ns = (int64_t)median(c->details, entry->figures[kind][1]);
    r->p9999_ns = (int64_t)median(c->details, entry->figures[kind][2]);
    r->max_ns = (int64_t)median(c->details, entry->figures[kind][3]);
}

static void add_whole(const contest *c, const contest_entry *entry, rows *out) {
    row r;
    init_row(&r, c, entry, ALL);
    r.ops = 0;
    for (int kind = 0; kind < PLAY_KINDS; ++kind) r.ops += entry->counts[kind];
    r.ns_per_op = median(c->repeats, entry->means);
    row_set_repeats(&r, entry->means, (size_t)c->repeats);
    r.bytes_per_timer = median(c->repeats, entry->bytes);
    r.early = entry->check.early;
    row_set_floor(&r, median(c->repeats, c->floors));
    if (entry->spec.tick_ns > 0)
        row_note(&r, "tick %.6g ms: %" PRId64 " firings, %" PRId64
                 " more were cancelled or armed again within a tick after they were due",
                 (double)entry->spec.tick_ns / 1e6, entry->check.fired, entry->check.spared);
    else
        row_note(&r, "%" PRId64 " firings, each at its deadline", entry->check.fired);
    rows_add(out, &r);
}

void contest_rows(const contest *c, rows *out) {
    for (size_t i = 0; i < c->count; ++i) add_whole(c, &c->entries[i], out);
    for (int kind = 0; kind < PLAY_KINDS && !c->means_only; ++kind) {
        for (size_t i = 0; i < c->count; ++i) {
            row r;
            if (c->entries[i].counts[kind] == 0) continue;
            init_row(&r, c, &c->entries[i], kind);
            r.ops = c->entries[i].counts[kind];
            rows_add(out, &r);
        }
    }
}

static void print_faults(const play_check *c, FILE *file) {
    fprintf(file, "    FAILED: %" PRId64 " early, %" PRId64 " more than a tick late, %" PRId64
                  " out of order, %" PRId64 " missed, %" PRId64 " wrong answers",
            c->early, c->late, c->unordered, c->missed, c->wrong);
    const bool same = c->fired_sum + c->spared_sum == c->expected_sum;
    fprintf(file, "%s\n", same ? "" : ", not the timers that were due");
}

void contest_print(const contest *c, FILE *file) {
    for (size_t i = 0; i < c->count; ++i) {
        const contest_entry *entry = &c->entries[i];
        const play_check *check = &entry->check;
        fprintf(file, "  %s: %" PRId64 " of %" PRId64 " due timers fired, ", entry->spec.backend,
                check->fired, check->expected);
        if (entry->spec.tick_ns == 0)
            fprintf(file, "in order, each at its deadline\n");
        else
            fprintf(file, "up to %.6g ms late (tick %.6g ms);\n    %" PRId64
                          " were cancelled or armed again within the tick in which they would have"
                          " fired\n",
                    (double)check->latest_ns / 1e6, (double)entry->spec.tick_ns / 1e6,
                    check->spared);
        if (!play_is_right(check)) print_faults(check, file);
    }
}
