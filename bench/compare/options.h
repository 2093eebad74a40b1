/* Options of one command, as a table over getopt_long: parsing, range checks, the help text and the
 * messages for bad input come from it. Messages go to standard error and name the option, what was
 * given and what is allowed.
 *
 *     int64_t timers = 1000000;
 *     option_names workloads = { 0 };
 *     const option_entry entries[] = {
 *         { .name = "timers", .letter = 'n', .argument = "N", .help = "timers pending",
 *           .kind = OPTION_COUNT, .into = &timers, .min = 1, .max = 100000000 },
 *         { .name = "workload", .letter = 'w', .argument = "NAME", .help = "may be repeated",
 *           .kind = OPTION_NAMES, .into = &workloads, .known = workload_name },
 *     };
 *     const option_syntax syntax = { .command = PROGRAM " micro", .operands = "", .about = "...",
 *                                    .examples = "..." };
 *     int first; // of the operands in argv
 *     int status = options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv,
 *                                &first);
 *     if (status != OPTIONS_GO) return status; */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_GO (-1)       /* options_parse: all read, go on */
#define OPTIONS_MAX 24        /* entries of one command */
#define OPTION_NAMES_MAX 32   /* values of one repeated option */
#define OPTION_NO_LIMIT (-1)  /* option_syntax.operands_max */

enum option_kind {
    OPTION_FLAG,   /* into: bool */
    OPTION_COUNT,  /* into: int64_t, within min..max. 1000, 1k, 10M, 2G */
    OPTION_COUNTS, /* into: option_counts; may be given several times */
    OPTION_REAL,   /* into: double, within min..max */
    OPTION_TEXT,   /* into: const char *; not empty */
    OPTION_NAMES   /* into: option_names; may be given several times */
};

typedef struct option_names {
    const char *items[OPTION_NAMES_MAX];
    size_t count;
} option_names;

typedef struct option_counts {
    int64_t items[OPTION_NAMES_MAX];
    size_t count;
} option_counts;

/* The i-th allowed name, NULL past the last: an unknown one is refused with the list of all. */
typedef const char *option_known(size_t i);

typedef struct option_entry {
    const char *name;     /* long form, without the dashes */
    char letter;          /* short form; 0: none */
    const char *argument; /* its name in the help; NULL for a flag */
    const char *help;     /* one line */
    enum option_kind kind;
    void *into;
    int64_t min, max;    /* numbers */
    option_known *known; /* OPTION_NAMES and OPTION_TEXT; NULL: any text */
} option_entry;

typedef struct option_syntax {
    const char *command;  /* as it is typed: "tarry-compare micro" */
    const char *operands; /* "TRACE...", or "" */
    int operands_min, operands_max;
    const char *about;    /* some lines, each ended by \n */
    const char *examples; /* two lines, each ended by \n */
} option_syntax;

/* Read argv[1..]. OPTIONS_GO; or the status to end with: 0 after --help (printed), 2 after a
 * mistake (told). Operands may stand before, between or behind options; first_operand (may be
 * NULL) is the index of the first, the rest follow it. */
int options_parse(const option_syntax *syntax, const option_entry *entries, size_t count, int argc,
                  char **argv, int *first_operand);

/* A whole number with an optional k, M or G (powers of ten). False: not one, or out of range. */
bool options_count(int64_t *out, const char *text, int64_t min, int64_t max);

/* The known names as "a, b, c" in text. Returns text. */
const char *options_list(char *text, size_t size, option_known *known);

/* Is it one of the known names? */
bool options_is_known(const char *name, option_known *known);

#endif
