/* tarry-compare replay: a trace on every backend. */
#include "compare/command.h"
#include "compare/contenders.h"
#include "compare/options.h"
#include "compare/output.h"
#include "trace/contest.h"
#include "workload/backends.h"

#include <inttypes.h>
#include <string.h>

#define NAME "replay"
/* More copies are played beside those asked for, to see where the order changes, as long as that
 * takes a few seconds. */
#define SCAN_STEP 4
#define SCAN_COPIES 64
#define SCAN_OPS 4000000

typedef struct replay_options {
    option_names backends;
    int64_t replicate, seed, tick_ns;
    double speed;
    const char *tick;
    output out;
} replay_options;

static int parse_options(replay_options *o, int argc, char **argv, int *first) {
    const option_entry entries[] = {
        { .name = "backend", .letter = 'b', .argument = "NAME", .kind = OPTION_NAMES,
          .into = &o->backends, .known = backends_name,
          .help = "may be repeated; all that take locks" },
        { .name = "replicate", .argument = "K", .kind = OPTION_COUNT, .into = &o->replicate,
          .min = 1, .max = 1000000,
          .help = "play K copies, each shifted by a random part of the length" },
        { .name = "speed", .argument = "S", .kind = OPTION_REAL, .into = &o->speed, .min = 0,
          .max = 1000000, .help = "S times as many operations a second, delays as they are" },
        { .name = "tick", .argument = "TIME", .kind = OPTION_TEXT, .into = &o->tick,
          .help = "of backends that have one (1ms)" },
        { .name = "seed", .argument = "N", .kind = OPTION_COUNT, .into = &o->seed, .min = 0,
          .max = INT64_MAX, .help = "of the random shifts (1)" },
        OUTPUT_OPTIONS(&o->out),
    };
    const option_syntax syntax = {
        .command = PROGRAM " " NAME,
        .operands = "TRACE...",
        .operands_min = 1,
        .operands_max = OPTION_NO_LIMIT,
        .about =
            "Play what a program did with its timers on each backend, in virtual time, as fast\n"
            "as it goes: ns an operation, memory, and whether all fired the same timers.\n"
            "A trace is CSV, plain or gzip: t_ns,op,id,delay_ns,class with op A (arm), R (arm\n"
            "again), C (cancel), F (fired); `tarry-compare import` makes one, and\n"
            "TARRY_TRACE=FILE makes any program that uses tarry record one. The mean is over all\n"
            "operations and firings; p50 to max come from a pass in which each is timed.\n"
            "B/timer: bytes held at the most, for each timer that existed at the most.\n"
            "--speed divides the time between operations and leaves delays as they are.\n"
            "A short trace is also played in 4, 16 and 64 times as many copies. The last line is\n"
            "the verdict: the fastest, by how much, and where the order changes.\n"
            "Exit status 1 if a check fails.\n",
        .examples =
            "  tarry-compare replay bench/traces/nginx-access.csv.gz --replicate 100\n"
            "  tarry-compare replay mine.csv.gz --backend wheel --tick 10ms --json mine.json\n",
    };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, first);
}

static int check_options(replay_options *o) {
    if (o->speed <= 0) return command_fail(EXIT_USAGE, NAME, "--speed: has to be more than 0");
    if (o->tick != NULL && (!slice_duration(&o->tick_ns, slice_of(o->tick)) || o->tick_ns <= 0))
        return command_fail(EXIT_USAGE, NAME, "--tick: '%s' is no time above 0 such as 500us, 1ms",
                            o->tick);
    contenders_name_backends(&o->backends);
    if (o->backends.count > CONTEST_BACKENDS)
        return command_fail(EXIT_USAGE, NAME, "--backend: given too often");
    return output_check(&o->out);
}

/* Where text beside the results goes. */
static FILE *text_file(const replay_options *o) {
    const bool taken = (o->out.json != NULL && strcmp(o->out.json, "-") == 0) ||
                       (o->out.csv != NULL && strcmp(o->out.csv, "-") == 0);
    return taken ? stderr : stdout;
}

static int run_contest(contest *c, const replay_options *o, int64_t replicate, results *r) {
    progress bar;
    const char *why;
    for (size_t i = 0; i < o->backends.count; ++i)
        if (!contest_add(c, o->backends.items[i], o->tick_ns, replicate, o->speed,
                         (uint64_t)o->seed))
            return command_fail(EXIT_CANNOT, NAME, "%s: cannot be made, with a tick of %lld ns or"
                                " without", o->backends.items[i], (long long)o->tick_ns);
    if (!contest_run(c, &bar, &why))
        return command_fail(EXIT_CANNOT, NAME, "%s: %s", c->plan->name, why);
    contest_rows(c, &r->rows);
    return EXIT_FINE;
}

static int tell_check(const contest *c) {
    if (contest_agrees(c)) return EXIT_FINE;
    return command_fail(EXIT_CHECK, NAME, "%s: the check failed, see above", c->plan->name);
}

static int scan_copies(const replay_options *o, const plan *p, results *r) {
    int status = EXIT_FINE;
    for (int64_t step = SCAN_STEP; step <= SCAN_COPIES && status == EXIT_FINE; step *= SCAN_STEP) {
        const int64_t replicate = o->replicate * step;
        if ((int64_t)p->count > SCAN_OPS / replicate) break;
        contest c = { .plan = p, .means_only = true };
        status = run_contest(&c, o, replicate, r);
        if (status != EXIT_FINE || contest_agrees(&c)) continue;
        fprintf(text_file(o), "%" PRId64 " copies:\n", replicate);
        contest_print(&c, text_file(o));
        status = tell_check(&c);
    }
    return status;
}

static int replay_plan(const replay_options *o, const plan *p, results *r) {
    contest c = { .plan = p };
    if ((double)p->length_ns / o->speed > (double)TRACE_T_MAX)
        return command_fail(EXIT_USAGE, NAME, "--speed: so slow that time comes to its end");
    int status = run_contest(&c, o, o->replicate, r);
    if (status != EXIT_FINE) return status;
    plan_print(p, text_file(o));
    contest_print(&c, text_file(o));
    status = tell_check(&c);
    return status == EXIT_FINE ? scan_copies(o, p, r) : status;
}

static int replay_file(const replay_options *o, const char *path, results *r) {
    const char *why;
    plan p;
    if (!plan_load(&p, path, &why)) {
        skips_print(&p.skips, PROGRAM " " NAME, path, stderr);
        return command_fail(EXIT_CANNOT, NAME, "%s: %s", path, why);
    }
    skips_print(&p.skips, PROGRAM " " NAME, path, stderr);
    const int status = replay_plan(o, &p, r);
    plan_free(&p);
    return status;
}

/* A trace that cannot be played does not keep the others from being written. */
static int worse(int a, int b) {
    return a > b ? a : b;
}

static int run(int argc, char **argv) {
    replay_options o = { .replicate = 1, .speed = 1, .seed = 1, .tick_ns = 1000000,
                         .out = { .command = NAME } };
    results r;
    int first;
    int status = parse_options(&o, argc, argv, &first);
    if (status != OPTIONS_GO) return status;
    status = check_options(&o);
    if (status != EXIT_FINE) return status;
    results_init(&r, argc, argv, (uint64_t)o.seed);
    for (int i = first; i < argc; ++i) status = worse(status, replay_file(&o, argv[i], &r));
    if (r.rows.count > 0) status = worse(status, output_write(&o.out, &r));
    results_free(&r);
    return status;
}

const command command_replay = {
    .name = NAME,
    .help = "play a trace on every backend",
    .run = run,
};
