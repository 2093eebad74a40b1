#include "report/draw.h"

#include <math.h>
#include <stdio.h>

void draw_frame(const frame *f, FILE *script) {
    fprintf(script,
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
            (double)f->left / f->width, 1 - (double)f->right / f->width,
            (double)f->bottom / f->height, 1 - (double)f->top / f->height);
}

void draw_title(const frame *f, const char *title, FILE *script) {
    fputs("set label 999 ", script);
    gnuplot_text(title, script);
    fprintf(script, " at screen %.4f,%.4f left font 'sans-serif,15' tc rgb '#111111'\n",
            14. / f->width, 1 - 18. / f->height);
}

static void time_text(char *text, size_t size, double ns) {
    static const char *const units[] = { "ns", "us", "ms", "s" };
    size_t i = 0;
    for (; i < 3 && ns >= 999.5; ++i) ns /= 1000;
    snprintf(text, size, "%.3g %s", ns, units[i]);
}

/* How many of these a decade has. */
static const double steps_of[] = { 1, 2, 5, 1.5, 3, 7 };
enum { COARSE = 1, MEDIUM = 3, FINE = 6 };

void draw_log_tics(char axis, double low, double high, bool times, FILE *script) {
    const double decades = log10(high / low);
    const size_t steps = decades < 1.3 ? FINE : decades < 3.6 ? MEDIUM : COARSE;
    bool any = false;
    fprintf(script, "set %ctics (", axis);
    for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); ++decade) {
        for (size_t step = 0; step < steps; ++step) {
            const double at = steps_of[step] * pow(10, decade);
            char text[32];
            if (at < low || at > high) continue;
            if (times) time_text(text, sizeof text, at);
            else chart_count_text(text, sizeof text, at);
            fprintf(script, "%s'%s' %.6g", any ? ", " : "", text, at);
            any = true;
        }
    }
    fputs(") scale 0.5\n", script);
}

void draw_names(const chart *c, FILE *script) {
    for (size_t i = 0; i < c->count; ++i) {
        fprintf(script, "set label %zu ", i + 1);
        gnuplot_text(c->items[i].name, script);
        fprintf(script, " at graph 0,first %zu right offset char -0.8,0 tc rgb '%s'\n", i,
                c->items[i].look.colour);
    }
    fprintf(script, "set yrange [%.1f:-0.7]\nunset ytics\n", (double)c->count - 0.3);
}
