#include "report/page.h"

#include "report/csv.h"
#include "report/file.h"
#include "report/plot.h"
#include "report/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_escaped(const char *text, FILE *file) {
    for (; *text != '\0'; ++text) {
        if (*text == '&') fputs("&amp;", file);
        else if (*text == '<') fputs("&lt;", file);
        else if (*text == '>') fputs("&gt;", file);
        else if (*text == '"') fputs("&quot;", file);
        else fputc(*text, file);
    }
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Timer structures compared</title>\n"
    "<style>\n"
    "body{font:15px/1.45 sans-serif;color:#222;background:#fff;max-width:1300px;margin:2em auto;"
    "padding:0 1em}\n"
    "table{border-collapse:collapse;margin:.6em 0}\n"
    "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd;"
    "font-variant-numeric:tabular-nums}\n"
    "th{border-bottom:2px solid #999}th:first-child,td:first-child{text-align:left}\n"
    "i{display:inline-block;width:.8em;height:.8em;margin-right:.4em}\n"
    "code,pre{background:#f4f4f4;padding:.1em .3em;white-space:pre-wrap}\n"
    ".small{color:#555;font-size:13px}.wide{overflow-x:auto}\n"
    "</style></head><body>\n<h1>Timer structures compared</h1>\n";

static const char legend[] =
    "<p class=\"small\"><b>mean</b>: time of one operation, the median of interleaved repeats; "
    "<b>floor</b>: a random touch of 64 bytes under one lock and unlock, in the same run; "
    "<b>ratio</b>: mean to floor (lateness: p50 to the bare futex wait's); "
    "<b>p50 to max</b>: of single operations, timed one by one in a pass of their own. "
    "Compare ratios of one run rather than times of two.</p>\n";

static void put_runs(const results *r, FILE *file) {
    fputs("<h2>Runs</h2>\n", file);
    for (size_t i = 0; i < r->run_count; ++i) {
        fputs("<pre class=\"small\">", file);
        put_escaped(r->runs[i].command, file);
        fprintf(file, "\nseed %llu\n", (unsigned long long)r->runs[i].seed);
        char *lines = NULL;
        size_t size;
        FILE *text = open_memstream(&lines, &size);
        if (text == NULL) abort();
        machine_print(&r->runs[i].machine, text);
        fclose(text);
        put_escaped(lines, file);
        free(lines);
        fputs("</pre>\n", file);
    }
}

static void put_table(const table *t, FILE *file) {
    char text[TABLE_CELL];
    fputs("<div class=\"wide\"><table><tr>", file);
    for (size_t c = 0; c < t->column_count; ++c) fprintf(file, "<th>%s</th>", table_heading(t, c));
    fputs("</tr>\n", file);
    for (size_t i = 0; i < t->member_count; ++i) {
        fprintf(file, "<tr>");
        for (size_t c = 0; c < t->column_count; ++c) {
            fputs("<td>", file);
            if (c == 0)
                fprintf(file, "<i style=\"background:%s\"></i>",
                        plot_colour(row_subject(&t->rows->items[t->members[i]])));
            put_escaped(table_cell(text, sizeof text, t, i, c), file);
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
    for (size_t i = 0; i < t->note_count; ++i) {
        fprintf(file, "<p class=\"small\">[%zu] ", i + 1);
        put_escaped(t->notes[i], file);
        fputs("</p>\n", file);
    }
}

static void put_plots(const table *t, bool *failed, FILE *file) {
    for (int kind = 0; kind < PLOT_KINDS; ++kind) {
        bool bad = false;
        char *svg = plot_table(t, (enum plot_kind)kind, &bad);
        if (svg != NULL) fputs(svg, file);
        if (bad) *failed = true;
        free(svg);
    }
}

static bool put_page(const results *r, FILE *file) {
    const bool plots = plot_available();
    bool failed = false;
    table t;
    size_t next = 0;
    fputs(head, file);
    if (!plots)
        fputs("<p><b>gnuplot is not installed: this page has no plots.</b> Install it (Debian: "
              "<code>gnuplot-nox</code>) and make the report again.</p>\n",
              file);
    fputs(legend, file);
    while (table_next(&t, &r->rows, &next)) {
        fputs("<h2>", file);
        put_escaped(t.workload, file);
        fputs("</h2>\n", file);
        put_table(&t, file);
        if (plots) put_plots(&t, &failed, file);
    }
    if (failed) fputs("<p><b>gnuplot failed: some plots are missing.</b></p>\n", file);
    put_runs(r, file);
    fputs("</body></html>\n", file);
    return fflush(file) == 0 && ferror(file) == 0;
}

static const struct {
    const char *name;
    bool (*put)(const results *r, FILE *file);
} parts[] = {
    { "results.json", results_write_json },
    { "results.csv", csv_write },
    { "index.html", put_page },
};

#define PARTS (sizeof parts / sizeof *parts)

const char *page_file(size_t i) {
    return i < PARTS ? parts[i].name : NULL;
}

/* False with errno set. */
static bool begin_part(file_writer *w, const char *folder, size_t i, const results *r) {
    char *path = file_join(folder, parts[i].name);
    if (path == NULL || !file_begin(w, path)) {
        free(path);
        return false;
    }
    free(path);
    if (parts[i].put(r, w->stream)) return true;
    file_abandon(w);
    return false;
}

/* All are written before the first takes its name, so that a full disk leaves an older report. */
bool page_write(const results *r, const char *folder, char *why, size_t size) {
    file_writer writers[PARTS];
    size_t begun = 0, done = 0;
    while (begun < PARTS && begin_part(&writers[begun], folder, begun, r)) ++begun;
    const bool all = begun == PARTS;
    while (all && done < PARTS && file_commit(&writers[done])) ++done;
    if (done == PARTS) return true;
    const size_t bad = all ? done : begun;
    snprintf(why, size, "%s/%s: cannot be written: %s", folder, parts[bad].name, strerror(errno));
    for (size_t i = all ? done + 1 : 0; i < begun; ++i) file_abandon(&writers[i]);
    return false;
}
