/* Where a command's results go: the table on standard output, and the files that were asked for.
 * Files are written whole or not at all (report/file.h). With `-` as a file, standard output gets
 * that form instead of the table. */
#ifndef COMPARE_OUTPUT_H
#define COMPARE_OUTPUT_H

#include "compare/options.h"
#include "report/results.h"

typedef struct output {
    const char *command; /* for messages; static */
    const char *json;    /* FILE, "-", or NULL */
    const char *csv;
    const char *html; /* a folder, or NULL */
} output;

/* Three lines of a command's option table. */
#define OUTPUT_OPTIONS(out)                                                                 \
    { .name = "json", .argument = "FILE", .help = "write the results as JSON (-: stdout)",  \
      .kind = OPTION_TEXT, .into = &(out)->json },                                          \
    { .name = "csv", .argument = "FILE", .help = "write the results as CSV (-: stdout)",    \
      .kind = OPTION_TEXT, .into = &(out)->csv },                                           \
    { .name = "html", .argument = "DIR", .help = "write index.html with plots, results.*",  \
      .kind = OPTION_TEXT, .into = &(out)->html }

/* Before anything is measured: can each target be written? Makes the html folder. EXIT_FINE;
 * EXIT_USAGE (told): two results for standard output; EXIT_CANNOT (told). */
int output_check(const output *out);

/* Print and write; the verdict comes last. EXIT_FINE or EXIT_CANNOT (told). */
int output_write(const output *out, const results *r);
/* The html folder alone; prints the name of its page. */
int output_write_folder(const output *out, const results *r);

#endif
