#include "report/draw.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 700
#define ROW_HEIGHT 24
#define NAMES 150 /* beside the rows */

char *draw_bars(const chart *c, const drawing *d) {
    gnuplot g;
    const frame f = { .width = WIDTH, .height = (int)c->count * ROW_HEIGHT + 96, .left = NAMES,
                      .right = 40, .top = 40, .bottom = 56 };
    double most = 0;
    if (!gnuplot_begin(&g, f.width, f.height)) return NULL;
    for (size_t i = 0; i < c->count; ++i) most = fmax(most, c->items[i].values[0]);
    draw_frame(&f, g.script);
    draw_title(&f, d->title, g.script);
    draw_names(c, g.script);
    fprintf(g.script, "set xrange [0:%.6g]\nset style fill solid\nset xlabel ", most * 1.12);
    gnuplot_text(d->x_label, g.script);
    fputc('\n', g.script);
    for (size_t i = 0; i < c->count; ++i) {
        const series *one = &c->items[i];
        const double half = one->is_peer ? 0.24 : 0.36;
        fprintf(g.script,
                "set object %zu rectangle from 0,%.2f to %.6g,%.2f fc rgb '%s' fs solid %.2f"
                " noborder\nset label %zu '%.3g' at %.6g,%zu left offset char 0.5,0"
                " font 'sans-serif,12'\n",
                i + 1, (double)i - half, one->values[0], (double)i + half, one->look.colour,
                one->look.dashed ? 0.5 : 0.9, i + 1 + c->count, one->values[0], one->values[0], i);
    }
    fputs("plot NaN\n", g.script);
    return gnuplot_end(&g);
}
