#include "report/labels.h"

/* Less their own share of gaps, places only have to rise: neighbours that do not are pooled and
 * take their mean, which is the nearest rising sequence. */
void labels_spread(double *at, size_t count, double gap, double low, double high) {
    double means[LABELS_MAX];
    size_t sizes[LABELS_MAX], pools = 0, k = 0;
    if (count > LABELS_MAX) count = LABELS_MAX;
    if (count == 0) return;
    for (size_t i = 0; i < count; ++i) {
        means[pools] = at[i] - (double)i * gap;
        sizes[pools++] = 1;
        for (; pools > 1 && means[pools - 2] >= means[pools - 1]; --pools) {
            const double a = (double)sizes[pools - 2], b = (double)sizes[pools - 1];
            means[pools - 2] = (means[pools - 2] * a + means[pools - 1] * b) / (a + b);
            sizes[pools - 2] += sizes[pools - 1];
        }
    }
    const double top = high - (double)(count - 1) * gap;
    for (size_t pool = 0; pool < pools; ++pool) {
        double place = means[pool] > top ? top : means[pool];
        if (place < low) place = low;
        for (size_t i = 0; i < sizes[pool]; ++i, ++k) at[k] = place + (double)k * gap;
    }
}
