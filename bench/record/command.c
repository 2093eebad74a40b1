/* tarry-compare record: the timers of a program that uses libuv, libevent or libev, as a trace. */
#include "compare/command.h"
#include "compare/options.h"
#include "record/collect.h"
#include "record/part.h"
#include "record/run.h"
#include "report/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "record"
#define SHIM "tarry-record.so"

typedef struct recording {
    const char *output;
    bool force;
    char *folder; /* of the parts, beside the output */
    unsigned traces;
    bool kept; /* a part that could not be made a trace: the folder stays */
} recording;

static int parse_options(recording *r, int argc, char **argv, int *first) {
    const option_entry entries[] = {
        { .name = "output", .letter = 'o', .argument = "TRACE", .kind = OPTION_TEXT,
          .into = &r->output,
          .help = "where the trace goes (trace.csv.gz); gzip if it ends in .gz" },
        { .name = "force", .kind = OPTION_FLAG, .into = &r->force,
          .help = "replace a trace that is there" },
    };
    const option_syntax syntax = {
        .command = PROGRAM " " NAME,
        .operands = "-- COMMAND [ARGUMENT]...",
        .operands_min = 1,
        .operands_max = OPTION_NO_LIMIT,
        .about =
            "Run a program as it is, and record what it does with its timers, for replay.\n"
            "It has to use one of these as a shared library: " RECORD_LIBRARIES ".\n"
            "Each process that arms a timer has a trace of its own: the first TRACE.csv.gz, the\n"
            "next TRACE.2.csv.gz. What is left running when the command has ended, a daemon\n"
            "say, is waited for. SIGINT and SIGTERM are passed on. What was recorded is kept\n"
            "however the program ends.\n"
            "Exit status: the command's; 127, 126 if it cannot be started; 3 if the trace\n"
            "cannot be written.\n",
        .examples = "  tarry-compare record --output dns.csv.gz -- named -g -c named.conf\n"
                    "  tarry-compare replay dns.csv.gz --replicate 100\n",
    };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, first);
}

/* --- before ----------------------------------------------------------------------------------- */

/* Preload the shim, which lies beside this program, before what is preloaded already. */
static int set_preload(void) {
    char own[4096] = "", list[8192];
    const char *others = getenv("LD_PRELOAD");
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - sizeof SHIM - 1);
    char *slash = length > 0 ? strrchr(own, '/') : NULL;
    if (slash == NULL) return command_fail(EXIT_CANNOT, NAME, "/proc is not there");
    memcpy(slash + 1, SHIM, sizeof SHIM);
    if (access(own, R_OK) != 0)
        return command_fail(EXIT_CANNOT, NAME, "%s: %s (it is built with " PROGRAM
                            " where libuv, libevent or libev have their headers)",
                            own, strerror(errno));
    if (strpbrk(own, " :") != NULL)
        return command_fail(EXIT_CANNOT, NAME, "%s: cannot be preloaded from a folder with a space"
                            " or a colon in its name", own);
    const bool more = others != NULL && *others != '\0';
    const int size = snprintf(list, sizeof list, "%s%s%s", own, more ? ":" : "",
                              more ? others : "");
    if (size < 0 || (size_t)size >= sizeof list || setenv("LD_PRELOAD", list, 1) != 0)
        return command_fail(EXIT_CANNOT, NAME, "LD_PRELOAD cannot be set");
    return EXIT_FINE;
}

/* A program that changes its user has to find the folder open. */
static bool make_folder(recording *r) {
    char *path;
    if (asprintf(&path, "%s.XXXXXX", r->output) < 0) return false;
    if (mkdtemp(path) != NULL && (geteuid() != 0 || chmod(path, 01777) == 0))
        r->folder = realpath(path, NULL);
    free(path);
    return r->folder != NULL && setenv(RECORD_FOLDER, r->folder, 1) == 0;
}

static int prepare(recording *r) {
    struct stat found;
    if (!r->force && stat(r->output, &found) == 0)
        return command_fail(EXIT_CANNOT, NAME, "%s: it is there already (--force replaces it)",
                            r->output);
    const int status = set_preload();
    if (status != EXIT_FINE) return status;
    if (!file_check(r->output) || !make_folder(r))
        return command_fail(EXIT_CANNOT, NAME, "%s: %s", r->output, strerror(errno));
    return EXIT_FINE;
}

/* --- after ------------------------------------------------------------------------------------ */

/* Is that file in the folder? It is taken away. */
static bool take_mark(const recording *r, const char *file) {
    char *path = file_join(r->folder, file);
    const bool found = path != NULL && unlink(path) == 0;
    free(path);
    return found;
}

static void print_counts(const char *trace, const collected *c) {
    for (size_t i = 0; i < COLLECT_LIBRARIES && c->counts[i].library[0] != '\0'; ++i)
        fprintf(stderr, "%s: %s: %" PRId64 " arms, %" PRId64 " re-arms, %" PRId64 " cancels, %"
                        PRId64 " firings in %.6g s\n",
                trace, c->counts[i].library, c->counts[i].arms, c->counts[i].rearms,
                c->counts[i].cancels, c->counts[i].firings, (double)c->length_ns / 1e9);
    if (c->broken > 0)
        fprintf(stderr, "%s: %" PRId64 " broken lines left out\n", trace, c->broken);
}

static int collect_one(recording *r, const char *part, unsigned n) {
    collected c;
    char *trace = collect_name(r->output, n);
    if (trace != NULL && collect_part(&c, part, trace, r->force)) {
        if (c.lines > 0) ++r->traces;
        print_counts(trace, &c);
        unlink(part);
        free(trace);
        return EXIT_FINE;
    }
    r->kept = true;
    command_fail(EXIT_CANNOT, NAME, "%s: %s; what was recorded is in %s",
                 trace != NULL ? trace : r->output, strerror(errno), part);
    free(trace);
    return EXIT_CANNOT;
}

static int collect_all(recording *r) {
    int status = EXIT_FINE;
    for (unsigned n = 1; ; ++n) {
        char number[16];
        snprintf(number, sizeof number, "%u", n);
        char *part = file_join(r->folder, number);
        const bool found = part != NULL && access(part, F_OK) == 0;
        if (found && collect_one(r, part, n) != EXIT_FINE) status = EXIT_CANNOT;
        free(part);
        if (!found) return status;
    }
}

static void tell_next(const recording *r, bool loaded, bool stopped) {
    if (stopped)
        command_fail(0, NAME, "a trace is not complete: the disk is full, or the program may"
                     " write no larger file");
    if (r->traces > 0)
        fprintf(stderr, "next: " PROGRAM " replay %s\n", r->output);
    else if (!loaded)
        command_fail(0, NAME, "nothing was recorded: no process loaded the recorder. Is the"
                     " program statically linked, or setuid?");
    else if (!r->kept && !stopped)
        command_fail(0, NAME, "nothing was recorded: the program armed no timer of "
                     RECORD_LIBRARIES ". It uses none of them, or has a copy of its own built in");
}

static int finish(recording *r, int status) {
    const bool loaded = take_mark(r, RECORD_LOADED), stopped = take_mark(r, RECORD_STOPPED);
    const int gathered = collect_all(r);
    tell_next(r, loaded, stopped);
    if (!r->kept) rmdir(r->folder);
    return gathered != EXIT_FINE ? gathered : status;
}

static int run(int argc, char **argv) {
    recording r = { .output = "trace.csv.gz" };
    int first, error;
    int status = parse_options(&r, argc, argv, &first);
    if (status != OPTIONS_GO) return status;
    status = prepare(&r);
    if (status == EXIT_FINE) {
        status = run_and_wait(argv + first, &error);
        if (error == 0) {
            status = finish(&r, status);
        } else {
            rmdir(r.folder);
            command_fail(status, NAME, "%s: %s", argv[first], strerror(error));
        }
    }
    free(r.folder);
    return status;
}

const command command_record = {
    .name = NAME,
    .help = "the timers of a program on libuv, libevent or libev",
    .run = run,
};
