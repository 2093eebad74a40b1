#include "compare/output.h"

#include "compare/command.h"
#include "report/csv.h"
#include "report/file.h"
#include "report/gnuplot.h"
#include "report/page.h"
#include "report/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_stdout(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

/* A form on standard output has it alone. */
static bool stdout_is_taken(const output *out) {
    return is_stdout(out->json) || is_stdout(out->csv);
}

static int cannot_write(const output *out, const char *path) {
    return command_fail(EXIT_CANNOT, out->command, "%s: cannot be written: %s", path,
                        strerror(errno));
}

static int check_file(const output *out, const char *path) {
    if (path == NULL || is_stdout(path) || file_check(path)) return EXIT_FINE;
    return cannot_write(out, path);
}

static int check_folder(const output *out) {
    if (out->html == NULL) return EXIT_FINE;
    if (mkdir(out->html, 0777) != 0 && errno != EEXIST) return cannot_write(out, out->html);
    for (size_t i = 0; page_file(i) != NULL; ++i) {
        char *path = file_join(out->html, page_file(i));
        const bool good = path != NULL && file_check(path);
        if (!good) cannot_write(out, path != NULL ? path : out->html);
        free(path);
        if (!good) return EXIT_CANNOT;
    }
    return EXIT_FINE;
}

int output_check(const output *out) {
    if (is_stdout(out->json) && is_stdout(out->csv))
        return command_fail(EXIT_USAGE, out->command, "--json - and --csv - exclude each other");
    int status = check_file(out, out->json);
    if (status == EXIT_FINE) status = check_file(out, out->csv);
    if (status == EXIT_FINE) status = check_folder(out);
    return status;
}

/* Write one form of the results. */
typedef bool put(const results *r, FILE *file);

static int write_form(const output *out, const char *path, put *form, const results *r) {
    if (path == NULL) return EXIT_FINE;
    if (is_stdout(path)) return form(r, stdout) ? EXIT_FINE : cannot_write(out, "standard output");
    file_writer w;
    if (!file_begin(&w, path)) return cannot_write(out, path);
    if (!form(r, w.stream)) {
        file_abandon(&w);
        return cannot_write(out, path);
    }
    return file_commit(&w) ? EXIT_FINE : cannot_write(out, path);
}

int output_write_folder(const output *out, const results *r) {
    char why[256];
    if (!page_write(r, out->html, why, sizeof why))
        return command_fail(EXIT_CANNOT, out->command, "%s", why);
    if (!gnuplot_available())
        fprintf(stderr, PROGRAM " %s: gnuplot is not installed: the page has no plots\n",
                out->command);
    if (!stdout_is_taken(out)) printf("\n%s/index.html\n", out->html);
    return EXIT_FINE;
}

int output_write(const output *out, const results *r) {
    if (!stdout_is_taken(out)) results_print(r, stdout);
    int status = write_form(out, out->json, results_write_json, r);
    const int csv = write_form(out, out->csv, csv_write, r);
    if (status == EXIT_FINE) status = csv;
    const int folder = out->html != NULL ? output_write_folder(out, r) : EXIT_FINE;
    if (!stdout_is_taken(out)) verdict_print(&r->rows, stdout);
    return status == EXIT_FINE ? folder : status;
}
