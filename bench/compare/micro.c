/* `micro`: the standard workloads (workload/workload.h tells what they are). Contenders take
 * turns: in each repeat first the floor, then each contender once. A figure is the median of the
 * repeats. */
#include "compare/command.h"
#include "compare/contenders.h"
#include "compare/output.h"
#include "compare/progress.h"
#include "workload/backends.h"
#include "workload/floor.h"

#include <stdlib.h>
#include <string.h>

#define NAME "micro"
#define REPEATS_MAX 101

typedef struct micro {
    option_names backends, workloads;
    option_counts timers;
    int64_t threads, ops, repeats, seed;
    const char *peers;
    output out;
    results *r;
    progress bar;
    int64_t steps_done;
    int status;
} micro;

static bool is_whole(enum workload workload) {
    return workload == WORKLOAD_WORST || workload == WORKLOAD_CHURN;
}

/* Worst, churn, expire and mailbox are about one bucket. */
static bool is_threaded(enum workload workload) {
    return !is_whole(workload) && workload != WORKLOAD_EXPIRE && workload != WORKLOAD_MAILBOX;
}

static void step(micro *m, const char *workload, const char *subject) {
    char what[64];
    snprintf(what, sizeof what, "%s %s", workload, subject);
    progress_step(&m->bar, m->steps_done++, what);
}

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_reals);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void fail(micro *m, int status) {
    if (m->status < status) m->status = status;
}

/* One pass of one contender; its row, if it gave one. One that failed is left out from then on. */
static bool play_one(micro *m, contender *c, enum pass pass, row *out) {
    rows list = { 0 };
    const bool good = c->ops->play(c->player, pass, &list);
    const bool has_row = good && list.count > 0;
    if (has_row) *out = list.items[0];
    rows_free(&list);
    if (!good) {
        fail(m, EXIT_CHECK);
        c->ops->close(c->player);
        c->player = NULL;
    }
    return has_row;
}

typedef struct repeats {
    double means[CONTENDERS_MAX][REPEATS_MAX];
    double floors[2][REPEATS_MAX]; /* without a lock, with one */
    row last[CONTENDERS_MAX];
} repeats;

static void measure_floors(const micro *m, repeats *got, int64_t k, floor_timers *floor,
                           enum workload workload) {
    const bool pair = workload == WORKLOAD_MAILBOX;
    got->floors[true][k] = pair ? floor_measure_pair(m->ops) : floor_measure(floor, m->ops);
    got->floors[false][k] =
        pair ? floor_measure_pair_unlocked(m->ops) : floor_measure_unlocked(floor, m->ops);
}

static void play_repeats(micro *m, contenders *list, repeats *got, floor_timers *floor,
                         enum workload workload) {
    for (int64_t k = 0; k < m->repeats; ++k) {
        measure_floors(m, got, k, floor, workload);
        for (size_t i = 0; i < list->count; ++i) {
            contender *c = &list->items[i];
            step(m, workload_text(workload), c->name);
            if (c->player != NULL && play_one(m, c, PASS_MEAN, &got->last[i]))
                got->means[i][k] = got->last[i].ns_per_op;
        }
    }
}

static void take_detail(row *r, const row *detail) {
    r->p50_ns = detail->p50_ns;
    r->p99_ns = detail->p99_ns;
    r->p9999_ns = detail->p9999_ns;
    r->max_ns = detail->max_ns;
    if (detail->note[0] != '\0') memcpy(r->note, detail->note, sizeof r->note);
}

static void add_rows(micro *m, contenders *list, repeats *got) {
    const size_t count = (size_t)m->repeats;
    const double floors[] = { median(got->floors[false], count), median(got->floors[true], count) };
    for (size_t i = 0; i < list->count; ++i) {
        row detail, *r = &got->last[i];
        if (list->items[i].player == NULL) continue;
        if (isnan(r->ns_per_op)) { /* its note tells why not */
            rows_add(&m->r->rows, r);
            continue;
        }
        row_set_repeats(r, got->means[i], count); /* before they are sorted */
        r->ns_per_op = median(got->means[i], count);
        row_set_floor(r, floors[backends_takes_lock(list->items[i].name)]);
        if (play_one(m, &list->items[i], PASS_DETAIL, &detail)) take_detail(r, &detail);
        if (list->items[i].player != NULL) rows_add(&m->r->rows, r);
    }
}

static void play_by_turns(micro *m, contenders *list, const player_spec *like,
                          floor_timers *floor) {
    repeats *got = calloc(1, sizeof *got);
    if (got == NULL || !contenders_open(list, like)) fail(m, EXIT_CANNOT);
    if (got != NULL) {
        play_repeats(m, list, got, floor, like->workload);
        add_rows(m, list, got);
    }
    contenders_close(list);
    free(got);
}

/* Each by itself, from set-up to end: worst and churn. */
static void play_whole(micro *m, contenders *list, const player_spec *like) {
    for (size_t i = 0; i < list->count; ++i) {
        contenders one = { .items = { list->items[i] }, .count = 1 };
        step(m, workload_text(like->workload), list->items[i].name);
        if (!contenders_open(&one, like)) {
            fail(m, EXIT_CANNOT);
            continue;
        }
        if (!one.items[0].ops->play(one.items[0].player, PASS_DETAIL, &m->r->rows))
            fail(m, EXIT_CHECK);
        contenders_close(&one);
    }
}

static void play(micro *m, enum workload workload, int64_t timers, floor_timers *floor) {
    contenders list = { 0 };
    const player_spec like = { .workload = workload, .timers = timers, .threads = m->threads,
                               .ops = m->ops, .seed = (uint64_t)m->seed };
    contenders_add_backends(&list, &m->backends,
                            workload == WORKLOAD_MAILBOX ? &timer_player : &tarry_player);
    if (m->threads == 1) contenders_add_peers(&list, m->peers, workload, false);
    if (is_whole(workload)) play_whole(m, &list, &like);
    else play_by_turns(m, &list, &like, floor);
}

static void play_all(micro *m) {
    for (size_t t = 0; t < m->timers.count; ++t) {
        floor_timers floor;
        if (floor_open(&floor, m->timers.items[t], (uint64_t)m->seed) != 0) {
            fail(m, command_fail(EXIT_CANNOT, NAME, "no memory for so many timers"));
            continue;
        }
        for (size_t w = 0; w < m->workloads.count; ++w)
            play(m, (enum workload)workload_find(m->workloads.items[w]), m->timers.items[t],
                 &floor);
        floor_close(&floor);
    }
}

/* How often step is called. */
static int64_t count_steps(const micro *m) {
    int64_t steps = 0;
    for (size_t w = 0; w < m->workloads.count; ++w) {
        const enum workload workload = (enum workload)workload_find(m->workloads.items[w]);
        contenders list = { 0 };
        contenders_add_backends(&list, &m->backends, &tarry_player);
        if (m->threads == 1) contenders_add_peers(&list, m->peers, workload, w == 0);
        steps += (int64_t)list.count * (is_whole(workload) ? 1 : m->repeats);
    }
    return steps * (int64_t)m->timers.count;
}

static void default_workloads(micro *m) {
    for (size_t i = 0; workload_name(i) != NULL; ++i)
        if (m->threads == 1 || is_threaded((enum workload)i))
            m->workloads.items[m->workloads.count++] = workload_name(i);
}

static int check_options(micro *m) {
    for (size_t w = 0; w < m->workloads.count; ++w)
        if (m->threads > 1 && !is_threaded((enum workload)workload_find(m->workloads.items[w])))
            return command_fail(EXIT_USAGE, NAME, "--workload %s is for one thread",
                                m->workloads.items[w]);
    if (m->workloads.count == 0) default_workloads(m);
    contenders_name_backends(&m->backends);
    if (m->timers.count == 0) m->timers.items[m->timers.count++] = 1000000;
    for (size_t t = 0; t < m->timers.count; ++t)
        if (m->timers.items[t] < m->threads)
            return command_fail(EXIT_USAGE, NAME, "--timers: fewer than threads");
    return output_check(&m->out);
}

static int parse(micro *m, int argc, char **argv) {
    const option_entry entries[] = {
        { .name = "backend", .letter = 'b', .argument = "NAME", .kind = OPTION_NAMES,
          .help = "may be repeated; all that take locks",
          .into = &m->backends, .known = backends_name },
        { .name = "workload", .letter = 'w', .argument = "NAME", .help = "may be repeated; all",
          .kind = OPTION_NAMES, .into = &m->workloads, .known = workload_name },
        { .name = "timers", .letter = 'n', .argument = "N",
          .help = "timers pending; may be repeated; 1M", .kind = OPTION_COUNTS,
          .into = &m->timers, .min = 10, .max = 100000000 },
        { .name = "threads", .letter = 't', .argument = "N",
          .help = "each with a bucket and its share of the timers; 1", .kind = OPTION_COUNT,
          .into = &m->threads, .min = 1, .max = 256 },
        { .name = "ops", .argument = "N", .help = "operations of a repeat, of each thread; 500k",
          .kind = OPTION_COUNT, .into = &m->ops, .min = 1000, .max = 1000000000 },
        { .name = "repeats", .argument = "N", .help = "a figure is their median; 5",
          .kind = OPTION_COUNT, .into = &m->repeats, .min = 1, .max = REPEATS_MAX },
        { .name = "seed", .argument = "N", .help = "of all random numbers; 1",
          .kind = OPTION_COUNT, .into = &m->seed, .min = 1, .max = INT64_MAX },
        { .name = "peers", .argument = "DIR", .kind = OPTION_TEXT, .into = &m->peers,
          .help = "where tarry-peer-* are (none: no peers); beside this program" },
        OUTPUT_OPTIONS(&m->out),
    };
    const option_syntax syntax = {
        .command = PROGRAM " " NAME,
        .operands = "",
        .about =
            "Time operations with N timers pending, on tarry's backends and on other libraries\n"
            "(no locks), in virtual time. A backend is NAME, or NAME-tick with a tick of 1 ms (as\n"
            "wheel always has); with -nolock behind it a runtime for one thread. Workloads:\n"
            "  stop+add      stop a random timer and arm it again for 1 to 60 s\n"
            "  reset-later   reset a random timer to 60 s from now\n"
            "  reset-earlier reset a random timer to 15/16 of what is left\n"
            "  expire        N deadlines over 10 s in steps of 1 ms, ns for each firing\n"
            "  fifo          arm a timer for 60 s, stop the one armed 16 before\n"
            "  mixed         70 % reset later, 15 % stop+add, 15 % reset earlier\n"
            "  worst         the longest single stop, add, reset and expiry call\n"
            "  churn         10M arm+stop pairs on 1 timer and on N: does the memory come back?\n"
            "  mailbox       make, stop and free a timer with a mailbox on which nobody waits\n"
            "mean: ns of CPU an operation; floor: a random touch of 64 bytes in the same run (of\n"
            "mailbox: malloc and free), under one lock and unlock for who takes locks; ratio:\n"
            "mean / floor. p50 to max: single operations by the clock, in a pass of their own.\n",
        .examples =
            "  " PROGRAM " micro --backend heap --timers 1M --workload stop+add\n"
            "  " PROGRAM " micro --timers 1k --timers 100k --timers 1M --peers none --html out\n",
    };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, NULL);
}

static int run(int argc, char **argv) {
    micro m = { .threads = 1, .ops = 500000, .repeats = 5, .seed = 1, .out = { .command = NAME } };
    results r;
    int status = parse(&m, argc, argv);
    if (status != OPTIONS_GO) return status;
    if ((status = check_options(&m)) != EXIT_FINE) return status;
    results_init(&r, argc, argv, (uint64_t)m.seed);
    m.r = &r;
    progress_begin(&m.bar, count_steps(&m));
    play_all(&m);
    progress_end(&m.bar);
    status = output_write(&m.out, &r);
    results_free(&r);
    return status != EXIT_FINE ? status : m.status;
}

const command command_micro = { NAME, "standard workloads on backends and other libraries", run };
