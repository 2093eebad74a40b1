#include "workload/longest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int longest_init(longest *l, size_t room) {
    *l = (longest){ .room = room };
    l->least = malloc(room * sizeof *l->least);
    if (l->least == NULL) return -ENOMEM;
    memset(l->least, 0xff, room * sizeof *l->least);
    return 0;
}

void longest_free(longest *l) {
    free(l->least);
    *l = (longest){ 0 };
}

void longest_rewind(longest *l) {
    l->at = 0;
}

static int compare_times(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int64_t at_fraction(const longest *l, double fraction) {
    const double place = ceil(fraction * (double)l->used);
    return l->least[place < 1 ? 0 : (size_t)place - 1];
}

void longest_row(longest *l, row *r) {
    if (l->used == 0) return;
    qsort(l->least, l->used, sizeof *l->least, compare_times);
    double sum = 0;
    for (size_t i = 0; i < l->used; ++i) sum += l->least[i];
    r->ops = (int64_t)l->used;
    r->ns_per_op = sum / (double)l->used;
    r->p50_ns = at_fraction(l, 0.5);
    r->p99_ns = at_fraction(l, 0.99);
    r->p9999_ns = at_fraction(l, 0.9999);
    r->max_ns = l->least[l->used - 1];
}
