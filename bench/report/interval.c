#include "report/interval.h"

#include "report/row.h"

#include <math.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* P(B = k), B binomial (n, 1/2). */
static double binomial(size_t n, size_t k) {
    return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
               (double)n * M_LN2);
}

interval interval_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_reals);
    size_t out = 0; /* of either end */
    double tail = binomial(count, 0);
    while (2 * (out + 2) <= count && 1 - 2 * (tail + binomial(count, out + 1)) >= INTERVAL_WANTED)
        tail += binomial(count, ++out);
    const double upper = values[count / 2], lower = values[(count - 1) / 2];
    return (interval){ .median = (lower + upper) / 2, .low = values[out],
                       .high = values[count - 1 - out], .coverage = fmax(1 - 2 * tail, 0),
                       .count = count };
}

interval interval_of_ratios(const double *a, const double *b, size_t count) {
    double ratios[ROW_REPEATS];
    if (count > ROW_REPEATS) count = ROW_REPEATS;
    for (size_t k = 0; k < count; ++k) ratios[k] = a[k] / b[k];
    return interval_of(ratios, count);
}

bool interval_tells(const interval *i) {
    return i->coverage >= INTERVAL_LEAST;
}

bool interval_is_above_one(const interval *i) {
    return interval_tells(i) && i->low > 1;
}
