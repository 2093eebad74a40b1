/* Shows: heap, tiered and wheel fire the same timers of a trace: on small traces as counted by hand,
 * on the two bundled ones, on copies and at another speed; the differences of those with a tick are
 * those of the tick and no other. */
#include "backends.h"
#include "check.h"
#include "suite.h"
#include "trace/contest.h"
#include "trace_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

static plan p;

static play_check check_on(const char *backend, int64_t tick_ns, int64_t count, double speed) {
    play_check check = { 0 };
    const char *why = NULL;
    const test_backend on = test_backend_for(backend, tick_ns);
    const play_spec spec = { .plan = &p, .backend = on.name, .tick_ns = on.tick_ns,
                             .replicate = count, .speed = speed, .seed = 7 };
    CHECK(play_check_all(&check, &spec, &why));
    test_context("%s: %s", backend, why != NULL ? why : "");
    return check;
}

static bool load(const char *path) {
    const char *why;
    return CHECK(plan_load(&p, path, &why));
}

static void small_traces_fire_as_counted_by_hand(void) {
    files_begin();
    if (load(files_text("small", "0,A,1,10000000,x\n"
                                 "1000000,A,2,10000000,x\n"
                                 "2000000,A,3,10000000,x\n"
                                 "3000000,R,1,10000000,x\n"  /* due at 13 ms now */
                                 "4000000,C,2,,x\n"
                                 "12000000,C,3,,x\n"         /* due at this very moment: fires */
                                 "20000000,A,4,0,x\n"        /* at once */
                                 "20000000,A,5,-7,x\n"
                                 "30000000,A,6,9223372036854775807,x\n" /* never */
                                 "30000000,A,7,31536000000000000,x\n"))) { /* in a year */
        const play_check heap = check_on("heap", 0, 1, 1), wheel = check_on("wheel", MS, 1, 1);
        CHECK(play_is_right(&heap));
        CHECK_INT(heap.expected, 5);
        CHECK_INT(heap.fired, 5);
        CHECK_INT(heap.peak, 3);
        CHECK_INT(heap.latest_ns, 0);
        CHECK(play_is_right(&wheel));
        CHECK_INT(wheel.expected, 5);
        CHECK_INT(wheel.fired + wheel.spared, 5);
        CHECK(wheel.expected_sum == heap.expected_sum);
        plan_free(&p);
    }
    files_end();
}

/* Due 0.3 ms into a tick, cancelled 0.5 ms into it: exact order fires, a tick of 1 ms does not. */
static void a_tick_spares_what_is_stopped_within_it(void) {
    files_begin();
    if (load(files_text("tick", "0,A,1,5300000,x\n"
                                "0,A,2,5300000,x\n"
                                "5500000,C,1,,x\n"
                                "5500000,R,2,1000000,x\n"))) {
        const play_check heap = check_on("heap", 0, 1, 1), wheel = check_on("wheel", MS, 1, 1);
        CHECK(play_is_right(&heap) && play_is_right(&wheel));
        CHECK_INT(heap.fired, 3);
        CHECK_INT(heap.spared, 0);
        CHECK_INT(wheel.expected, 3);
        CHECK_INT(wheel.fired, 1);
        CHECK_INT(wheel.spared, 2);
        CHECK(wheel.latest_ns > 0 && wheel.latest_ns <= MS);
        const play_check tiered = check_on("tiered", MS, 1, 1);
        CHECK(play_is_right(&tiered));
        CHECK_INT(tiered.fired, 1);
        CHECK_INT(tiered.spared, 2);
        CHECK(tiered.latest_ns > 0 && tiered.latest_ns <= MS);
        plan_free(&p);
    }
    files_end();
}

static play_check expect_exact(const char *backend, int64_t count, double speed) {
    const play_check exact = check_on(backend, 0, count, speed);
    test_context("%s x %" PRId64 " %s", p.name, count, backend);
    CHECK(play_is_right(&exact));
    CHECK_INT(exact.fired, exact.expected);
    CHECK(exact.fired_sum == exact.expected_sum);
    return exact;
}

static void expect_ticks(const char *backend, int64_t count, double speed,
                         const play_check *exact) {
    for (int64_t tick = 100000; tick <= 100 * MS; tick *= 10) {
        const play_check ticks = check_on(backend, tick, count, speed);
        test_context("%s x %" PRId64 " %s, tick %" PRId64, p.name, count, backend, tick);
        CHECK(play_is_right(&ticks));
        CHECK_INT(ticks.expected, exact->expected);
        CHECK(ticks.expected_sum == exact->expected_sum);
        CHECK(ticks.latest_ns <= tick);
    }
}

static void expect_equal(int64_t count, double speed) {
    const play_check heap = expect_exact("heap", count, speed);
    const play_check tiered = expect_exact("tiered", count, speed);
    CHECK_INT(tiered.fired, heap.fired);
    CHECK(tiered.fired_sum == heap.fired_sum);
    expect_ticks("tiered", count, speed, &heap);
    expect_ticks("wheel", count, speed, &heap);
}

static const char *bundled(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", TRACE_FOLDER, name);
    return path;
}

static void the_bundled_access_log_is_the_same_on_all(void) {
    if (!load(bundled("nginx-access.csv.gz"))) return;
    CHECK(p.arms + p.rearms >= 100000);
    CHECK_INT(p.recorded.agree, p.recorded.lines);
    CHECK_INT(p.skips.count + p.armed_again + p.rearmed_idle + p.cancelled_idle, 0);
    expect_equal(1, 1);
    expect_equal(3, 1);
    expect_equal(1, 4);
    plan_free(&p);
}

/* The kernel rounds up, and lets a CPU that is awake see to the timers of those that sleep: its
 * firings are 0 to 2 ticks after the deadline. */
static void the_bundled_kernel_trace_is_the_same_on_all(void) {
    if (!load(bundled("nginx-kernel.csv.gz"))) return;
    CHECK_INT(p.skips.count + p.armed_again, 0);
    CHECK_INT(p.tick_ns, 4 * MS);
    CHECK(p.recorded.agree + p.recorded.later > p.recorded.lines / 100 * 99);
    CHECK_INT(p.recorded.earlier + p.recorded.not_armed, 0);
    expect_equal(1, 1);
    plan_free(&p);
}

/* The same numbers of operations whichever way it is played, and for any number of times. */
static void what_is_timed_is_what_is_checked(void) {
    histogram kinds[PLAY_KINDS];
    play_times times = { .kinds = kinds };
    const char *why;
    for (int kind = 0; kind < PLAY_KINDS; ++kind) CHECK_INT(histogram_init(&kinds[kind]), 0);
    if (load(bundled("nginx-access.csv.gz"))) {
        const play_spec spec = { .plan = &p, .backend = test_backend_for("heap", 0).name,
                                 .replicate = 2, .speed = 1, .seed = 7 };
        const play_check check = check_on("heap", 0, 2, 1);
        CHECK(play_mean(&times, &spec, &why));
        CHECK(times.spent_ns > 0 && times.bytes_per_timer > 0);
        for (int turn = 0; turn < 2; ++turn) {
            CHECK_INT(times.counts[PLAY_ARM], 2 * p.arms);
            CHECK_INT(times.counts[PLAY_REARM], 2 * p.rearms);
            CHECK_INT(times.counts[PLAY_CANCEL], 0);
            CHECK_INT(times.counts[PLAY_EXPIRE], check.fired);
            CHECK(play_detail(&times, &spec, &why));
        }
        CHECK_INT(kinds[PLAY_REARM].count, 2 * 2 * p.rearms);
        plan_free(&p);
    }
    for (int kind = 0; kind < PLAY_KINDS; ++kind) histogram_free(&kinds[kind]);
}

static void an_unknown_backend_is_told(void) {
    play_check check;
    const char *why = NULL;
    files_begin();
    if (load(files_text("small", "0,A,1,5,x\n"))) {
        const play_spec spec = { .plan = &p, .backend = "heaps", .replicate = 1, .speed = 1 };
        contest c = { .plan = &p };
        CHECK(!play_check_all(&check, &spec, &why) && why != NULL);
        CHECK(!contest_add(&c, "heaps", MS, 1, 1, 1));
        CHECK(contest_add(&c, "heap", MS, 1, 1, 1));
        CHECK_INT(c.entries[0].spec.tick_ns, 0);
        CHECK(contest_add(&c, "wheel", MS, 1, 1, 1));
        CHECK_INT(c.entries[1].spec.tick_ns, MS);
        plan_free(&p);
    }
    files_end();
}

TEST_SUITE("trace play", 200,
           { "small_traces_fire_as_counted_by_hand", small_traces_fire_as_counted_by_hand },
           { "a_tick_spares_what_is_stopped_within_it", a_tick_spares_what_is_stopped_within_it },
           { "the_bundled_access_log_is_the_same_on_all",
             the_bundled_access_log_is_the_same_on_all },
           { "the_bundled_kernel_trace_is_the_same_on_all",
             the_bundled_kernel_trace_is_the_same_on_all },
           { "what_is_timed_is_what_is_checked", what_is_timed_is_what_is_checked },
           { "an_unknown_backend_is_told", an_unknown_backend_is_told })
