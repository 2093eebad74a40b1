/* Rows as CSV: a line of names, then a line a row; fields as in JSON, empty where not measured. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "report/results.h"

/* False with errno set: not all of it was written. */
bool csv_write(const results *r, FILE *file);

#endif
