#include "report/plot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBJECTS 32

/* Those that one plot shows, in order of appearance. */
typedef struct subjects {
    const char *names[SUBJECTS];
    size_t count;
} subjects;

bool plot_available(void) {
    const char *path = getenv("PATH");
    char *copy = strdup(path != NULL ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;
    while (copy != NULL && !found && (folder = strsep(&rest, ":")) != NULL) {
        char *file;
        if (asprintf(&file, "%s/gnuplot", folder) < 0) break;
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

const char *plot_colour(const char *subject) {
    static const char *const known[][2] = {
        { "heap", "#1f77b4" },     { "wheel", "#ff7f0e" },           { "libuv", "#2ca02c" },
        { "libev", "#d62728" },    { "libevent", "#9467bd" },        { "tiered", "#17becf" },
        { "hashed", "#bcbd22" },   { "libevent-common", "#8c564b" }, { "hybrid", "#e377c2" },
        { "futex", "#7f7f7f" },
    };
    static const char *const others[] = { "#004c6d", "#7a5195", "#ef5675", "#ffa600", "#5f9e6e" };
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (strcmp(known[i][0], subject) == 0) return known[i][1];
    for (const char *at = subject; *at != '\0'; ++at) sum = sum * 31 + (unsigned char)*at;
    return others[sum % (sizeof others / sizeof *others)];
}

static const row *member(const table *t, size_t i) {
    return &t->rows->items[t->members[i]];
}

static void find_subjects(subjects *s, const table *t) {
    s->count = 0;
    for (size_t i = 0; i < t->member_count && s->count < SUBJECTS; ++i) {
        size_t k = 0;
        while (k < s->count && strcmp(s->names[k], row_subject(member(t, i))) != 0) ++k;
        if (k == s->count) s->names[s->count++] = row_subject(member(t, i));
    }
}

/* A name within single quotes: a results file from elsewhere must not reach gnuplot as commands. */
static void put_name(const char *name, FILE *gp) {
    fputc('\'', gp);
    for (; *name != '\0'; ++name)
        fputc(isalnum((unsigned char)*name) || strchr("+-._/ ", *name) != NULL ? *name : '?', gp);
    fputc('\'', gp);
}

static int64_t most_timers(const table *t) {
    int64_t most = ROW_NONE;
    for (size_t i = 0; i < t->member_count; ++i)
        if (member(t, i)->timers > most) most = member(t, i)->timers;
    return most;
}

static bool several_sizes(const table *t) {
    for (size_t i = 1; i < t->member_count; ++i)
        if (member(t, i)->timers != member(t, 0)->timers) return true;
    return false;
}

static void put_tics(const subjects *s, FILE *gp) {
    fprintf(gp, "set xrange [-0.6:%zu.6]\nset xtics (", s->count - 1);
    for (size_t k = 0; k < s->count; ++k) {
        if (k > 0) fputs(", ", gp);
        put_name(s->names[k], gp);
        fprintf(gp, " %zu", k);
    }
    fputs(") scale 0\n", gp);
}

/* "plot $d0 ..., $d1 ..." with each subject's colour; style is gnuplot's `using` and `with`. */
static void put_plots(const subjects *s, const char *style, bool titled, FILE *gp) {
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(gp, "%s $d%zu %s lc rgb '%s' ", k == 0 ? "plot" : ",", k, style,
                plot_colour(s->names[k]));
        if (!titled) {
            fputs("notitle", gp);
            continue;
        }
        fputs("title ", gp);
        put_name(s->names[k], gp);
    }
}

/* x and y of each row that has a mean: timers, or the subject's place. */
static void put_means(const subjects *s, const table *t, bool sizes, FILE *gp) {
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(gp, "$d%zu << EOD\n", k);
        for (size_t i = 0; i < t->member_count; ++i) {
            const row *r = member(t, i);
            if (strcmp(row_subject(r), s->names[k]) != 0 || isnan(r->ns_per_op)) continue;
            fprintf(gp, "%lld %.6g\n", sizes ? (long long)r->timers : (long long)k, r->ns_per_op);
        }
        fputs("EOD\n", gp);
    }
}

/* Of bars: from the first one's left to the last one's right. */
static void put_floor(const subjects *s, const table *t, bool sizes, FILE *gp) {
    fputs("$floor << EOD\n", gp);
    for (size_t i = 0; i < t->member_count; ++i) {
        const row *r = member(t, i);
        if (isnan(r->floor_ns)) continue;
        if (sizes)
            fprintf(gp, "%lld %.6g\n", (long long)r->timers, r->floor_ns);
        else if (i == 0)
            fprintf(gp, "-0.5 %.6g\n%zu.5 %.6g\n", r->floor_ns, s->count - 1, r->floor_ns);
    }
    fputs("EOD\n", gp);
}

static bool has_floor(const table *t) {
    for (size_t i = 0; i < t->member_count; ++i)
        if (!isnan(member(t, i)->floor_ns)) return true;
    return false;
}

static void script_means(const subjects *s, const table *t, FILE *gp) {
    const bool sizes = several_sizes(t);
    fputs("set ylabel 'ns per operation'\n", gp);
    put_means(s, t, sizes, gp);
    put_floor(s, t, sizes, gp);
    if (sizes) {
        fputs("set logscale xy\nset format xy '%.0s%c'\nset autoscale xfix\n"
              "set xlabel 'timers pending'\n",
              gp);
        put_plots(s, "using 1:2 with linespoints pt 7 ps 0.6 lw 2", true, gp);
    } else {
        fputs("set yrange [0:*]\nset boxwidth 0.6\nset style fill solid\n"
              "set xlabel 'backend or library'\n",
              gp);
        put_tics(s, gp);
        put_plots(s, "using 1:2 with boxes", false, gp);
        fputs(", ", gp);
        for (size_t k = 0; k < s->count; ++k)
            fprintf(gp, "%s$d%zu using 1:2:(sprintf('%%.3g',$2)) with labels offset 0,0.6 notitle",
                    k > 0 ? ", " : "", k);
    }
    if (has_floor(t))
        fprintf(gp, ", $floor using 1:2 %swith lines dt 2 lw 2 lc rgb '#999999' title 'floor'",
                sizes ? "smooth unique " : "");
    fputc('\n', gp);
}

static void script_percentiles(const subjects *s, const table *t, FILE *gp) {
    const int64_t timers = most_timers(t);
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(gp, "$d%zu << EOD\n", k);
        for (size_t i = 0; i < t->member_count; ++i) {
            const row *r = member(t, i);
            if (strcmp(row_subject(r), s->names[k]) != 0 || r->timers != timers) continue;
            if (r->p50_ns == ROW_NONE || r->max_ns == ROW_NONE) continue;
            fprintf(gp, "0 %lld\n1 %lld\n2 %lld\n3 %lld\n\n", (long long)r->p50_ns,
                    (long long)r->p99_ns, (long long)r->p9999_ns, (long long)r->max_ns);
        }
        fputs("EOD\n", gp);
    }
    fputs("set logscale y\nset format y '%.0s%c'\n"
          "set ylabel 'ns, one operation'\nset xlabel 'share of operations'\n"
          "set xrange [-0.3:3.3]\nset xtics ('50 %%' 0, '99 %%' 1, '99.99 %%' 2, 'max' 3)\n",
          gp);
    put_plots(s, "using 1:($2>0?$2:1) with linespoints pt 7 ps 0.6 lw 2", true, gp);
    fputc('\n', gp);
}

static void script_lateness(const subjects *s, const table *t, FILE *gp) {
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(gp, "$d%zu << EOD\n", k);
        for (size_t i = 0; i < t->member_count; ++i) {
            const row *r = member(t, i);
            if (strcmp(row_subject(r), s->names[k]) != 0 || isnan(r->late_p50_us)) continue;
            fprintf(gp, "%zu %.6g %.6g\n", k, r->late_p50_us, r->late_p99_us);
        }
        fputs("EOD\n", gp);
    }
    fputs("set logscale y\nset ylabel 'us late: p50 (point) to p99 (bar)'\n"
          "set xlabel 'backend or library'\nset bars 4\n",
          gp);
    put_tics(s, gp);
    put_plots(s, "using 1:2:2:3 with yerrorbars pt 7 ps 1 lw 3", false, gp);
    fputc('\n', gp);
}

static bool kind_applies(const table *t, enum plot_kind kind) {
    for (size_t i = 0; i < t->member_count; ++i) {
        const row *r = member(t, i);
        if (kind == PLOT_MEAN && !isnan(r->ns_per_op)) return true;
        if (kind == PLOT_PERCENTILES && r->p50_ns != ROW_NONE && r->max_ns != ROW_NONE) return true;
        if (kind == PLOT_LATENESS && !isnan(r->late_p50_us)) return true;
    }
    return false;
}

static void put_script(const table *t, enum plot_kind kind, FILE *gp) {
    subjects s;
    find_subjects(&s, t);
    fputs("set terminal svg size 620,340 font 'sans-serif,12' noenhanced background '#ffffff'\n"
          "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
          "set key outside right top\n",
          gp);
    if (kind == PLOT_MEAN) script_means(&s, t, gp);
    if (kind == PLOT_PERCENTILES) script_percentiles(&s, t, gp);
    if (kind == PLOT_LATENESS) script_lateness(&s, t, gp);
}

/* All that a command prints, or NULL: it failed, or printed nothing. */
static char *read_command(const char *shell_command) {
    char *text = NULL, block[4096];
    size_t size = 0, got;
    FILE *from = popen(shell_command, "r");
    FILE *into = open_memstream(&text, &size);
    if (from == NULL || into == NULL) abort();
    while ((got = fread(block, 1, sizeof block, from)) > 0) fwrite(block, 1, got, into);
    fclose(into);
    if (pclose(from) == 0 && size > 0) return text;
    free(text);
    return NULL;
}

char *plot_table(const table *t, enum plot_kind kind, bool *failed) {
    char script[] = "/tmp/tarry-plot-XXXXXX", shell_command[64];
    if (!kind_applies(t, kind)) return NULL;
    *failed = true;
    const int fd = mkstemp(script);
    if (fd < 0) return NULL;
    FILE *gp = fdopen(fd, "w");
    if (gp == NULL) {
        close(fd);
        unlink(script);
        return NULL;
    }
    put_script(t, kind, gp);
    const bool written = ferror(gp) == 0;
    snprintf(shell_command, sizeof shell_command, "gnuplot %s 2>/dev/null", script);
    char *text = fclose(gp) == 0 && written ? read_command(shell_command) : NULL;
    unlink(script);
    char *svg = text != NULL ? strstr(text, "<svg") : NULL;
    if (svg != NULL) memmove(text, svg, strlen(svg) + 1);
    *failed = svg == NULL;
    if (svg == NULL) free(text);
    return svg != NULL ? text : NULL;
}
