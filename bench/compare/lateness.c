/* `lateness`: how late timers fire in real time, beside a bare futex wait to the same deadlines.
 * Contenders take turns, a segment each. */
#include "compare/command.h"
#include "compare/contenders.h"
#include "compare/idle.h"
#include "compare/output.h"
#include "compare/progress.h"
#include "workload/backends.h"

#include <string.h>

#define NAME "lateness"
#define GAP_NS 5000000 /* mean time between two deadlines */
#define FUTEX 0        /* its place among the contenders */

typedef struct late {
    option_names backends;
    int64_t timers, repeats, seed, idle_s;
    const char *peers;
    output out;
} late;

static int play(contenders *list, const late *l, progress *bar) {
    int64_t step = 0;
    for (int64_t k = 0; k < l->repeats; ++k)
        for (size_t i = 0; i < list->count; ++i) {
            contender *c = &list->items[i];
            rows none = { 0 };
            progress_step(bar, step++, c->name);
            if (!c->ops->play(c->player, PASS_MEAN, &none)) return EXIT_CHECK;
        }
    return EXIT_FINE;
}

/* Its row, with the ratio to the futex's. */
static int add_row(contender *c, const char *workload, const row *futex, rows *out) {
    char text[sizeof futex->note];
    rows got = { 0 };
    if (!c->ops->play(c->player, PASS_DETAIL, &got) || got.count != 1) return EXIT_CHECK;
    row r = got.items[0];
    rows_free(&got);
    snprintf(r.workload, sizeof r.workload, "%s", workload);
    if (futex != NULL && !isnan(r.late_p50_us)) {
        r.ratio = r.late_p50_us / futex->late_p50_us;
        memcpy(text, r.note, sizeof text);
        row_note(&r, "%s%sp99 %.3g x the futex wait's", text, text[0] != '\0' ? "; " : "",
                 r.late_p99_us / futex->late_p99_us);
    }
    rows_add(out, &r);
    if (c->is_peer || r.early == 0) return EXIT_FINE;
    return command_fail(EXIT_CHECK, NAME, "check failed: %s fired early %lld times of %lld",
                        c->name, (long long)r.early, (long long)r.ops);
}

static int add_rows(contenders *list, rows *out) {
    int status = add_row(&list->items[FUTEX], "lateness/callback", NULL, out);
    if (status != EXIT_FINE) return status;
    const row futex = out->items[out->count - 1];
    for (int mailboxes = 0; mailboxes < 2; ++mailboxes) {
        const char *workload = mailboxes ? "lateness/mailbox" : "lateness/callback";
        if (mailboxes) {
            row again = futex;
            snprintf(again.workload, sizeof again.workload, "%s", workload);
            rows_add(out, &again);
        }
        for (size_t i = FUTEX + 1; i < list->count; ++i) {
            contender *c = &list->items[i];
            if ((c->ops == &mailbox_player) != mailboxes) continue;
            const int one = add_row(c, workload, &futex, out);
            if (one > status) status = one;
        }
    }
    return status;
}

static int measure(const late *l, rows *out) {
    contenders list = { 0 };
    progress bar;
    const player_spec like = { .workload = WORKLOAD_LATENESS, .timers = l->timers, .threads = 1,
                               .ops = l->timers * GAP_NS, .seed = (uint64_t)l->seed };
    contenders_add(&list, "futex", &futex_player, false);
    contenders_add_backends(&list, &l->backends, &callback_player);
    contenders_add_backends(&list, &l->backends, &mailbox_player);
    contenders_add_peers(&list, l->peers, WORKLOAD_LATENESS, true);
    int status = contenders_open(&list, &like) ? EXIT_FINE : EXIT_CANNOT;
    if (status == EXIT_FINE) {
        progress_begin(&bar, l->repeats * (int64_t)list.count);
        status = play(&list, l, &bar);
        progress_end(&bar);
    }
    if (status == EXIT_FINE) status = add_rows(&list, out);
    contenders_close(&list);
    return status;
}

static int parse(late *l, int argc, char **argv) {
    const option_entry entries[] = {
        { .name = "backend", .letter = 'b', .argument = "NAME", .help = "may be repeated; all",
          .kind = OPTION_NAMES, .into = &l->backends, .known = backends_locked_name },
        { .name = "timers", .letter = 'n', .argument = "N",
          .help = "of a segment, 5 ms apart on average; 50", .kind = OPTION_COUNT,
          .into = &l->timers, .min = 1, .max = 1000 },
        { .name = "repeats", .argument = "N", .help = "segments of each contender; 16",
          .kind = OPTION_COUNT, .into = &l->repeats, .min = 1, .max = 100000 },
        { .name = "idle", .argument = "SECONDS", .kind = OPTION_COUNT, .into = &l->idle_s,
          .help = "instead: does a runtime wake whose timer is an hour away?", .min = 1,
          .max = 3000 },
        { .name = "seed", .argument = "N", .help = "of all random numbers; 1",
          .kind = OPTION_COUNT, .into = &l->seed, .min = 1, .max = INT64_MAX },
        { .name = "peers", .argument = "DIR", .kind = OPTION_TEXT, .into = &l->peers,
          .help = "where tarry-peer-* are (none: no peers); beside this program" },
        OUTPUT_OPTIONS(&l->out),
    };
    const option_syntax syntax = {
        .command = PROGRAM " " NAME,
        .operands = "",
        .about =
            "Tell how late timers fire in real time: random deadlines, by a bare futex wait (what\n"
            "this machine can do), by tarry as callbacks in the timerproc and as messages to\n"
            "threads that wait for them, and by other libraries. ratio: p50 to the futex wait's;\n"
            "wakeups: voluntary context switches of the process. Exit status 1 if tarry fired\n"
            "early, or woke while idle.\n",
        .examples =
            "  " PROGRAM " lateness --backend heap --repeats 40\n"
            "  " PROGRAM " lateness --idle 10\n",
    };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, NULL);
}

static int run(int argc, char **argv) {
    late l = { .timers = 50, .repeats = 16, .seed = 1, .out = { .command = NAME } };
    results r;
    int status = parse(&l, argc, argv);
    if (status != OPTIONS_GO) return status;
    if ((status = output_check(&l.out)) != EXIT_FINE) return status;
    contenders_name_backends(&l.backends);
    results_init(&r, argc, argv, (uint64_t)l.seed);
    status = l.idle_s > 0 ? idle_measure(&l.backends, l.idle_s, &r.rows) : measure(&l, &r.rows);
    const int written = status == EXIT_CANNOT ? EXIT_CANNOT : output_write(&l.out, &r);
    results_free(&r);
    return written != EXIT_FINE ? written : status;
}

const command command_lateness = { NAME, "how late timers fire, beside a bare futex wait", run };
