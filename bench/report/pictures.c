#include "report/pictures.h"

#include "report/draw.h"
#include "report/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TITLE 128

static bool has_file(const pictures *p, const char *file) {
    for (size_t i = 0; i < p->count; ++i)
        if (strcmp(p->items[i].file, file) == 0) return true;
    return false;
}

/* "stop+add", "latency": stop-add-latency.svg. Two workloads may come out alike: then a number. */
static void name_file(const pictures *p, char *file, size_t size, const char *workload,
                      const char *what) {
    char plain[72];
    size_t length = 0;
    for (; workload[length] != '\0' && length + 1 < sizeof plain; ++length) {
        const unsigned char c = (unsigned char)workload[length];
        plain[length] = isalnum(c) ? (char)c : '-';
    }
    plain[length] = '\0';
    snprintf(file, size, "%s%s.svg", plain, what);
    for (int i = 2; has_file(p, file); ++i) snprintf(file, size, "%s%s-%d.svg", plain, what, i);
}

/* Takes svg; NULL: gnuplot failed. */
static void add(pictures *p, const char *workload, const char *stem, const char *what, char *svg) {
    picture *items = svg == NULL ? NULL : realloc(p->items, (p->count + 1) * sizeof *items);
    if (items == NULL) {
        p->failed = true;
        free(svg);
        return;
    }
    p->items = items;
    picture *made = &items[p->count];
    *made = (picture){ .workload = workload, .svg = svg };
    name_file(p, made->file, sizeof made->file, stem, what);
    ++p->count;
}

/* --- what a row adds --- */

static bool pick_mean(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = r->ns_per_op;
    return r->timers > 0 && !isnan(r->ns_per_op) && r->ns_per_op > 0;
}

static bool pick_rate(const row *r, double *x, double *y) {
    *x = (double)r->threads;
    *y = 1e3 / r->ns_per_op;
    return r->threads > 0 && !isnan(r->ns_per_op) && r->ns_per_op > 0;
}

#define MEMORY_TIMERS 100 /* of fewer it is what there is without any */

/* A lock makes no difference to it. */
static bool pick_memory(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = r->bytes_per_timer;
    return r->timers >= MEMORY_TIMERS && !isnan(r->bytes_per_timer) &&
           !look_of(row_subject(r), false).dashed;
}

/* Rows of a kind of operation within a trace stand in their table alone: they have no mean. */
static bool pick_single(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = (double)r->p50_ns;
    return r->timers > 0 && r->p50_ns != ROW_NONE && r->max_ns != ROW_NONE && !isnan(r->ns_per_op);
}

static bool pick_late(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = r->late_p50_us * 1e3;
    return r->timers > 0 && !isnan(r->late_p50_us);
}

/* --- the pictures --- */

/* The least number of threads: what most sizes are measured with. ROW_NONE: none is told. */
static int64_t least_threads(const rows *list, const char *workload) {
    int64_t least = ROW_NONE;
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        if (strcmp(r->workload, workload) != 0 || r->threads == ROW_NONE) continue;
        if (least == ROW_NONE || r->threads < least) least = r->threads;
    }
    return least;
}

static void title_at(char *title, const char *workload, const char *what, double timers) {
    char count[32];
    snprintf(title, TITLE, "%s: %s, %s timers", workload, what,
             chart_count_text(count, sizeof count, timers));
}

/* Of one size: bars. Of several: lines, of those that have more than a point where any has. */
static char *draw_over_timers(chart *c, const char *workload, const char *what, const char *unit) {
    char title[TITLE];
    if (chart_count_x(c) == 1) {
        const double timers = chart_max_x(c);
        title_at(title, workload, what, timers);
        chart_keep_x(c, timers);
        chart_sort(c);
        return draw_bars(c, &(drawing){ .title = title, .x_label = unit });
    }
    snprintf(title, sizeof title, "%s: %s", workload, what);
    return draw_lines(c, &(drawing){ .title = title, .x_label = "timers pending", .y_label = unit,
                                     .is_log = true });
}

static void add_means(pictures *p, const rows *list, const char *workload, chart *c) {
    const int64_t threads = least_threads(list, workload);
    chart_collect(c, list, workload, threads, pick_mean);
    if (c->count == 0) return;
    chart_add_floor(c, list, workload, threads);
    add(p, workload, workload, "", draw_over_timers(c, workload, "time of an operation",
                                                    "ns per operation"));
}

/* What chart_keep_x kept, with its other values. */
static void fill_values(chart *c, const rows *list, const char *workload, double timers,
                        chart_pick *pick, bool late) {
    double x, y;
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        if (strcmp(r->workload, workload) != 0 || !pick(r, &x, &y) || x < timers || x > timers)
            continue;
        for (size_t k = 0; k < c->count; ++k) {
            series *s = &c->items[k];
            if (strcmp(s->name, row_subject(r)) != 0 || y < s->values[0] || y > s->values[0])
                continue;
            s->values[1] = late ? r->late_p99_us * 1e3 : (double)r->p99_ns;
            s->values[2] = late ? NAN : (double)r->p9999_ns;
            s->values[3] = late ? NAN : (double)r->max_ns;
            for (int v = 0; v < CHART_VALUES; ++v) /* a logarithm: 0 ns is shown as 1 */
                if (s->values[v] < 1) s->values[v] = s->values[v] < 0 ? NAN : 1;
        }
    }
}

static void add_percentiles(pictures *p, const rows *list, const char *workload, chart *c,
                            bool late) {
    char title[TITLE];
    chart_pick *pick = late ? pick_late : pick_single;
    chart_collect(c, list, workload, late ? 0 : least_threads(list, workload), pick);
    if (c->count == 0) return;
    const double timers = chart_max_x(c);
    title_at(title, workload, late ? "how late timers fire" : "single operations", timers);
    chart_keep_x(c, timers);
    fill_values(c, list, workload, timers, pick, late);
    chart_sort(c);
    drawing d = { .title = title, .x_label = late ? "time after the deadline"
                                                  : "time of one operation",
                  .marks = { "p50", "p99" } };
    if (!late) {
        d.marks[2] = "p99.99";
        d.marks[3] = "longest";
    }
    add(p, workload, workload, late ? "" : "-latency", draw_dots(c, &d));
}

/* The size with the most rows of more than one thread, of those that tie the largest. */
static void add_threads(pictures *p, const rows *list, const char *workload, chart *c) {
    char title[TITLE];
    rows same = { 0 };
    int64_t timers = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        if (strcmp(r->workload, workload) == 0 && r->threads > 1 && r->timers > timers)
            timers = r->timers;
    }
    for (size_t i = 0; i < list->count && timers > 0; ++i)
        if (list->items[i].timers == timers) rows_add(&same, &list->items[i]);
    chart_collect(c, &same, workload, 0, pick_rate);
    chart_drop_points(c);
    if (c->count > 0) {
        title_at(title, workload, "rate over threads", (double)timers);
        add(p, workload, workload, "-threads",
            draw_lines(c, &(drawing){ .title = title, .x_label = "threads",
                                      .y_label = "million operations a second" }));
    }
    rows_free(&same);
}

static bool is_worst(const char *workload) {
    return strncmp(workload, "worst/", 6) == 0;
}

static const char *const worst_kinds[CHART_VALUES] = { "stop", "add", "reset", "expire" };

/* Which of them, of all the sequences that were played; CHART_VALUES: none. */
static size_t worst_kind(const row *r) {
    const size_t length = strlen(r->workload);
    size_t kind = 0;
    for (; kind < CHART_VALUES; ++kind) {
        const size_t own = strlen(worst_kinds[kind]);
        if (length > own && strcmp(r->workload + length - own, worst_kinds[kind]) == 0) break;
    }
    return is_worst(r->workload) && r->max_ns != ROW_NONE ? kind : CHART_VALUES;
}

static bool pick_worst(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = (double)r->max_ns;
    return worst_kind(r) < CHART_VALUES;
}

static void take_worst(series *s, const rows *list, double timers) {
    for (size_t v = 0; v < CHART_VALUES; ++v) s->values[v] = NAN;
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        double x, y;
        if (!pick_worst(r, &x, &y) || x < timers || strcmp(row_subject(r), s->name) != 0) continue;
        double *longest = &s->values[worst_kind(r)];
        *longest = fmax(*longest, fmax(y, 1)); /* fmax leaves out NAN; a logarithm has no 0 */
    }
}

/* All workloads that begin with worst/ are one picture: the longest of each kind. */
static void add_worst(pictures *p, const rows *list, chart *c) {
    char title[TITLE];
    chart_collect(c, list, NULL, 0, pick_worst);
    if (c->count == 0) return;
    const double timers = chart_max_x(c);
    title_at(title, "worst", "the longest single call", timers);
    chart_keep_x(c, timers);
    for (size_t i = 0; i < c->count; ++i) take_worst(&c->items[i], list, timers);
    chart_sort(c);
    const drawing d = { .title = title, .x_label = "time of one call",
                        .marks = { "stop", "add", "reset", "expiry" } };
    add(p, NULL, "worst", "", draw_dots(c, &d));
}

/* Of one workload that measured it: with the most contenders, then sizes. */
static void add_memory(pictures *p, const rows *list, chart *c) {
    const char *workload = NULL;
    size_t most = 0, next = 0;
    table t;
    while (table_next(&t, list, &next)) {
        chart_collect(c, list, t.workload, least_threads(list, t.workload), pick_memory);
        const size_t weight = c->count * CHART_POINTS + chart_count_x(c);
        if (c->count == 0 || weight <= most) continue;
        most = weight;
        workload = t.workload;
    }
    if (workload == NULL) return;
    chart_collect(c, list, workload, least_threads(list, workload), pick_memory);
    add(p, NULL, "memory", "", draw_over_timers(c, workload, "memory for each timer",
                                                "bytes per timer"));
}

void pictures_make(pictures *p, const results *r) {
    *p = (pictures){ 0 };
    chart *c = malloc(sizeof *c);
    table t;
    size_t next = 0;
    if (c == NULL) abort();
    while (table_next(&t, &r->rows, &next)) {
        if (is_worst(t.workload)) continue;
        add_means(p, &r->rows, t.workload, c);
        add_percentiles(p, &r->rows, t.workload, c, false);
        add_threads(p, &r->rows, t.workload, c);
        add_percentiles(p, &r->rows, t.workload, c, true);
    }
    add_worst(p, &r->rows, c);
    add_memory(p, &r->rows, c);
    free(c);
}

void pictures_free(pictures *p) {
    for (size_t i = 0; i < p->count; ++i) free(p->items[i].svg);
    free(p->items);
    *p = (pictures){ 0 };
}
