/* Shows: a contender has one colour, in every picture, and no two that are known share one; labels
 * keep their distance by moving as little as they can; and a report has each picture that its rows
 * can give, in the page and as a file, or says that gnuplot is missing. */
#include "check.h"
#include "report/chart.h"
#include "report/gnuplot.h"
#include "report/labels.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/verdict.h"
#include "suite.h"
#include "trace_files.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "tiered", "tiered-tick", "heap", "wheel", "hashed", "hybrid", "libuv", "libev", "libevent",
    "libevent-common", "glib", "asio", "dpdk", "timerfd", "timer_create", "go",
};

#define NAMES (sizeof names / sizeof *names)

static void each_name_has_one_colour(void) {
    for (size_t i = 0; i < NAMES; ++i) {
        const look own = look_of(names[i], false);
        test_context("%s", names[i]);
        CHECK(strcmp(own.colour, look_of(names[i], true).colour) == 0);
        CHECK(own.width > look_of(names[i], true).width);
        CHECK(!own.dashed);
        for (size_t k = 0; k < i; ++k)
            CHECK(strcmp(own.colour, look_of(names[k], false).colour) != 0);
    }
}

static void without_its_lock_a_backend_is_dashed(void) {
    const look own = look_of("tiered-tick-nolock", false);
    CHECK(strcmp(own.colour, look_of("tiered-tick", false).colour) == 0);
    CHECK(own.dashed);
}

static void unknown_names_get_a_colour_of_their_own(void) {
    char colours[100][8];
    for (int i = 0; i < 100; ++i) {
        char name[32];
        unsigned red, green, blue;
        snprintf(name, sizeof name, "structure %d", i);
        memcpy(colours[i], look_of(name, false).colour, sizeof *colours);
        test_context("%s: %s", name, colours[i]);
        CHECK(strcmp(colours[i], look_of(name, true).colour) == 0);
        CHECK_INT(sscanf(colours[i], "#%2x%2x%2x", &red, &green, &blue), 3);
        CHECK(red + green + blue < 3 * 190); /* to be seen on white */
        for (int k = 0; k < i; ++k) CHECK(strcmp(colours[k], colours[i]) != 0);
    }
}

static void labels_move_as_little_as_they_can(void) {
    static const struct {
        size_t count;
        double at[4], want[4];
    } cases[] = {
        { 1, { 0.5 }, { 0.5 } },
        { 2, { 0.2, 0.5 }, { 0.2, 0.5 } },
        { 2, { 0.5, 0.5 }, { 0.45, 0.55 } },
        { 3, { 0.4, 0.4, 0.4 }, { 0.3, 0.4, 0.5 } },
        { 3, { 0.1, 0.52, 0.54 }, { 0.1, 0.48, 0.58 } },
        { 3, { 1, 1, 1 }, { 0.8, 0.9, 1 } },
        { 4, { 0, 0, 0.05, 0.9 }, { 0, 0.1, 0.2, 0.9 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double at[4];
        memcpy(at, cases[c].at, sizeof at);
        labels_spread(at, cases[c].count, 0.1, 0, 1);
        for (size_t i = 0; i < cases[c].count; ++i) {
            test_context("case %zu, label %zu: %g", c, i, at[i]);
            CHECK(fabs(at[i] - cases[c].want[i]) < 1e-9);
        }
    }
}

static row *put(results *r, const char *workload, const char *backend, const char *peer,
                int64_t timers) {
    static const double means[] = { 10, 11, 12, 13, 14, 15, 16 };
    row one;
    row_init(&one, workload, backend, peer);
    one.timers = timers;
    one.threads = 1;
    one.ns_per_op = peer != NULL ? 39 : 13;
    row_set_repeats(&one, means, sizeof means / sizeof *means);
    rows_add(&r->rows, &one);
    return &r->rows.items[r->rows.count - 1];
}

static bool pick_mean(const row *r, double *x, double *y) {
    *x = (double)r->timers;
    *y = r->ns_per_op;
    return !isnan(*y);
}

static void a_chart_holds_points_in_order(void) {
    results r = { 0 };
    chart *c = malloc(sizeof *c);
    put(&r, "mixed", "heap", NULL, 1000000);
    put(&r, "mixed", "heap", NULL, 1000)->ns_per_op = 7;
    put(&r, "mixed", "heap", NULL, 1000)->ns_per_op = 8; /* a later run */
    put(&r, "mixed", "heap", NULL, 10)->threads = 2;
    put(&r, "fifo", "wheel", NULL, 1000);
    put(&r, "mixed", NULL, "libev", 1000);
    chart_collect(c, &r.rows, "mixed", 1, pick_mean);
    CHECK_INT(c->count, 2);
    CHECK_INT(c->items[0].count, 2);
    CHECK(c->items[0].x[0] < c->items[0].x[1]);
    CHECK_INT((int)c->items[0].y[0], 8);
    CHECK(c->items[1].is_peer);
    CHECK_INT(chart_count_x(c), 2);
    chart_keep_x(c, chart_max_x(c));
    CHECK_INT(c->count, 1);
    CHECK(strcmp(c->items[0].name, "heap") == 0);
    free(c);
    results_free(&r);
}

/* Two sizes, two numbers of threads, percentiles, memory, lateness; names that are no shell's. */
static void fill(results *r) {
    char name[] = "micro";
    char *arguments[] = { name };
    results_init(r, 1, arguments, 1);
    for (int64_t timers = 1000; timers <= 1000000; timers *= 1000) {
        row *one = put(r, "stop+add", "heap", NULL, timers);
        one->p50_ns = 10;
        one->p99_ns = 60;
        one->p9999_ns = 600;
        one->max_ns = 6000;
        one->bytes_per_timer = 80;
        one->floor_ns = 9;
        put(r, "stop+add", "wheel", NULL, timers)->bytes_per_timer = 90;
        put(r, "stop+add", NULL, "libev", timers);
    }
    put(r, "stop+add", "heap", NULL, 1000000)->threads = 2;
    put(r, "stop add", "a '; quit <b>", NULL, 1000);
    row *late = put(r, "lateness/callback", "heap", NULL, 20);
    late->ns_per_op = NAN;
    late->late_p50_us = 50;
    late->late_p99_us = 90;
}

static const char *const files[] = {
    "stop-add.svg", "stop-add-latency.svg", "stop-add-threads.svg", "stop-add-2.svg",
    "lateness-callback.svg", "memory.svg",
};

#define FILES (sizeof files / sizeof *files)

/* The colour of the text that is `name`, as gnuplot writes it. */
static bool has_name_in_its_colour(const char *svg, const char *name) {
    char text[64], colour[64] = "";
    unsigned red = 0, green = 0, blue = 0;
    const look own = look_of(name, false);
    sscanf(own.colour, "#%2x%2x%2x", &red, &green, &blue);
    snprintf(colour, sizeof colour, "fill=\"rgb(%u,%u,%u)\"", red, green, blue);
    snprintf(text, sizeof text, ">%s<", name);
    const char *at = strstr(svg, text);
    while (at != NULL && at > svg && strncmp(at, "fill=\"rgb", 9) != 0) --at;
    return at != NULL && strncmp(at, colour, strlen(colour)) == 0;
}

/* The longest of each kind, of whichever sequence; the rest of such rows makes no picture. */
static void the_longest_calls_are_one_picture(void) {
    results r = { 0 };
    pictures p;
    if (!gnuplot_available()) return;
    put(&r, "worst/stop", "heap", NULL, 1000)->max_ns = 4000;
    put(&r, "worst/burst-stop", "heap", NULL, 1000)->max_ns = 5000;
    put(&r, "worst/expire", "wheel", NULL, 1000)->max_ns = 90000;
    pictures_make(&p, &r);
    CHECK_INT(p.count, 1);
    if (p.count == 1) {
        CHECK(strcmp(p.items[0].file, "worst.svg") == 0);
        CHECK(strstr(p.items[0].svg, ">heap<") != NULL && strstr(p.items[0].svg, ">wheel<") != NULL);
    }
    pictures_free(&p);
    results_free(&r);
}

/* What was measured with one number of threads has no line over them. */
static void threads_take_two_points(void) {
    results r = { 0 };
    pictures p;
    if (!gnuplot_available()) return;
    for (int64_t threads = 1; threads <= 4; threads *= 2)
        put(&r, "mixed", "heap", NULL, 1000)->threads = threads;
    put(&r, "mixed", NULL, "libev", 1000);
    pictures_make(&p, &r);
    CHECK_INT(p.count, 2);
    if (p.count == 2) {
        CHECK(strcmp(p.items[1].file, "mixed-threads.svg") == 0);
        CHECK(strstr(p.items[0].svg, ">libev<") != NULL);
        CHECK(strstr(p.items[1].svg, ">libev<") == NULL);
    }
    pictures_free(&p);
    results_free(&r);
}

static void pictures_show_what_there_is(void) {
    results r;
    pictures p;
    if (!gnuplot_available()) return;
    fill(&r);
    pictures_make(&p, &r);
    CHECK(!p.failed);
    CHECK_INT(p.count, FILES);
    for (size_t i = 0; i < p.count && i < FILES; ++i) {
        test_context("%s", p.items[i].file);
        CHECK(strcmp(p.items[i].file, files[i]) == 0);
        CHECK(strstr(p.items[i].svg, "</svg>") != NULL);
        if (i != 3) CHECK(has_name_in_its_colour(p.items[i].svg, "heap"));
    }
    CHECK(strstr(p.items[0].svg, ">timers pending<") != NULL);
    CHECK(strstr(p.items[0].svg, ">ns per operation<") != NULL);
    CHECK(strstr(p.items[0].svg, ">libev<") != NULL);
    CHECK(strstr(p.items[2].svg, ">threads<") != NULL);
    pictures_free(&p);
    results_free(&r);
}

static size_t count_of(const char *text, const char *what) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at) ++count;
    return count;
}

/* Of the page that fill's results give, in a folder for files_end. */
static const char *make_page(void) {
    char why[128] = "";
    results r;
    fill(&r);
    files_begin();
    CHECK(page_write(&r, files_path("."), why, sizeof why));
    test_context("%s", why);
    results_free(&r);
    return files_read("index.html");
}

static void the_page_has_pictures_and_verdicts(void) {
    const bool plots = gnuplot_available();
    const char *text = make_page();
    CHECK_INT(count_of(text, "<svg"), plots ? FILES : 0);
    CHECK_INT(files_count(), 3 + (plots ? FILES : 0));
    CHECK_INT(count_of(text, "gnuplot is not installed"), plots ? 0 : 1);
    CHECK_INT(count_of(text, "gnuplot failed"), 0);
    CHECK(strstr(text, "class=\"verdict\">stop+add: at 1k timers no difference seen between ") !=
          NULL);
    CHECK(strstr(text, "<b>quit") == NULL);
    const char *last = strstr(text, "class=\"verdict\">Over all: ");
    CHECK(last != NULL && strstr(last, "<h2>") == NULL); /* it ends the page */
    files_end();
}

static void without_gnuplot_the_page_has_tables(void) {
    const char *path = getenv("PATH");
    char *kept = strdup(path != NULL ? path : "");
    setenv("PATH", "/nonexistent", 1);
    const char *text = make_page();
    setenv("PATH", kept, 1);
    CHECK_INT(count_of(text, "<svg"), 0);
    CHECK_INT(count_of(text, "gnuplot is not installed"), 1);
    CHECK(count_of(text, "<table>") > 0);
    CHECK_INT(files_count(), 3);
    free(kept);
    files_end();
}

TEST_SUITE("bench_pictures", 60, { "each_name_has_one_colour", each_name_has_one_colour },
           { "without_its_lock_a_backend_is_dashed", without_its_lock_a_backend_is_dashed },
           { "unknown_names_get_a_colour_of_their_own", unknown_names_get_a_colour_of_their_own },
           { "labels_move_as_little_as_they_can", labels_move_as_little_as_they_can },
           { "a_chart_holds_points_in_order", a_chart_holds_points_in_order },
           { "pictures_show_what_there_is", pictures_show_what_there_is },
           { "the_longest_calls_are_one_picture", the_longest_calls_are_one_picture },
           { "threads_take_two_points", threads_take_two_points },
           { "the_page_has_pictures_and_verdicts", the_page_has_pictures_and_verdicts },
           { "without_gnuplot_the_page_has_tables", without_gnuplot_the_page_has_tables })
