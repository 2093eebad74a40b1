/* tarry-locks: the runtime's lock beside pthread_mutex, in the situations that a timer's lock meets.
 * In each repeat every lock is measured once, one after the other, so that the ratio of two figures
 * is of the same moment; a ratio is the median of the repeats' ratios. */
#include "compare/command.h"
#include "compare/options.h"
#include "compare/progress.h"
#include "locks/crowd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "tarry-locks"
#define REPEATS_MAX 101

typedef struct settings {
    option_counts threads;
    int64_t span_ms, repeats;
} settings;

typedef struct figures {
    double turn_ns[LOCK_KINDS][REPEATS_MAX];
    histogram waits[LOCK_KINDS];
} figures;

static const char *const kind_names[] = { "mutex", "adaptive", "tarry" };

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. */
static double median(double *values, int64_t count) {
    qsort(values, (size_t)count, sizeof *values, compare_reals);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static int parse(settings *s, int argc, char **argv) {
    const option_entry entries[] = {
        { .name = "threads", .letter = 't', .argument = "N",
          .help = "threads of a crowd; may be repeated; 2, 4, 8, 16", .kind = OPTION_COUNTS,
          .into = &s->threads, .min = 2, .max = 256 },
        { .name = "span", .argument = "MS", .help = "of each measurement; 50", .min = 1,
          .kind = OPTION_COUNT, .into = &s->span_ms, .max = 10000 },
        { .name = "repeats", .argument = "N", .help = "a figure is their median; 5", .min = 1,
          .kind = OPTION_COUNT, .into = &s->repeats, .max = REPEATS_MAX },
    };
    const option_syntax syntax = {
        .command = NAME,
        .operands = "",
        .about =
            "Time the lock of tarry's runtime beside pthread_mutex, default and adaptive, for\n"
            "threads that take it, count, and give it back, each on a core of its own as far as\n"
            "there are cores:\n"
            "  uncontended      one thread\n"
            "  own locks        each thread has its own lock\n"
            "  one lock, short  all at one lock, which is held for a few ns\n"
            "  one lock, 1 us   the same, held for 1 us, and 1 us between\n"
            "  4 threads a core both again with more threads than cores, so that holders are\n"
            "                   preempted\n"
            "  a holder sleeps  one thread more holds the lock for 200 us of each ms\n"
            "ns/pair: of the clock, for each lock and unlock of all threads together. ratio: to\n"
            "mutex in the same repeat. p99 and longest: what a take lasted, in runs of their own.\n",
        .examples = "  " NAME "\n"
                    "  " NAME " --threads 8 --span 200 --repeats 11\n",
    };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, NULL);
}

static bool measure(const settings *s, const scene *at, figures *f) {
    const int64_t span_ns = s->span_ms * 1000000;
    for (int64_t k = 0; k < s->repeats; ++k)
        for (int kind = 0; kind < LOCK_KINDS; ++kind) {
            f->turn_ns[kind][k] = crowd_run(at, (enum lock_kind)kind, span_ns, NULL);
            if (isnan(f->turn_ns[kind][k])) return false;
            if (!at->shared) continue;
            if (isnan(crowd_run(at, (enum lock_kind)kind, span_ns, &f->waits[kind]))) return false;
        }
    return true;
}

static void print_waits(const histogram *waits) {
    if (waits->count == 0) printf(" %12s %12s\n", "-", "-");
    else
        printf(" %9.2f us %9.2f us\n", (double)histogram_percentile(waits, 0.99) / 1000,
               (double)waits->max / 1000);
}

static void print_figures(const settings *s, const scene *at, figures *f) {
    double ratios[LOCK_KINDS][REPEATS_MAX];
    for (int kind = 0; kind < LOCK_KINDS; ++kind)
        for (int64_t k = 0; k < s->repeats; ++k)
            ratios[kind][k] = f->turn_ns[kind][k] / f->turn_ns[LOCK_MUTEX][k];
    for (int kind = 0; kind < LOCK_KINDS; ++kind) {
        printf("%-24s %7lld %-9s %9.3g %6.2f", at->name, (long long)at->threads, kind_names[kind],
               median(f->turn_ns[kind], s->repeats), median(ratios[kind], s->repeats));
        print_waits(&f->waits[kind]);
    }
}

static int play(const settings *s, const scene *at, figures *f) {
    int status = EXIT_FINE;
    for (int kind = 0; kind < LOCK_KINDS; ++kind)
        if (histogram_init(&f->waits[kind]) != 0) status = EXIT_CANNOT;
    if (status != EXIT_FINE) fprintf(stderr, NAME ": no memory\n");
    else if (measure(s, at, f)) print_figures(s, at, f);
    else status = EXIT_CHECK;
    for (int kind = 0; kind < LOCK_KINDS; ++kind) histogram_free(&f->waits[kind]);
    return status;
}

static int play_all(const settings *s) {
    static scene scenes[SCENES_MAX];
    static figures f;
    progress bar;
    const size_t count = scenes_make(scenes, &s->threads);
    int status = EXIT_FINE;
    crowd_calibrate();
    printf("%-24s %7s %-9s %9s %6s %12s %12s\n", "", "threads", "lock", "ns/pair", "ratio",
           "p99 wait", "longest wait");
    progress_begin(&bar, (int64_t)count);
    for (size_t i = 0; i < count && status == EXIT_FINE; ++i) {
        progress_step(&bar, (int64_t)i, scenes[i].name);
        memset(&f, 0, sizeof f);
        status = play(s, &scenes[i], &f);
    }
    progress_end(&bar);
    return status;
}

int main(int argc, char **argv) {
    settings s = { .span_ms = 50, .repeats = 5 };
    static const option_counts usual = { .items = { 2, 4, 8, 16 }, .count = 4 };
    int status = parse(&s, argc, argv);
    if (s.threads.count == 0) s.threads = usual;
    if (status == OPTIONS_GO) status = play_all(&s);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != EXIT_USAGE) {
        fprintf(stderr, NAME ": standard output: %s\n", strerror(errno != 0 ? errno : EIO));
        return EXIT_CANNOT;
    }
    return status;
}
