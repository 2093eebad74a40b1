#include "report/draw.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 760
#define ROW_HEIGHT 24
#define NAMES 150 /* beside the rows */

/* gnuplot's: disc, triangle, diamond, ring. */
static const int points[CHART_VALUES] = { 7, 9, 13, 6 };

static void find_range(const chart *c, double *low, double *high) {
    *low = HUGE_VAL;
    *high = 0;
    for (size_t i = 0; i < c->count; ++i) {
        for (size_t v = 0; v < CHART_VALUES; ++v) {
            *low = fmin(*low, c->items[i].values[v]); /* fmin and fmax leave out NAN */
            *high = fmax(*high, c->items[i].values[v]);
        }
    }
    *low /= 1.5;
    *high *= 1.5;
}

/* A line over all of a contender's values, then a mark at each. */
static void put_row(const chart *c, size_t i, FILE *script) {
    const series *one = &c->items[i];
    fprintf(script, "$d%zu << EOD\n", i);
    for (size_t v = 0; v < CHART_VALUES; ++v)
        if (!isnan(one->values[v])) fprintf(script, "%.6g %zu %d\n", one->values[v], i, points[v]);
    fputs("EOD\n", script);
}

static void put_plots(const chart *c, const drawing *d, FILE *script) {
    for (size_t i = 0; i < c->count; ++i) {
        const look *l = &c->items[i].look;
        fprintf(script,
                "%s $d%zu using 1:2 with lines lc rgb '%s' lw %.1f dt %d notitle, "
                "$d%zu using 1:2:3 with points lc rgb '%s' ps 0.8 pt variable notitle",
                i == 0 ? "plot" : ",", i, l->colour, l->width, l->dashed ? 2 : 1, i, l->colour);
    }
    for (size_t v = 0; v < CHART_VALUES && d->marks[v] != NULL; ++v) {
        fprintf(script, ", NaN with points lc rgb '#555555' ps 0.8 pt %d title ", points[v]);
        gnuplot_text(d->marks[v], script);
    }
    fputc('\n', script);
}

char *draw_dots(const chart *c, const drawing *d) {
    gnuplot g;
    const frame f = { .width = WIDTH, .height = (int)c->count * ROW_HEIGHT + 118, .left = NAMES,
                      .right = 40, .top = 62, .bottom = 56 };
    double low, high;
    if (!gnuplot_begin(&g, f.width, f.height)) return NULL;
    find_range(c, &low, &high);
    draw_frame(&f, g.script);
    draw_title(&f, d->title, g.script);
    draw_names(c, g.script);
    fprintf(g.script, "set logscale x\nset xrange [%.6g:%.6g]\nset xlabel ", low, high);
    gnuplot_text(d->x_label, g.script);
    fprintf(g.script, "\nset key at screen %.4f,%.4f right top horizontal samplen 1 width 1"
            " maxrows 1\n",
            1 - 30. / f.width, 1 - 34. / f.height);
    draw_log_tics('x', low, high, true, g.script);
    for (size_t i = 0; i < c->count; ++i) put_row(c, i, g.script);
    put_plots(c, d, g.script);
    return gnuplot_end(&g);
}
