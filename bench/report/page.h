/* The report: a folder with index.html (one file, nothing else needed to read it), results.json,
 * results.csv, and each picture of the page as an SVG file of its own. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/results.h"

/* The i-th file that page_write always makes, or NULL past the last. */
const char *page_file(size_t i);

/* Write them, each whole or not at all, into a folder that exists. False: why says which could
 * not be written and what is wrong. Where gnuplot is missing the page says so and has no plots. */
bool page_write(const results *r, const char *folder, char *why, size_t size);

#endif
