/* The commands of tarry-compare, one table. To add one: define a `const command command_NAME` in a
 * file of yours, declare it below, add one line to the table in command.c, and your file to
 * bench/CMakeLists.txt. The program's --help and its "unknown command" message come from the table.
 *
 * A command reads its options with compare/options.h, makes its rows (report/row.h), and hands them
 * to compare/output.h, which prints the table and writes what --json, --csv and --html ask for:
 *
 *     output out = OUTPUT_NONE;
 *     const option_entry entries[] = { ..., OUTPUT_OPTIONS(&out) };
 *     int status = options_parse(&syntax, entries, count, argc, argv, &first_operand);
 *     if (status != OPTIONS_GO) return status;
 *     if ((status = output_check(&out)) != EXIT_FINE) return status;   refuse before measuring
 *     results r; results_init(&r, argc, argv, seed);
 *     ... rows_add(&r.rows, &row) ...
 *     status = output_write(&out, &r);
 *     results_free(&r);
 *     return failed ? EXIT_CHECK : status; */
#ifndef COMPARE_COMMAND_H
#define COMPARE_COMMAND_H

#include <stddef.h>

#define PROGRAM "tarry-compare"

/* What every command answers. */
enum {
    EXIT_FINE = 0,
    EXIT_CHECK = 1, /* it ran, and a check failed: a timer fired early, backends disagree, ... */
    EXIT_USAGE = 2,
    EXIT_CANNOT = 3 /* it cannot run here: a file, memory, a program that is missing */
};

typedef struct command {
    const char *name;
    const char *help; /* one line of `tarry-compare --help`, at most 60 characters */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
} command;

extern const command command_micro;
extern const command command_lateness;
extern const command command_replay;
extern const command command_import;
extern const command command_record;
extern const command command_report;

/* The i-th command, or NULL past the last. */
const command *command_at(size_t i);
/* The command of that name, or NULL. */
const command *command_find(const char *name);

/* "tarry-compare COMMAND: ", a message and a new line on standard error. Returns `status`, so that
 * a caller can write: return command_fail(EXIT_CANNOT, "replay", "%s: %s", path, why); */
int command_fail(int status, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
