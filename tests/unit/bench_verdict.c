/* Shows: the interval of order statistics and the point where two lines cross, against answers worked
 * out by hand; and that a verdict names the fastest, sees no difference where there is none, claims
 * nothing of too few repeats, and copes with rows that are missing. */
#include "check.h"
#include "report/interval.h"
#include "report/verdict.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define REPEATS 7

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9 * fmax(1, fabs(b));
}

/* 1 - 2 P(B < k): 1 - 2/2^n for the ends; 9 values: 1 - 2 (1 + 9)/512; 20: 1 - 2 * 21700/2^20. */
static void the_interval_is_of_order_statistics(void) {
    static const struct {
        size_t count;
        double low, high, median, coverage;
    } cases[] = {
        { 1, 1, 1, 1, 0 },          { 2, 1, 2, 1.5, 0.5 },       { 5, 1, 5, 3, 0.9375 },
        { 6, 1, 6, 3.5, 0.96875 },  { 8, 1, 8, 4.5, 1 - 2. / 256 }, { 9, 2, 8, 5, 1 - 20. / 512 },
        { 20, 6, 15, 10.5, 1 - 2 * 21700. / 1048576 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double values[20];
        for (size_t i = 0; i < cases[c].count; ++i) /* in no order: the steps of 7 meet each once */
            values[i] = (double)(i * 7 % cases[c].count + 1);
        test_context("%zu values", cases[c].count);
        const interval got = interval_of(values, cases[c].count);
        CHECK(near(got.low, cases[c].low));
        CHECK(near(got.high, cases[c].high));
        CHECK(near(got.median, cases[c].median));
        CHECK(near(got.coverage, cases[c].coverage));
        CHECK_INT(interval_tells(&got), cases[c].count >= 5);
    }
}

/* A minute in which all is twice as slow does not widen it. */
static void ratios_are_of_pairs(void) {
    static const double a[] = { 15, 30, 16.5, 15, 33, 31.5 };
    static const double b[] = { 10, 20, 11, 10, 22, 21 };
    const interval got = interval_of_ratios(a, b, 6);
    CHECK(near(got.low, 1.5));
    CHECK(near(got.high, 1.5));
    CHECK(interval_is_above_one(&got));
    const interval few = interval_of_ratios(a, b, 4);
    CHECK(!interval_is_above_one(&few));
}

static void lines_cross_on_log_log_scales(void) {
    CHECK(near(verdict_crossing(1e3, 0.5, 1e5, 2), 1e4));
    CHECK(near(verdict_crossing(1e3, 2, 1e5, 0.5), 1e4));
    CHECK(near(verdict_crossing(1e3, 0.25, 1e6, 2), 1e5));
    CHECK(near(verdict_crossing(1e3, 1, 1e6, 2), 1e3));
    CHECK(near(verdict_crossing(1e3, 0.5, 1e6, 1), 1e6));
    CHECK(isnan(verdict_crossing(1e3, 1.1, 1e6, 2)));
    CHECK(isnan(verdict_crossing(1e3, 1, 1e6, 1)));
    CHECK(isnan(verdict_crossing(1e3, 0.5, 1e3, 2)));
}

/* A row of REPEATS repeats: ns, with a noise that the contenders of a run share, times 1 +- spread. */
static row *put(rows *list, const char *backend, const char *peer, int64_t timers, double ns,
                double spread) {
    static const double shared[REPEATS] = { 1, 1.3, 0.9, 1.1, 2, 1.05, 0.95 };
    static const double own[REPEATS] = { 0, 1, -1, 0.5, -0.5, 0.8, -0.8 };
    double means[REPEATS];
    row r;
    row_init(&r, "mixed", backend, peer);
    r.timers = timers;
    r.threads = 1;
    r.ns_per_op = ns;
    for (int k = 0; k < REPEATS; ++k) means[k] = ns * shared[k] * (1 + spread * own[k]);
    row_set_repeats(&r, means, REPEATS);
    rows_add(list, &r);
    return &list->items[list->count - 1];
}

static verdict judge(const rows *list) {
    verdict v;
    size_t next = 0;
    CHECK(verdict_next(&v, list, &next));
    return v;
}

static void expect_text(const rows *list, const char *want) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const verdict v = judge(list);
    verdict_write(&v, file);
    fclose(file);
    test_context("%s", text);
    CHECK(strcmp(text, want) == 0);
    free(text);
}

static void the_fastest_is_named_with_its_margin(void) {
    rows list = { 0 };
    put(&list, "wheel", NULL, 1000, 30, 0);
    put(&list, "tiered", NULL, 1000, 20, 0);
    put(&list, "heap", NULL, 1000, 50, 0);
    expect_text(&list, "mixed: at 1k timers tiered is the fastest backend, ahead of wheel by 1.5 x "
                       "(98 % interval 1.5 to 1.5); no other size was measured.");
    rows_free(&list);
}

static void no_difference_is_seen_where_the_interval_includes_one(void) {
    rows list = { 0 };
    put(&list, "heap", NULL, 1000, 20, 0);
    put(&list, "tiered", NULL, 1000, 20, 0.1);
    put(&list, "wheel", NULL, 1000, 40, 0);
    expect_text(&list, "mixed: at 1k timers no difference seen between heap and tiered, tiered to "
                       "heap 1 x (98 % interval 0.9 to 1.1); no other size was measured.");
    const verdict v = judge(&list);
    CHECK(verdict_ties(&v.points[0].locked, 0));
    CHECK(verdict_ties(&v.points[0].locked, 1));
    CHECK(!verdict_ties(&v.points[0].locked, 2));
    rows_free(&list);
}

static void one_repeat_claims_nothing(void) {
    rows list = { 0 };
    put(&list, "heap", NULL, 1000, 20, 0)->repeat_count = 1;
    put(&list, "tiered", NULL, 1000, 40, 0)->repeat_count = 1;
    expect_text(&list, "mixed: at 1k timers heap has the least mean of the backends, ahead of tiered"
                       " by 2 x (too few repeats for an interval: 1); no other size was measured.");
    rows_free(&list);
}

static void the_order_changes_where_the_lines_cross(void) {
    rows list = { 0 };
    verdict_change change;
    size_t from = 0;
    put(&list, "tiered", NULL, 100000, 20, 0);
    put(&list, "heap", NULL, 100000, 40, 0);
    put(&list, "heap", NULL, 1000, 10, 0);
    put(&list, "tiered", NULL, 1000, 20, 0);
    const verdict v = judge(&list);
    CHECK_INT(v.count, 2);
    CHECK_INT(v.points[0].timers, 1000);
    CHECK(verdict_find_change(&change, &v, &from));
    CHECK(strcmp(change.from, "heap") == 0);
    CHECK(strcmp(change.to, "tiered") == 0);
    CHECK(near(change.timers, 1e4));
    CHECK(!verdict_find_change(&change, &v, &from));
    expect_text(&list, "mixed: at 1k timers heap is the fastest backend, ahead of tiered by 2 x "
                       "(98 % interval 2 to 2); at 100k tiered, ahead of heap by 2 x (2 to "
                       "2); the order changes from heap to tiered at about 10k timers.");
    rows_free(&list);
}

/* At the first size both are first; that the other one is behind later is no change of the order. */
static void a_tie_is_no_change_of_the_order(void) {
    rows list = { 0 };
    verdict_change change;
    size_t from = 0;
    put(&list, "heap", NULL, 1000, 10, 0);
    put(&list, "tiered", NULL, 1000, 10, 0.1);
    put(&list, "heap", NULL, 100000, 40, 0);
    put(&list, "tiered", NULL, 100000, 20, 0);
    const verdict v = judge(&list);
    CHECK(!verdict_find_change(&change, &v, &from));
    rows_free(&list);
}

static void rows_that_are_missing_are_told(void) {
    rows list = { 0 };
    verdict_change change;
    size_t from = 0;
    row unmeasured;
    put(&list, "heap", NULL, 1000, 10, 0);
    put(&list, "tiered", NULL, 100000, 20, 0);
    row_init(&unmeasured, "mixed", "tiered", NULL); /* as in a file from before there were repeats */
    unmeasured.timers = 1000;
    unmeasured.threads = 1;
    unmeasured.ns_per_op = 1;
    rows_add(&list, &unmeasured);
    const verdict v = judge(&list);
    CHECK_INT(v.points[0].locked.count, 1);
    CHECK(verdict_find_change(&change, &v, &from));
    CHECK(isnan(change.timers));
    expect_text(&list, "mixed: at 1k timers heap alone was measured; at 100k tiered alone was measured; the"
                       " order changes from heap to tiered between 1k and 100k timers.");
    rows_free(&list);
    size_t next = 0;
    verdict none;
    rows_add(&list, &unmeasured);
    CHECK(!verdict_next(&none, &list, &next));
    rows_free(&list);
}

/* Libraries are compared with what takes no lock either. */
static void peers_meet_the_backend_without_a_lock(void) {
    rows list = { 0 };
    put(&list, "heap", NULL, 1000, 20, 0);
    put(&list, "heap-nolock", NULL, 1000, 10, 0);
    put(&list, NULL, "libev", 1000, 15, 0);
    put(&list, NULL, "libuv", 1000, 50, 0);
    expect_text(&list, "mixed: at 1k timers heap alone was measured; no other size was measured. "
                       "Other libraries: at 1k timers the fastest is libev, 1.5 x (98 % interval 1.5"
                       " to 1.5) the time of heap-nolock.");
    rows_free(&list);
}

/* What two runs measured is never paired. */
static void of_two_runs_the_later_counts(void) {
    rows list = { 0 };
    put(&list, "heap", NULL, 1000, 10, 0);
    put(&list, "tiered", NULL, 1000, 20, 0);
    put(&list, "heap", NULL, 1000, 40, 0)->run = 1;
    put(&list, "tiered", NULL, 1000, 30, 0)->run = 1;
    const verdict v = judge(&list);
    CHECK_INT(v.count, 1);
    CHECK_INT(v.points[0].run, 1);
    CHECK(strcmp(v.points[0].locked.members[0]->backend, "tiered") == 0);
    rows_free(&list);
}

static void copies_of_a_trace_are_a_size(void) {
    rows list = { 0 };
    for (int64_t copies = 1; copies <= 10; copies *= 10) {
        put(&list, "heap", NULL, 990 * copies, 10, 0)->replicate = copies;
        put(&list, "wheel", NULL, 1000 * copies, 20, 0)->replicate = copies;
    }
    const verdict v = judge(&list);
    CHECK_INT(v.count, 2);
    CHECK_INT(v.points[0].timers, 1000);
    CHECK_INT(v.points[1].locked.count, 2);
    rows_free(&list);
}

static void over_all_counts_the_first_places(void) {
    rows list = { 0 };
    char *text = NULL;
    size_t size;
    put(&list, "heap", NULL, 1000, 10, 0);
    put(&list, "tiered", NULL, 1000, 10, 0.1);
    put(&list, "heap", NULL, 100000, 40, 0);
    put(&list, "tiered", NULL, 100000, 20, 0);
    FILE *file = open_memstream(&text, &size);
    CHECK(!verdict_write_all(&list, file)); /* its own verdict says it all */
    put(&list, "heap", NULL, 1000, 40, 0)->threads = 2;
    put(&list, "tiered", NULL, 1000, 20, 0)->threads = 2;
    CHECK(verdict_write_all(&list, file));
    fclose(file);
    CHECK(strcmp(text, "Over all: the fastest backend, or no different from it, in 3 workloads and "
                       "sizes: tiered in 3, heap in 1.") == 0);
    free(text);
    rows_free(&list);
}

TEST_SUITE("bench_verdict", 60,
           { "the_interval_is_of_order_statistics", the_interval_is_of_order_statistics },
           { "ratios_are_of_pairs", ratios_are_of_pairs },
           { "lines_cross_on_log_log_scales", lines_cross_on_log_log_scales },
           { "the_fastest_is_named_with_its_margin", the_fastest_is_named_with_its_margin },
           { "no_difference_is_seen_where_the_interval_includes_one",
             no_difference_is_seen_where_the_interval_includes_one },
           { "one_repeat_claims_nothing", one_repeat_claims_nothing },
           { "the_order_changes_where_the_lines_cross", the_order_changes_where_the_lines_cross },
           { "a_tie_is_no_change_of_the_order", a_tie_is_no_change_of_the_order },
           { "rows_that_are_missing_are_told", rows_that_are_missing_are_told },
           { "peers_meet_the_backend_without_a_lock", peers_meet_the_backend_without_a_lock },
           { "of_two_runs_the_later_counts", of_two_runs_the_later_counts },
           { "copies_of_a_trace_are_a_size", copies_of_a_trace_are_a_size },
           { "over_all_counts_the_first_places", over_all_counts_the_first_places })
