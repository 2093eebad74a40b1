/* tarry-compare import: a trace from an access log, a table, or the kernel's tracepoints. */
#include "compare/command.h"
#include "compare/options.h"
#include "trace/import.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "import"
#define TIMEOUT_MAX_NS (INT64_C(3650) * 24 * 3600 * NS_PER_S)

typedef struct import_options {
    const char *input, *output, *format, *timeout, *duration;
    bool force;
} import_options;

static const char *format_name(size_t i) {
    return import_at(i) != NULL ? import_at(i)->name : NULL;
}

static int parse_options(import_options *o, int argc, char **argv) {
    const option_entry entries[] = {
        { .name = "output", .letter = 'o', .argument = "TRACE", .kind = OPTION_TEXT,
          .into = &o->output, .help = "where the trace goes; gzip if it ends in .gz; - is stdout" },
        { .name = "format", .argument = "NAME", .kind = OPTION_TEXT, .into = &o->format,
          .known = format_name, .help = "what FILE is, if it is not told by itself" },
        { .name = "timeout", .argument = "TIME", .kind = OPTION_TEXT, .into = &o->timeout,
          .help = "a client's idle timeout (75s), a request's (60s)" },
        { .name = "duration", .argument = "RULE", .kind = OPTION_TEXT, .into = &o->duration,
          .help = "how long a table's request takes: 80ms, or Tokens*30ms+50ms" },
        { .name = "force", .kind = OPTION_FLAG, .into = &o->force,
          .help = "replace a trace that is there" },
    };
    const option_syntax syntax = {
        .command = PROGRAM " " NAME,
        .operands = "FILE",
        .operands_min = 1,
        .operands_max = 1,
        .about =
            "Make a trace for replay from what a server has recorded, plain or gzip.\n"
            "log     an access log: each client's idle timeout is armed by its first request,\n"
            "        armed again by the next ones, and fires when the client has gone\n"
            "table   CSV or TSV with a header and a time column: the same with a column for\n"
            "        the client, else each row is a request with a timeout, cancelled when\n"
            "        the request ends (a column `duration`, `latency_ms`, ..., or --duration)\n"
            "kernel  timer:* tracepoints as text, of tracefs, trace-cmd report, perf script\n"
            "Lines may be out of order by up to 262144 lines. Broken ones are skipped and\n"
            "counted, the first one is shown.\n",
        .examples = "  tarry-compare import access.log.gz --timeout 65s --output clients.csv.gz\n"
                    "  trace-cmd report | grep timer_ >timers.txt &&\n"
                    "      tarry-compare import timers.txt --output kernel.csv.gz\n",
    };
    int first = argc; /* stays so where there is nothing to do but help or complain */
    const int status =
        options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, &first);
    o->input = argv[first];
    return status;
}

/* The options that the parser takes as mere text. */
static int check_options(const import_options *o, import_job *job) {
    if (o->output == NULL)
        return command_fail(EXIT_USAGE, NAME, "where to? --output TRACE, or --output - for stdout");
    if (o->timeout != NULL && (!slice_duration(&job->timeout_ns, slice_of(o->timeout)) ||
                               job->timeout_ns <= 0 || job->timeout_ns > TIMEOUT_MAX_NS))
        return command_fail(EXIT_USAGE, NAME,
                            "--timeout: '%s' is no time above 0 such as 500ms, 75s, 2m",
                            o->timeout);
    job->duration = o->duration;
    return EXIT_FINE;
}

static const importer *choose(const import_options *o, import_job *job) {
    for (size_t i = 0; o->format != NULL && import_at(i) != NULL; ++i)
        if (strcmp(import_at(i)->name, o->format) == 0) return import_at(i);
    return import_detect(job);
}

static void print_summary(const import_options *o, const import_job *job, const importer *by) {
    FILE *file = strcmp(o->output, "-") == 0 ? stderr : stdout;
    fprintf(file, "%s: %s: %" PRId64 " lines used, %" PRId64 " skipped", o->input, by->what,
            job->used, job->skips.count);
    if (job->other > 0) fprintf(file, ", %" PRId64 " of other kinds", job->other);
    if (job->unsorted > 0) fprintf(file, ", %" PRId64 " put in order", job->unsorted);
    fprintf(file,
            "\n%s: %s: %" PRId64 " arms, %" PRId64 " re-arms, %" PRId64 " cancels, %" PRId64
            " firings in %.6g s\n",
            o->output, job->about, job->arms, job->rearms, job->cancels, job->firings,
            (double)(job->last_ns - job->first_ns) / NS_PER_S);
    if (job->note[0] != '\0') fprintf(file, "note: %s\n", job->note);
}

static int cannot(const char *name, const char *why) {
    return command_fail(EXIT_CANNOT, NAME, "%s: %s", name,
                        why == NULL ? "nothing in it could be used" : why);
}

static int cannot_write(const import_options *o, const char *why) {
    return cannot(strcmp(o->output, "-") == 0 ? "stdout" : o->output, why);
}

/* The trace would replace what it is made from. */
static bool is_onto_itself(const import_options *o) {
    struct stat in, out;
    return strcmp(o->output, "-") != 0 && stat(o->input, &in) == 0 && stat(o->output, &out) == 0 &&
           S_ISREG(out.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/* The input is open; write the output. */
static int convert(const import_options *o, import_job *job) {
    const importer *by = choose(o, job);
    if (by == NULL) return cannot(o->input, job->failure);
    if (!trace_create(&job->out, o->output, o->force))
        return cannot_write(o, errno == EEXIST ? "it is there already (--force replaces it)"
                                               : strerror(errno));
    const bool done = by->run(job);
    skips_print(&job->skips, PROGRAM " " NAME, o->input, stderr);
    if (!done || job->used == 0) {
        trace_abandon(job->out);
        return cannot(o->input, job->failure);
    }
    if (!trace_commit(job->out)) return cannot_write(o, strerror(errno));
    print_summary(o, job, by);
    return EXIT_FINE;
}

static int run(int argc, char **argv) {
    import_options o = { 0 };
    import_job job = { 0 };
    int status = parse_options(&o, argc, argv);
    if (status != OPTIONS_GO) return status;
    status = check_options(&o, &job);
    if (status != EXIT_FINE) return status;
    if (is_onto_itself(&o)) return cannot_write(&o, "it is the input");
    if (!lines_open(&job.in, o.input)) return cannot(o.input, strerror(errno));
    status = convert(&o, &job);
    lines_close(job.in);
    return status;
}

const command command_import = {
    .name = NAME,
    .help = "make a trace from an access log, a table, kernel tracepoints",
    .run = run,
};
