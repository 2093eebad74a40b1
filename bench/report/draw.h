/* Three sorts of pictures of a chart. All write the names beside what they name, in its colour. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include "report/chart.h"
#include "report/gnuplot.h"

typedef struct drawing {
    const char *title;
    const char *x_label, *y_label; /* with the unit */
    bool is_log;                   /* of lines: both axes; else x by powers of 2, y from 0 */
    const char *marks[CHART_VALUES]; /* of dots: what values[i] is */
} drawing;

/* Each: SVG text, to be freed; NULL: gnuplot failed. */

/* y over x, a line each, named at its end. Where they are many, other libraries have a panel of
 * their own, with the best backends for comparison, on the same scale. */
char *draw_lines(const chart *c, const drawing *d);
/* values[0] of each, from 0, with the figure. */
char *draw_bars(const chart *c, const drawing *d);
/* values[] of each, times in ns on a logarithmic axis. */
char *draw_dots(const chart *c, const drawing *d);

/* For those three. */

/* Margins in pixels of a picture of that size, so that places can be counted. */
typedef struct frame {
    int width, height;
    int left, right, top, bottom;
} frame;
void draw_frame(const frame *f, FILE *script);
/* At the left upper corner. */
void draw_title(const frame *f, const char *title, FILE *script);
/* Tics at decades, and between them the more, the fewer decades there are; axis 'x' or 'y'. */
void draw_log_tics(char axis, double low, double high, bool times, FILE *script);
/* Each contender's name beside its row, the first at the top. */
void draw_names(const chart *c, FILE *script);

#endif
