/* Shows: the histogram's percentiles are those of the sorted values to three digits, its minimum
 * and maximum exact, over the whole range of int64; merging is the same as adding all to one. */
#include "check.h"
#include "report/histogram.h"
#include "suite.h"
#include "workload/random.h"

#include <stdlib.h>

#define VALUES 20000

static const double fractions[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

static int compare_ints(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The definition: the smallest value so that at least fraction * count are not above it. */
static int64_t sorted_percentile(const int64_t *sorted, size_t count, double fraction) {
    for (size_t i = 0; i < count; ++i)
        if ((double)(i + 1) >= fraction * (double)count) return sorted[i];
    return sorted[count - 1];
}

/* Values whose size in bits is random, up to `bits`. */
static void fill(int64_t *values, uint64_t seed, int bits) {
    for (int i = 0; i < VALUES; ++i) {
        const int64_t shift = random_between(&seed, 0, bits);
        values[i] = (int64_t)(random_next(&seed) >> (63 - shift) >> 1);
    }
}

static void compare_with_sorting(int bits) {
    static int64_t values[VALUES];
    histogram h;
    test_context("values of up to %d bits", bits);
    CHECK_INT(histogram_init(&h), 0);
    fill(values, (uint64_t)bits, bits);
    for (int i = 0; i < VALUES; ++i) histogram_add(&h, values[i]);
    qsort(values, VALUES, sizeof *values, compare_ints);
    for (size_t f = 0; f < sizeof fractions / sizeof *fractions; ++f) {
        const int64_t truth = sorted_percentile(values, VALUES, fractions[f]);
        const int64_t got = histogram_percentile(&h, fractions[f]);
        CHECK(got >= truth);
        CHECK(got - truth <= truth / 1024);
    }
    CHECK_INT(h.min, values[0]);
    CHECK_INT(h.max, values[VALUES - 1]);
    CHECK_INT(histogram_percentile(&h, 1), values[VALUES - 1]);
    histogram_free(&h);
}

static void percentiles_are_those_of_sorting(void) {
    for (int bits = 1; bits <= 63; ++bits) compare_with_sorting(bits);
}

static void small_values_are_exact(void) {
    histogram h;
    CHECK_INT(histogram_init(&h), 0);
    for (int64_t value = 1; value <= 2047; ++value) histogram_add(&h, value);
    for (int64_t value = 1; value <= 2047; ++value)
        CHECK_INT(histogram_percentile(&h, (double)value / 2047), value);
    CHECK(histogram_mean(&h) == 1024);
    histogram_free(&h);
}

static void the_ends_of_the_range_have_room(void) {
    histogram h;
    CHECK_INT(histogram_init(&h), 0);
    CHECK_INT(histogram_percentile(&h, 0.5), 0);
    CHECK(histogram_mean(&h) == 0);
    histogram_add(&h, INT64_MIN);
    CHECK_INT(h.max, 0);
    histogram_add(&h, INT64_MAX);
    histogram_add(&h, INT64_MAX - 1);
    CHECK_INT(h.count, 3);
    CHECK_INT(h.min, 0);
    CHECK_INT(histogram_percentile(&h, 1), INT64_MAX);
    CHECK_INT(histogram_percentile(&h, 0.3), 0);
    histogram_free(&h);
}

static void merged_is_as_added_to_one(void) {
    static int64_t values[VALUES];
    histogram all, parts[3];
    CHECK_INT(histogram_init(&all), 0);
    for (int i = 0; i < 3; ++i) CHECK_INT(histogram_init(&parts[i]), 0);
    fill(values, 5, 40);
    for (int i = 0; i < VALUES; ++i) {
        histogram_add(&all, values[i]);
        histogram_add(&parts[i % 2], values[i]);
    }
    /* The third is empty: it must change nothing. */
    histogram_merge(&parts[2], &parts[0]);
    histogram_merge(&parts[0], &parts[1]);
    histogram_merge(&parts[2], &parts[1]);
    for (int i = 0; i <= 2; i += 2) {
        CHECK_INT(parts[i].count, all.count);
        CHECK_INT(parts[i].min, all.min);
        CHECK_INT(parts[i].max, all.max);
        for (size_t f = 0; f < sizeof fractions / sizeof *fractions; ++f)
            CHECK_INT(histogram_percentile(&parts[i], fractions[f]),
                      histogram_percentile(&all, fractions[f]));
    }
    for (int i = 0; i < 3; ++i) histogram_free(&parts[i]);
    histogram_free(&all);
}

static void cleared_is_as_new(void) {
    histogram h;
    CHECK_INT(histogram_init(&h), 0);
    histogram_add(&h, 1000000);
    histogram_clear(&h);
    CHECK_INT(h.count, 0);
    histogram_add(&h, 7);
    CHECK_INT(h.min, 7);
    CHECK_INT(h.max, 7);
    CHECK_INT(histogram_percentile(&h, 1), 7);
    histogram_free(&h);
}

TEST_SUITE("bench_histogram", 60,
           { "percentiles_are_those_of_sorting", percentiles_are_those_of_sorting },
           { "small_values_are_exact", small_values_are_exact },
           { "the_ends_of_the_range_have_room", the_ends_of_the_range_have_room },
           { "merged_is_as_added_to_one", merged_is_as_added_to_one },
           { "cleared_is_as_new", cleared_is_as_new })
