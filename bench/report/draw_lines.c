#include "report/draw.h"
#include "report/labels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEIGHT 440
#define TOP 66
#define BOTTOM 56
#define LEFT 72
#define LABELS 150 /* beside a panel */
#define PANEL 400
#define PANEL_OF_TWO 330
#define LABEL_HEIGHT 15.5
#define ONE_PANEL 8 /* lines that one panel takes */

/* What all panels share. */
typedef struct scale {
    const chart *chart;
    const drawing *drawing;
    double low, high;     /* of y */
    double first, last;   /* of x */
} scale;

static void find_scale(scale *s, const chart *c, const drawing *d) {
    *s = (scale){ .chart = c, .drawing = d, .low = HUGE_VAL, .first = chart_min_x(c),
                  .last = chart_max_x(c) };
    for (size_t i = 0; i < c->count; ++i) {
        for (size_t k = 0; k < c->items[i].count; ++k) {
            s->low = fmin(s->low, c->items[i].y[k]);
            s->high = fmax(s->high, c->items[i].y[k]);
        }
    }
    /* At least a decade, so that a small difference looks like one. */
    const double spare = d->is_log ? sqrt(fmax(10 / (s->high / s->low), 1.5)) : 1.08;
    s->low = d->is_log ? s->low / spare : 0;
    s->high *= spare;
}

/* 0 to 1 from the lower end of the panel on. */
static double height_of(const scale *s, double y) {
    return s->drawing->is_log ? log(y / s->low) / log(s->high / s->low) : y / s->high;
}

/* A tic at each measured x that has room beside the one before. */
static void put_x_tics(const scale *s, FILE *script) {
    double at = -HUGE_VAL, shown = -HUGE_VAL;
    const double room = log(s->last / s->first) * 0.07;
    fputs("set xtics (", script);
    for (;;) {
        double next = HUGE_VAL;
        for (size_t i = 0; i < s->chart->count; ++i)
            for (size_t k = 0; k < s->chart->items[i].count; ++k)
                if (s->chart->items[i].x[k] > at) next = fmin(next, s->chart->items[i].x[k]);
        if (isinf(next)) break;
        at = next;
        if (shown > 0 && log(at / shown) < room) continue;
        char text[32];
        fprintf(script, "%s'%s' %.8g", shown > 0 ? ", " : "",
                chart_count_text(text, sizeof text, at), at);
        shown = at;
    }
    fputs(") scale 0.5\n", script);
}

static void put_axes(const scale *s, FILE *script) {
    fprintf(script, "set xrange [%.8g:%.8g]\nset yrange [%.8g:%.8g]\n", s->first * 0.97,
            s->last * 1.03, s->low, s->high);
    fputs(s->drawing->is_log ? "set logscale xy\n" : "set logscale x\n", script);
    put_x_tics(s, script);
    if (s->drawing->is_log) draw_log_tics('y', s->low, s->high, false, script);
    fputs("set xlabel ", script);
    gnuplot_text(s->drawing->x_label, script);
    fputc('\n', script);
}

/* The lines of one panel: indexes of series. */
typedef struct panel {
    const char *heading;
    bool titled; /* the first has the picture's title */
    size_t members[CHART_SERIES];
    size_t count;
} panel;

static double end_of(const scale *s, size_t member) {
    const series *one = &s->chart->items[member];
    return height_of(s, one->y[one->count - 1]);
}

static void sort_by_ends(const scale *s, panel *p) {
    for (size_t i = 1; i < p->count; ++i) {
        const size_t moved = p->members[i];
        size_t at = i;
        for (; at > 0 && end_of(s, p->members[at - 1]) > end_of(s, moved); --at)
            p->members[at] = p->members[at - 1];
        p->members[at] = moved;
    }
}

/* Names at the ends of the lines, with a thin line to one that had to move. */
static void put_names(const scale *s, panel *p, FILE *script) {
    double at[CHART_SERIES];
    sort_by_ends(s, p);
    for (size_t i = 0; i < p->count; ++i) at[i] = end_of(s, p->members[i]);
    labels_spread(at, p->count, LABEL_HEIGHT / (HEIGHT - TOP - BOTTOM), 0, 1);
    for (size_t i = 0; i < p->count; ++i) {
        const series *one = &s->chart->items[p->members[i]];
        fprintf(script, "set label %zu ", i + 1);
        gnuplot_text(one->name, script);
        fprintf(script, " at graph 1.06,%.4f left font 'sans-serif,12' tc rgb '%s'\n", at[i],
                one->look.colour);
        fprintf(script,
                "set arrow %zu from first %.8g,%.8g to graph 1.05,graph %.4f nohead lc rgb '%s'"
                " lw 0.6\n",
                i + 1, one->x[one->count - 1], one->y[one->count - 1], at[i], one->look.colour);
    }
}

/* Those of one kind, after `written` others. */
static size_t put_lines(const scale *s, const panel *p, bool peers, size_t written, FILE *script) {
    for (size_t i = 0; i < p->count; ++i) {
        const series *one = &s->chart->items[p->members[i]];
        if (one->is_peer != peers) continue;
        fprintf(script, "%s $d%zu using 1:2 with linespoints lc rgb '%s' lw %.1f dt %d pt 7 ps %s",
                written++ > 0 ? "," : "plot", p->members[i], one->look.colour,
                one->look.width * (one->look.dashed ? 0.7 : 1), one->look.dashed ? 2 : 1,
                peers ? "0.35" : "0.5");
    }
    return written;
}

static void put_panel(const scale *s, const frame *f, panel *p, FILE *script) {
    draw_frame(f, script);
    fputs("unset label\nunset arrow\n", script);
    if (p->titled) draw_title(f, s->drawing->title, script);
    fputs("set label 998 ", script);
    gnuplot_text(p->heading, script);
    fputs(" at graph 0,1 left offset 0,0.8 font 'sans-serif,12' tc rgb '#555555'\n", script);
    put_names(s, p, script);
    put_lines(s, p, false, put_lines(s, p, true, 0, script), script); /* backends lie on top */
    fputc('\n', script);
}

static void put_data(const chart *c, FILE *script) {
    for (size_t i = 0; i < c->count; ++i) {
        fprintf(script, "$d%zu << EOD\n", i);
        for (size_t k = 0; k < c->items[i].count; ++k)
            fprintf(script, "%.8g %.6g\n", c->items[i].x[k], c->items[i].y[k]);
        fputs("EOD\n", script);
    }
}

static void add_member(panel *p, size_t i) {
    p->members[p->count++] = i;
}

/* The lowest line of a backend, dashed or not, at the right end of the scale. */
static void add_best(const scale *s, panel *p, bool dashed) {
    size_t best = s->chart->count;
    for (size_t i = 0; i < s->chart->count; ++i) {
        const series *one = &s->chart->items[i];
        if (one->is_peer || one->look.dashed != dashed || strcmp(one->name, "floor") == 0) continue;
        if (one->x[one->count - 1] < s->last) continue;
        if (best == s->chart->count || end_of(s, i) < end_of(s, best)) best = i;
    }
    if (best < s->chart->count) add_member(p, best);
}

static size_t make_panels(const scale *s, panel panels[2]) {
    size_t peers = 0;
    panels[0] = (panel){ .heading = "", .titled = true };
    panels[1] = (panel){ .heading = "other libraries, beside the best backend" };
    for (size_t i = 0; i < s->chart->count; ++i) peers += s->chart->items[i].is_peer ? 1 : 0;
    const bool split = peers > 0 && s->chart->count > ONE_PANEL;
    for (size_t i = 0; i < s->chart->count; ++i)
        add_member(&panels[split && s->chart->items[i].is_peer ? 1 : 0], i);
    if (!split) return 1;
    panels[0].heading = "backends of tarry";
    add_best(s, &panels[1], false);
    add_best(s, &panels[1], true);
    return 2;
}

char *draw_lines(const chart *c, const drawing *d) {
    gnuplot g;
    scale s;
    panel panels[2];
    find_scale(&s, c, d);
    const size_t count = make_panels(&s, panels);
    const int width = count == 1 ? PANEL : PANEL_OF_TWO, column = LEFT + width + LABELS;
    if (!gnuplot_begin(&g, (int)count * column, HEIGHT)) return NULL;
    put_data(c, g.script);
    put_axes(&s, g.script);
    fputs("set ylabel ", g.script);
    gnuplot_text(d->y_label, g.script);
    if (count > 1) fputs("\nset multiplot", g.script);
    fputc('\n', g.script);
    for (size_t i = 0; i < count; ++i) {
        const frame f = { .width = (int)count * column, .height = HEIGHT, .top = TOP,
                          .bottom = BOTTOM, .left = (int)i * column + LEFT,
                          .right = (int)(count - 1 - i) * column + LABELS };
        put_panel(&s, &f, &panels[i], g.script);
        fputs("unset ylabel\n", g.script);
    }
    return gnuplot_end(&g);
}
