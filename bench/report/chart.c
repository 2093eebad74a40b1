#include "report/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static series *find_series(chart *c, const char *name, bool is_peer) {
    for (size_t i = 0; i < c->count; ++i)
        if (strcmp(c->items[i].name, name) == 0 && c->items[i].is_peer == is_peer)
            return &c->items[i];
    if (c->count == CHART_SERIES) return NULL;
    series *made = &c->items[c->count++];
    *made = (series){ .name = name, .is_peer = is_peer, .look = look_of(name, is_peer),
                      .values = { NAN, NAN, NAN, NAN } };
    return made;
}

static void add_point(series *s, double x, double y) {
    size_t at = 0;
    while (at < s->count && s->x[at] < x) ++at;
    if (at < s->count && !(s->x[at] > x)) {
        s->y[at] = y;
        return;
    }
    if (s->count == CHART_POINTS) return;
    memmove(&s->x[at + 1], &s->x[at], (s->count - at) * sizeof *s->x);
    memmove(&s->y[at + 1], &s->y[at], (s->count - at) * sizeof *s->y);
    s->x[at] = x;
    s->y[at] = y;
    ++s->count;
}

static bool is_of(const row *r, const char *workload, int64_t threads) {
    return (workload == NULL || strcmp(r->workload, workload) == 0) &&
           (threads == 0 || r->threads == threads);
}

void chart_collect(chart *c, const rows *list, const char *workload, int64_t threads,
                   chart_pick *pick) {
    double x, y;
    *c = (chart){ 0 };
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        if (!is_of(r, workload, threads) || !pick(r, &x, &y)) continue;
        series *s = find_series(c, row_subject(r), r->backend[0] == '\0');
        if (s != NULL) add_point(s, x, y);
    }
}

void chart_add_floor(chart *c, const rows *list, const char *workload, int64_t threads) {
    for (size_t i = 0; i < list->count; ++i) {
        const row *r = &list->items[i];
        if (!is_of(r, workload, threads) || isnan(r->floor_ns)) continue;
        /* Who takes no lock has a floor without one. */
        if (r->backend[0] == '\0' || look_of(r->backend, false).dashed) continue;
        series *s = find_series(c, "floor", false);
        if (s == NULL) return;
        s->look.width = 1.2;
        s->look.dashed = true;
        add_point(s, (double)r->timers, r->floor_ns);
    }
}

size_t chart_count_x(const chart *c) {
    double last = -HUGE_VAL;
    size_t count = 0;
    for (;;) {
        double least = HUGE_VAL;
        for (size_t i = 0; i < c->count; ++i)
            for (size_t k = 0; k < c->items[i].count; ++k)
                if (c->items[i].x[k] > last && c->items[i].x[k] < least) least = c->items[i].x[k];
        if (isinf(least)) return count;
        last = least;
        ++count;
    }
}

double chart_max_x(const chart *c) {
    double most = -HUGE_VAL;
    for (size_t i = 0; i < c->count; ++i)
        if (c->items[i].count > 0) most = fmax(most, c->items[i].x[c->items[i].count - 1]);
    return most;
}

double chart_min_x(const chart *c) {
    double least = HUGE_VAL;
    for (size_t i = 0; i < c->count; ++i)
        if (c->items[i].count > 0) least = fmin(least, c->items[i].x[0]);
    return least;
}

void chart_keep_x(chart *c, double x) {
    size_t kept = 0;
    for (size_t i = 0; i < c->count; ++i) {
        series *s = &c->items[i];
        size_t k = 0;
        while (k < s->count && s->x[k] < x) ++k;
        if (k == s->count || s->x[k] > x) continue;
        s->values[0] = s->y[k];
        c->items[kept++] = *s;
    }
    c->count = kept;
}

void chart_drop_points(chart *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->count; ++i)
        if (c->items[i].count > 1) c->items[kept++] = c->items[i];
    c->count = kept;
}

static int compare_series(const void *a, const void *b) {
    const series *x = a, *y = b;
    const double one = x->values[0], two = y->values[0];
    return one < two ? -1 : one > two ? 1 : strcmp(x->name, y->name);
}

void chart_sort(chart *c) {
    qsort(c->items, c->count, sizeof *c->items, compare_series);
}

const char *chart_count_text(char *text, size_t size, double count) {
    static const char *const suffixes[] = { "", "k", "M", "G" };
    size_t i = 0;
    while (i + 1 < sizeof suffixes / sizeof *suffixes && count >= 999.5) {
        count /= 1000;
        ++i;
    }
    snprintf(text, size, "%.3g%s", count, suffixes[i]);
    return text;
}
