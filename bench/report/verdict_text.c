/* The verdict in words. */
#include "report/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* 950, 23k, 1.5M: two digits where it was interpolated. */
static void write_count(double count, FILE *file) {
    static const char *const suffixes[] = { "", "k", "M", "G" };
    size_t i = 0;
    while (i + 1 < sizeof suffixes / sizeof *suffixes && count >= 999.5) {
        count /= 1000;
        ++i;
    }
    fprintf(file, "%.3g%s", count, suffixes[i]);
}

static double two_digits(double value) {
    const double unit = pow(10, floor(log10(value)) - 1);
    return round(value / unit) * unit;
}

static void write_ratio(const interval *i, FILE *file) {
    fprintf(file, "%.3g x", i->median);
    if (interval_tells(i))
        fprintf(file, " (%.0f %% interval %.3g to %.3g)", floor(100 * i->coverage), i->low,
                i->high);
    else fprintf(file, " (too few repeats for an interval: %zu)", i->count);
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

static void write_place(const verdict_field *f, FILE *file) {
    const size_t ties = count_ties(f), behind = first_behind(f);
    const char *name = row_subject(f->members[0]);
    if (f->count == 1) {
        fprintf(file, "%s alone was measured", name);
        return;
    }
    if (ties > 1) {
        size_t second = 1;
        while (!verdict_ties(f, second)) ++second;
        fputs("no difference seen between ", file);
        write_ties(f, ties, file);
        fprintf(file, ", %s to %s ", row_subject(f->members[second]), name);
        write_ratio(&f->ratios[second], file);
        return;
    }
    const bool sure = interval_tells(&f->ratios[behind]);
    fprintf(file, "%s %s, ahead of %s by ", name,
            sure ? "is the fastest backend" : "has the least mean of the backends",
            row_subject(f->members[behind]));
    write_ratio(&f->ratios[behind], file);
}

static void write_size(const verdict_point *p, FILE *file) {
    fputs("at ", file);
    write_count((double)p->timers, file);
    fputs(" timers ", file);
}

/* Returns how many sizes it told. */
static size_t write_places(const verdict *v, FILE *file) {
    size_t told = 0;
    for (size_t i = 0; i < v->count; ++i) {
        if (v->points[i].locked.count == 0) continue;
        fputs(told++ > 0 ? "; " : " ", file);
        write_size(&v->points[i], file);
        write_place(&v->points[i].locked, file);
    }
    return told;
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
static void write_peers(const verdict *v, FILE *file) {
    bool any = false;
    for (size_t i = 0; i < v->count; ++i) {
        const verdict_point *p = &v->points[i];
        const verdict_field *own = p->unlocked.count > 0 ? &p->unlocked : &p->locked;
        if (p->peers.count == 0 || own->count == 0) continue;
        const row *peer = p->peers.members[0], *best = own->members[0];
        const size_t pairs =
            peer->repeat_count < best->repeat_count ? peer->repeat_count : best->repeat_count;
        const interval ratio = interval_of_ratios(peer->repeats_ns, best->repeats_ns, pairs);
        fputs(any ? "; " : ". Other libraries: ", file);
        write_size(p, file);
        fprintf(file, "the fastest is %s, ", row_subject(peer));
        write_ratio(&ratio, file);
        fprintf(file, " the time of %s", row_subject(best));
        if (interval_tells(&ratio) && ratio.low <= 1 && ratio.high >= 1)
            fputs(", no difference seen", file);
        any = true;
    }
}

void verdict_write(const verdict *v, FILE *file) {
    fprintf(file, "%s", v->workload);
    if (v->threads > 1) fprintf(file, ", %" PRId64 " threads", v->threads);
    if (!isnan(v->speed) && fabs(v->speed - 1) > 1e-9) fprintf(file, ", speed %g", v->speed);
    fputc(':', file);
    const size_t told = write_places(v, file);
    if (told > 1) write_changes(v, file);
    else if (told == 1) fputs("; no other size was measured", file);
    write_peers(v, file);
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
