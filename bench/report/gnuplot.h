/* gnuplot, as a program: a script goes in, SVG text comes out. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Is it here? */
bool gnuplot_available(void);

typedef struct gnuplot {
    FILE *script; /* write to it */
    char path[32];
} gnuplot;

/* A script that makes one SVG picture of that size. False: no file could be made. */
bool gnuplot_begin(gnuplot *g, int width, int height);
/* The SVG text, to be freed. NULL: it failed. */
char *gnuplot_end(gnuplot *g);

/* A text within single quotes: a results file from elsewhere must not reach gnuplot as commands. */
void gnuplot_text(const char *text, FILE *script);

#endif
