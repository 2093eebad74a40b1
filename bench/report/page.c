#include "report/page.h"

#include "report/colours.h"
#include "report/csv.h"
#include "report/file.h"
#include "report/gnuplot.h"
#include "report/pictures.h"
#include "report/table.h"
#include "report/verdict.h"

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
    "svg{max-width:100%;height:auto;display:block;margin:.8em 0}\n"
    ".verdict{background:#f4f7fb;border-left:4px solid #0b5fc7;padding:.5em 1em}\n"
    "</style></head><body>\n<h1>Timer structures compared</h1>\n";

static const char legend[] =
    "<p class=\"small\"><b>mean</b>: time of one operation, the median of interleaved repeats; "
    "<b>floor</b>: a random touch of 64 bytes under one lock and unlock, in the same run; "
    "<b>ratio</b>: mean to floor (lateness: p50 to the bare futex wait's); "
    "<b>p50 to max</b>: of single operations, timed one by one in a pass of their own. "
    "Compare ratios of one run rather than times of two. "
    "In pictures a backend has one colour, dashed without its lock; other libraries are thin."
    "</p>\n";

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
        const row *r = &t->rows->items[t->members[i]];
        fprintf(file, "<tr>");
        for (size_t c = 0; c < t->column_count; ++c) {
            fputs("<td>", file);
            if (c == 0)
                fprintf(file, "<i style=\"background:%s\"></i>",
                        look_of(row_subject(r), r->backend[0] == '\0').colour);
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

/* workload NULL: those of all together. */
static void put_pictures(const pictures *p, const char *workload, FILE *file) {
    for (size_t i = 0; i < p->count; ++i) {
        const picture *one = &p->items[i];
        const bool is_same = workload != NULL && one->workload != NULL &&
                             strcmp(one->workload, workload) == 0;
        if (is_same || (workload == NULL && one->workload == NULL)) fputs(one->svg, file);
    }
}

/* What verdict_write and verdict_write_all write to a stream. */
typedef bool sentence(const void *of, FILE *file);

static bool write_one(const void *of, FILE *file) {
    verdict_write(of, file);
    return true;
}

static bool write_all(const void *of, FILE *file) {
    return verdict_write_all(of, file);
}

static void put_sentence(sentence *write, const void *of, FILE *file) {
    char *text = NULL;
    size_t size;
    FILE *into = open_memstream(&text, &size);
    if (into == NULL) abort();
    const bool any = write(of, into);
    fclose(into);
    if (any) {
        fputs("<p class=\"verdict\">", file);
        put_escaped(text, file);
        fputs("</p>\n", file);
    }
    free(text);
}

static void put_verdicts(const rows *list, const char *workload, FILE *file) {
    verdict v;
    size_t next = 0;
    while (verdict_next(&v, list, &next))
        if (strcmp(v.workload, workload) == 0) put_sentence(write_one, &v, file);
}

/* What is not known about the pictures before they are made. */
typedef struct page {
    const results *results;
    pictures pictures;
    bool plots; /* gnuplot is here */
} page;

static void put_head(const page *p, FILE *file) {
    fputs(head, file);
    if (!p->plots)
        fputs("<p><b>gnuplot is not installed: this page has no plots.</b> Install it (Debian: "
              "<code>gnuplot-nox</code>) and make the report again.</p>\n",
              file);
    if (p->pictures.failed)
        fputs("<p><b>gnuplot failed: some plots are missing.</b></p>\n", file);
    fputs(legend, file);
}

static void put_page(const page *p, FILE *file) {
    const rows *list = &p->results->rows;
    table t;
    size_t next = 0;
    put_head(p, file);
    while (table_next(&t, list, &next)) {
        fputs("<h2>", file);
        put_escaped(t.workload, file);
        fputs("</h2>\n", file);
        put_verdicts(list, t.workload, file);
        put_pictures(&p->pictures, t.workload, file);
        put_table(&t, file);
    }
    put_pictures(&p->pictures, NULL, file);
    put_runs(p->results, file);
    put_sentence(write_all, list, file);
    fputs("</body></html>\n", file);
}

static const char *const parts[] = { "results.json", "results.csv", "index.html" };

#define PARTS (sizeof parts / sizeof *parts)

const char *page_file(size_t i) {
    return i < PARTS ? parts[i] : NULL;
}

/* Of the i-th file: the parts, then the pictures. */
static const char *name_of(const page *p, size_t i) {
    return i < PARTS ? parts[i] : p->pictures.items[i - PARTS].file;
}

static bool put(const page *p, size_t i, FILE *file) {
    if (i == 0) return results_write_json(p->results, file);
    if (i == 1) return csv_write(p->results, file);
    if (i == 2) put_page(p, file);
    else fputs(p->pictures.items[i - PARTS].svg, file);
    return fflush(file) == 0 && ferror(file) == 0;
}

/* False with errno set. */
static bool begin_file(file_writer *w, const char *folder, const page *p, size_t i) {
    char *path = file_join(folder, name_of(p, i));
    if (path == NULL || !file_begin(w, path)) {
        free(path);
        return false;
    }
    free(path);
    if (put(p, i, w->stream)) return true;
    file_abandon(w);
    return false;
}

/* All are written before the first takes its name, so that a full disk leaves an older report. */
static bool write_files(const page *p, const char *folder, file_writer *writers, char *why,
                        size_t size) {
    const size_t count = PARTS + p->pictures.count;
    size_t begun = 0, done = 0;
    while (begun < count && begin_file(&writers[begun], folder, p, begun)) ++begun;
    const bool all = begun == count;
    while (all && done < count && file_commit(&writers[done])) ++done;
    if (done == count) return true;
    snprintf(why, size, "%s/%s: cannot be written: %s", folder, name_of(p, all ? done : begun),
             strerror(errno));
    for (size_t i = all ? done + 1 : 0; i < begun; ++i) file_abandon(&writers[i]);
    return false;
}

bool page_write(const results *r, const char *folder, char *why, size_t size) {
    page p = { .results = r, .plots = gnuplot_available() };
    if (p.plots) pictures_make(&p.pictures, r);
    file_writer *writers = calloc(PARTS + p.pictures.count, sizeof *writers);
    if (writers == NULL) snprintf(why, size, "%s", strerror(errno));
    const bool good = writers != NULL && write_files(&p, folder, writers, why, size);
    free(writers);
    pictures_free(&p.pictures);
    return good;
}
