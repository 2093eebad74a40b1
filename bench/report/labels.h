/* Labels beside the lines that they name, which must not lie over each other. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include <stddef.h>

#define LABELS_MAX 64

/* Move what is closer than `gap` apart, by as little as can be (least squares), and keep all between
 * low and high if they fit. `at` is in rising order, and stays so. Of more than LABELS_MAX the rest
 * stays as it is. */
void labels_spread(double *at, size_t count, double gap, double low, double high);

#endif
