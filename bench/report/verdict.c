#include "report/verdict.h"

#include <math.h>
#include <string.h>

static const char no_lock[] = "-nolock";

static bool is_judged(const row *r) {
    return !isnan(r->ns_per_op) && r->repeat_count > 0;
}

static bool same_real(double a, double b) {
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static bool same_line(const row *a, const row *b) {
    return strcmp(a->workload, b->workload) == 0 && a->threads == b->threads &&
           same_real(a->speed, b->speed);
}

static bool had_before(const rows *list, size_t index) {
    for (size_t i = 0; i < index; ++i)
        if (is_judged(&list->items[i]) && same_line(&list->items[i], &list->items[index]))
            return true;
    return false;
}

/* Copies of a trace are a size; how many timers are pending then differs a little with the tick. */
static bool same_size(const verdict_point *p, const row *r) {
    return p->replicate == r->replicate && (r->replicate != ROW_NONE || p->timers == r->timers);
}

static verdict_field *field_of(verdict_point *p, const row *r) {
    if (r->backend[0] == '\0') return &p->peers;
    return strstr(r->backend, no_lock) != NULL ? &p->unlocked : &p->locked;
}

static interval ratio_of(const row *a, const row *b) {
    const size_t count = a->repeat_count < b->repeat_count ? a->repeat_count : b->repeat_count;
    return interval_of_ratios(a->repeats_ns, b->repeats_ns, count);
}

static bool has_member(const verdict_field *f, const char *name) {
    for (size_t i = 0; i < f->count; ++i)
        if (strcmp(row_subject(f->members[i]), name) == 0) return true;
    return false;
}

/* In order of the means. */
static void add_member(verdict_field *f, const row *r) {
    if (f->count == VERDICT_CONTENDERS || has_member(f, row_subject(r))) return;
    size_t at = f->count++;
    for (; at > 0 && f->members[at - 1]->ns_per_op > r->ns_per_op; --at)
        f->members[at] = f->members[at - 1];
    f->members[at] = r;
}

/* A median of ratios can say another than the ratio of two medians: the pairs decide. */
static void rank(verdict_field *f) {
    for (size_t i = 1; i < f->count; ++i) {
        if (ratio_of(f->members[i], f->members[0]).median >= 1) continue;
        const row *better = f->members[i];
        memmove(&f->members[1], &f->members[0], i * sizeof *f->members);
        f->members[0] = better;
    }
    for (size_t i = 0; i < f->count; ++i) f->ratios[i] = ratio_of(f->members[i], f->members[0]);
}

static void add_to_point(verdict *v, const row *r) {
    size_t i = 0;
    while (i < v->count && !same_size(&v->points[i], r)) ++i;
    verdict_point *p = &v->points[i];
    if (i == v->count) {
        if (v->count == VERDICT_POINTS) return;
        ++v->count;
        *p = (verdict_point){ .timers = r->timers, .replicate = r->replicate, .run = r->run };
    }
    if (r->run > p->run)
        *p = (verdict_point){ .timers = r->timers, .replicate = r->replicate, .run = r->run };
    if (r->timers > p->timers) p->timers = r->timers;
    if (r->run == p->run) add_member(field_of(p, r), r);
}

static void sort_points(verdict *v) {
    for (size_t i = 1; i < v->count; ++i) {
        const verdict_point moved = v->points[i];
        size_t at = i;
        for (; at > 0 && v->points[at - 1].timers > moved.timers; --at)
            v->points[at] = v->points[at - 1];
        v->points[at] = moved;
    }
}

bool verdict_next(verdict *v, const rows *list, size_t *next) {
    while (*next < list->count && (!is_judged(&list->items[*next]) || had_before(list, *next)))
        ++*next;
    if (*next == list->count) return false;
    const row *like = &list->items[(*next)++];
    *v = (verdict){ .workload = like->workload, .threads = like->threads, .speed = like->speed };
    for (size_t i = 0; i < list->count; ++i)
        if (is_judged(&list->items[i]) && same_line(&list->items[i], like))
            add_to_point(v, &list->items[i]);
    sort_points(v);
    for (size_t i = 0; i < v->count; ++i) {
        rank(&v->points[i].locked);
        rank(&v->points[i].unlocked);
        rank(&v->points[i].peers);
    }
    return true;
}

bool verdict_ties(const verdict_field *f, size_t i) {
    return i == 0 || (interval_tells(&f->ratios[i]) && !interval_is_above_one(&f->ratios[i]));
}

static const row *find_member(const verdict_field *f, const char *name) {
    for (size_t i = 0; i < f->count; ++i)
        if (strcmp(row_subject(f->members[i]), name) == 0) return f->members[i];
    return NULL;
}

static bool ties_by_name(const verdict_field *f, const char *name) {
    for (size_t i = 0; i < f->count; ++i)
        if (strcmp(row_subject(f->members[i]), name) == 0) return verdict_ties(f, i);
    return false;
}

/* Was `name` among the best at each of the points from..to? */
static bool holds(const verdict *v, const char *name, size_t from, size_t to) {
    for (size_t i = from; i <= to; ++i)
        if (!ties_by_name(&v->points[i].locked, name)) return false;
    return true;
}

static bool somebody_holds(const verdict *v, size_t from, size_t to) {
    const verdict_field *f = &v->points[from].locked;
    for (size_t i = 0; i < f->count; ++i)
        if (holds(v, row_subject(f->members[i]), from, to)) return true;
    return false;
}

/* Of those that held the first place until `last`, the best there. */
static const char *holder(const verdict *v, size_t from, size_t last) {
    const verdict_field *f = &v->points[last].locked;
    for (size_t i = 0; i < f->count; ++i)
        if (holds(v, row_subject(f->members[i]), from, last)) return row_subject(f->members[i]);
    return NULL;
}

double verdict_crossing(double n1, double r1, double n2, double r2) {
    const double y1 = log(r1), y2 = log(r2);
    if (!(n1 > 0) || !(n2 > n1) || !(y1 * y2 <= 0) || !(fabs(y1 - y2) > 0)) return NAN;
    return exp(log(n1) + (log(n2) - log(n1)) * y1 / (y1 - y2));
}

static double find_crossing(const verdict *v, size_t before, const char *from, const char *to) {
    const verdict_point *low = &v->points[before], *high = low + 1;
    const row *a1 = find_member(&low->locked, from), *b1 = find_member(&low->locked, to);
    const row *a2 = find_member(&high->locked, from), *b2 = find_member(&high->locked, to);
    if (a1 == NULL || b1 == NULL || a2 == NULL || b2 == NULL) return NAN;
    return verdict_crossing((double)low->timers, ratio_of(a1, b1).median, (double)high->timers,
                            ratio_of(a2, b2).median);
}

bool verdict_find_change(verdict_change *out, const verdict *v, size_t *from) {
    for (size_t i = *from; i + 1 < v->count; ++i) {
        if (v->points[i].locked.count == 0 || v->points[i + 1].locked.count == 0) return false;
        if (somebody_holds(v, *from, i + 1)) continue;
        *out = (verdict_change){ .before = i, .from = holder(v, *from, i),
                                 .to = row_subject(v->points[i + 1].locked.members[0]) };
        out->timers = find_crossing(v, i, out->from, out->to);
        *from = i + 1;
        return true;
    }
    return false;
}
