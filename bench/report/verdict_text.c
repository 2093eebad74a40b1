/* The verdict in words. */
#include "report/chart.h"
#include "report/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_count(double count, FILE *file) {
    char text[32];
    fputs(chart_count_text(text, sizeof text, count), file);
}

/* What was interpolated is not known better. */
static double two_digits(double value) {
    const double unit = pow(10, floor(log10(value)) - 1);
    return round(value / unit) * unit;
}

/* What was said before need not be said again. */
typedef struct speech {
    FILE *file;
    size_t sizes;    /* told so far */
    double coverage; /* of the interval before; 0: none */
} speech;

static void write_ratio(speech *s, const interval *i) {
    fprintf(s->file, "%.3g x", i->median);
    if (!interval_tells(i)) {
        fprintf(s->file, " (too few repeats for an interval: %zu)", i->count);
        return;
    }
    fputs(" (", s->file);
    if (fabs(s->coverage - i->coverage) > 1e-9)
        fprintf(s->file, "%.0f %% interval ", floor(100 * i->coverage));
    fprintf(s->file, "%.3g to %.3g)", i->low, i->high);
    s->coverage = i->coverage;
}

/* "a", "a and b", "a, b and c": those that are no different from the first. */
static void write_ties(const verdict_field *f, size_t ties, FILE *file) {
    size_t written = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (!verdict_ties(f, i)) continue;
        if (written > 0) fputs(written + 1 == ties ? " and " : ", ", file);
        fputs(row_subject(f->members[i]), file);
        ++written;
    }
}

static size_t count_ties(const verdict_field *f) {
    size_t ties = 0;
    for (size_t i = 0; i < f->count; ++i) ties += verdict_ties(f, i) ? 1 : 0;
    return ties;
}

/* The first that is not tied; f->count: all are. */
static size_t first_behind(const verdict_field *f) {
    size_t i = 0;
    while (i < f->count && verdict_ties(f, i)) ++i;
    return i;
}

static void write_tie(speech *s, const verdict_field *f, size_t ties) {
    size_t second = 1;
    while (!verdict_ties(f, second)) ++second;
    fputs("no difference seen between ", s->file);
    write_ties(f, ties, s->file);
    fprintf(s->file, ", %s to %s ", row_subject(f->members[second]), row_subject(f->members[0]));
    write_ratio(s, &f->ratios[second]);
}

static void write_place(speech *s, const verdict_field *f) {
    const size_t ties = count_ties(f), behind = first_behind(f);
    const char *name = row_subject(f->members[0]);
    if (f->count == 1) {
        fprintf(s->file, "%s alone was measured", name);
        return;
    }
    if (ties > 1) {
        write_tie(s, f, ties);
        return;
    }
    const bool sure = interval_tells(&f->ratios[behind]);
    fprintf(s->file, "%s", name);
    if (s->sizes == 0 || !sure)
        fputs(sure ? " is the fastest backend" : " has the least mean of the backends", s->file);
    fprintf(s->file, ", ahead of %s by ", row_subject(f->members[behind]));
    write_ratio(s, &f->ratios[behind]);
}

static void write_size(speech *s, const verdict_point *p) {
    fputs("at ", s->file);
    write_count((double)p->timers, s->file);
    fputs(s->sizes == 0 ? " timers " : " ", s->file);
}

static void write_places(speech *s, const verdict *v) {
    for (size_t i = 0; i < v->count; ++i) {
        if (v->points[i].locked.count == 0) continue;
        fputs(s->sizes > 0 ? "; " : " ", s->file);
        write_size(s, &v->points[i]);
        write_place(s, &v->points[i].locked);
        ++s->sizes;
    }
}

static void write_change(const verdict *v, const verdict_change *c, FILE *file) {
    fprintf(file, "; the order changes from %s to %s ", c->from, c->to);
    if (!isnan(c->timers)) {
        fputs("at about ", file);
        write_count(two_digits(c->timers), file);
        fputs(" timers", file);
        return;
    }
    fputs("between ", file);
    write_count((double)v->points[c->before].timers, file);
    fputs(" and ", file);
    write_count((double)v->points[c->before + 1].timers, file);
    fputs(" timers", file);
}

static void write_changes(const verdict *v, FILE *file) {
    verdict_change change;
    size_t from = 0;
    bool any = false;
    for (; verdict_find_change(&change, v, &from); any = true) write_change(v, &change, file);
    if (!any) fputs("; the order does not change between these sizes", file);
}

/* The best library against the best backend that, like it, takes no lock. */
static void write_peer(speech *s, const row *peer, const row *own) {
    const size_t pairs =
        peer->repeat_count < own->repeat_count ? peer->repeat_count : own->repeat_count;
    const interval ratio = interval_of_ratios(peer->repeats_ns, own->repeats_ns, pairs);
    fprintf(s->file, "%s%s, ", s->sizes == 0 ? "the fastest is " : "", row_subject(peer));
    write_ratio(s, &ratio);
    fprintf(s->file, " the time of %s", row_subject(own));
    if (interval_tells(&ratio) && ratio.low <= 1 && ratio.high >= 1)
        fputs(", no difference seen", s->file);
}

static void write_peers(speech *s, const verdict *v) {
    s->sizes = 0;
    for (size_t i = 0; i < v->count; ++i) {
        const verdict_point *p = &v->points[i];
        const verdict_field *own = p->unlocked.count > 0 ? &p->unlocked : &p->locked;
        if (p->peers.count == 0 || own->count == 0) continue;
        fputs(s->sizes > 0 ? "; " : ". Other libraries: ", s->file);
        write_size(s, p);
        write_peer(s, p->peers.members[0], own->members[0]);
        ++s->sizes;
    }
}

void verdict_write(const verdict *v, FILE *file) {
    speech s = { .file = file };
    fprintf(file, "%s", v->workload);
    if (v->threads > 1) fprintf(file, ", %" PRId64 " threads", v->threads);
    if (!isnan(v->speed) && fabs(v->speed - 1) > 1e-9) fprintf(file, ", speed %g", v->speed);
    fputc(':', file);
    write_places(&s, v);
    if (s.sizes > 1) write_changes(v, file);
    else if (s.sizes == 1) fputs("; no other size was measured", file);
    write_peers(&s, v);
    fputc('.', file);
}

typedef struct tally {
    const char *names[VERDICT_CONTENDERS];
    size_t firsts[VERDICT_CONTENDERS];
    size_t count, fields;
} tally;

static void count_name(tally *t, const char *name) {
    size_t i = 0;
    while (i < t->count && strcmp(t->names[i], name) != 0) ++i;
    if (i == VERDICT_CONTENDERS) return;
    if (i == t->count) {
        t->names[t->count++] = name;
        t->firsts[i] = 0;
    }
    ++t->firsts[i];
}

static void count_firsts(tally *t, const verdict *v) {
    for (size_t p = 0; p < v->count; ++p) {
        const verdict_field *f = &v->points[p].locked;
        if (f->count < 2) continue;
        ++t->fields;
        for (size_t i = 0; i < f->count; ++i)
            if (verdict_ties(f, i)) count_name(t, row_subject(f->members[i]));
    }
}

bool verdict_write_all(const rows *list, FILE *file) {
    tally t = { 0 };
    verdict v;
    size_t next = 0;
    size_t verdicts = 0;
    for (; verdict_next(&v, list, &next); ++verdicts) count_firsts(&t, &v);
    if (verdicts < 2 || t.fields == 0) return false;
    fprintf(file, "Over all: the fastest backend, or no different from it, in %zu workloads and"
                  " sizes:", t.fields);
    for (size_t shown = 0; shown < t.count; ++shown) {
        size_t best = 0;
        for (size_t i = 1; i < t.count; ++i)
            if (t.firsts[i] > t.firsts[best]) best = i;
        fprintf(file, "%s %s in %zu", shown > 0 ? "," : "", t.names[best], t.firsts[best]);
        t.firsts[best] = 0;
    }
    fputc('.', file);
    return true;
}

void verdict_print(const rows *list, FILE *file) {
    verdict v;
    size_t next = 0;
    bool any = false;
    for (; verdict_next(&v, list, &next); any = true) {
        if (!any) fputc('\n', file);
        verdict_write(&v, file);
        fputc('\n', file);
    }
    if (any && verdict_write_all(list, file)) fputc('\n', file);
}
