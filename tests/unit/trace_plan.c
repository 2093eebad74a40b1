/* Shows: a loaded trace says what is done to which timer and when it is due; what does not fit
 * together gets the sense that timers would give it, and is counted; recorded firings are compared
 * with the deadlines; copies are shifted by the seed alone, and speed changes the gaps, not the
 * delays. */
#include "check.h"
#include "suite.h"
#include "trace/copies.h"
#include "trace_files.h"

#include <stdio.h>
#include <string.h>
#include <tarry/base.h>

static plan p;

static bool load(const char *text) {
    const char *why = "";
    const bool loaded = plan_load(&p, files_text("mine.csv.gz", text), &why);
    test_context("%s", why != NULL ? why : "");
    return loaded;
}

static void expect_op(size_t i, int64_t t_ns, char op, uint32_t id, int64_t deadline, bool first,
                      bool last) {
    if (!CHECK(i < p.count)) return;
    CHECK_INT(p.ops[i].t_ns, t_ns);
    CHECK_INT(p.ops[i].op, op);
    CHECK_INT(p.ops[i].id, id);
    if (op != 'C') CHECK_INT(p.ops[i].deadline, deadline);
    CHECK_INT(p.ops[i].first, first);
    CHECK_INT(p.ops[i].last, last);
}

static void operations_become_deadlines(void) {
    files_begin();
    CHECK(load("100,A,18446744073709551615,50,x\n"
               "110,A,7,-5,x\n"
               "120,R,18446744073709551615,60,x\n"
               "130,C,18446744073709551615,,x\n"
               "140,A,9,9223372036854775807,x\n"));
    CHECK(strcmp(p.name, "mine") == 0);
    CHECK_INT(p.count, 5);
    CHECK_INT(p.ids, 3);
    CHECK_INT(p.length_ns, 40);
    expect_op(0, 0, 'A', 0, 50, true, false);
    expect_op(1, 10, 'A', 1, 10, true, true); /* due at once */
    expect_op(2, 20, 'R', 0, 80, false, false);
    expect_op(3, 30, 'C', 0, 0, false, true);
    expect_op(4, 40, 'A', 2, TARRY_FOREVER, true, true);
    CHECK_INT(p.armed_again + p.rearmed_idle + p.cancelled_idle, 0);
    plan_free(&p);
    files_end();
}

/* A timer that is due fires before what is done to it at the same moment. */
static void what_does_not_fit_gets_the_sense_of_timers(void) {
    files_begin();
    CHECK(load("0,C,1,,x\n"
               "1,R,1,10,x\n"
               "5,A,1,10,x\n"
               "15,R,1,10,x\n"
               "25,C,1,,x\n"
               "26,A,1,10,x\n"
               "35,C,1,,x\n"));
    expect_op(0, 0, 'C', 0, 0, true, false);
    expect_op(1, 1, 'A', 0, 11, false, false);  /* R of an idle timer */
    expect_op(2, 5, 'R', 0, 15, false, false);  /* A of a pending one */
    expect_op(3, 15, 'A', 0, 25, false, false); /* it fired at 15 */
    expect_op(4, 25, 'C', 0, 0, false, false);
    expect_op(5, 26, 'A', 0, 36, false, false);
    expect_op(6, 35, 'C', 0, 0, false, true);
    CHECK_INT(p.armed_again, 1);
    CHECK_INT(p.rearmed_idle, 2);
    CHECK_INT(p.cancelled_idle, 2);
    CHECK_INT(p.arms, 3);
    CHECK_INT(p.rearms, 1);
    CHECK_INT(p.cancels, 3);
    plan_free(&p);
    files_end();
}

/* Within a tick before the deadline the recorder is right: it counts from the tick's beginning. */
static void recorded_firings_are_compared(void) {
    files_begin();
    CHECK(load("# tick_ns=4\n"
               "0,A,1,100,x\n"
               "0,A,2,100,x\n"
               "0,A,3,100,x\n"
               "0,A,4,100,x\n"
               "0,A,5,100,x\n"
               "0,A,6,100,x\n"
               "0,A,7,100,x\n"
               "0,A,8,500,x\n"
               "95,F,2,,x\n"  /* more than a tick early: pending on */
               "96,F,1,,x\n"  /* a tick early: moved */
               "96,A,1,900,x\n"
               "97,R,2,900,x\n"
               "104,F,3,,x\n" /* a tick late */
               "104,C,6,,x\n" /* due a tick ago, and did not fire */
               "108,F,4,,x\n" /* two ticks late */
               "108,F,4,,x\n" /* twice */
               "109,F,5,,x\n" /* more */
               "110,C,7,,x\n" /* due ten ago, and did not fire */
               "110,C,9,,x\n"
               "111,F,9,,x\n")); /* was not armed */
    CHECK_INT(p.recorded.lines, 7);
    CHECK_INT(p.recorded.agree, 2);
    CHECK_INT(p.recorded.later, 1);
    CHECK_INT(p.recorded.far_later, 1);
    CHECK_INT(p.recorded.far_later_ns, 9);
    CHECK_INT(p.recorded.earlier, 1);
    CHECK_INT(p.recorded.earlier_ns, 5);
    CHECK_INT(p.recorded.not_armed, 2);
    CHECK_INT(p.recorded.ended_near, 1);
    CHECK_INT(p.recorded.ended_far, 1);
    CHECK_INT(p.recorded.ended_far_ns, 10);
    CHECK(p.tick_told);
    CHECK_INT(p.ops[0].deadline, 96);
    CHECK_INT(p.ops[8].op, 'A');
    CHECK_INT(p.ops[9].op, 'R');
    CHECK_INT(p.length_ns, 111);
    plan_free(&p);
    files_end();
}

static void the_recorders_tick_can_be_seen_in_the_delays(void) {
    files_begin();
    CHECK(load("0,A,1,8000000,x\n1,A,2,12000000,x\n2,A,3,-3,x\n"));
    CHECK(!p.tick_told);
    CHECK_INT(p.tick_ns, 4000000);
    plan_free(&p);
    CHECK(load("0,A,1,75000000000,x\n")); /* no clock is that coarse */
    CHECK_INT(p.tick_ns, 1);
    plan_free(&p);
    files_end();
}

static void a_file_that_arms_nothing_is_an_error(void) {
    const char *why;
    files_begin();
    CHECK(!load(""));
    CHECK(!load("# only\n# comments\n"));
    CHECK(!load("rubbish\n"));
    CHECK(!load("0,F,1,,x\n"));
    CHECK(!plan_load(&p, files_path("missing.csv"), &why));
    CHECK(strcmp(why, "No such file or directory") == 0);
    CHECK(load("rubbish\n5,A,1,5,x\n"));
    CHECK_INT(p.skips.count, 1);
    plan_free(&p);
    files_end();
}

/* All operations of K copies as text: t, op, timer, deadline, and first and last as marks. */
static const char *stream(int64_t count, double speed, uint64_t seed) {
    static char texts[2][4096];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    copies c;
    copies_op op;
    text[0] = '\0';
    CHECK(copies_open(&c, &p, count, speed, seed));
    while (copies_next(&op, &c)) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof *texts - used, "%lld%c%llu>%lld%s%s ", (long long)op.t_ns,
                 op.op, (unsigned long long)op.timer, op.op == 'C' ? 0 : (long long)op.deadline,
                 op.first ? "<" : "", op.last ? "!" : "");
    }
    copies_close(&c);
    return text;
}

static void one_copy_is_the_trace(void) {
    files_begin();
    CHECK(load("5,F,3,,x\n7,A,1,100,x\n9,A,2,50,x\n20,C,1,,x\n"));
    CHECK(strcmp(stream(1, 1, 1), "2A1>102< 4A2>54<! 15C1>0! ") == 0);
    CHECK(strcmp(stream(1, 1, 2), stream(1, 1, 1)) == 0);
    plan_free(&p);
    files_end();
}

static void speed_divides_gaps_and_leaves_delays(void) {
    files_begin();
    CHECK(load("0,A,1,100,x\n40,R,1,100,x\n60,A,2,9223372036854775807,x\n"));
    CHECK(strcmp(stream(1, 2, 1), "0A0>100< 20R0>120! 30A1>9223372036854775807<! ") == 0);
    CHECK(strcmp(stream(1, 0.5, 1), "0A0>100< 80R0>180! 120A1>9223372036854775807<! ") == 0);
    plan_free(&p);
    files_end();
}

static void copies_are_shifted_by_the_seed_alone(void) {
    copies c;
    copies_op op;
    int64_t last = 0, counts[50] = { 0 }, begins[50] = { 0 };
    files_begin();
    CHECK(load("0,A,1,100,x\n1000000,C,1,,x\n"));
    CHECK(strcmp(stream(50, 1, 1), stream(50, 1, 1)) == 0);
    CHECK(strcmp(stream(50, 1, 1), stream(50, 1, 2)) != 0);
    CHECK(copies_open(&c, &p, 50, 1, 1));
    while (copies_next(&op, &c)) {
        if (!CHECK(op.timer < 50 && op.t_ns >= last)) break;
        last = op.t_ns;
        if (op.op == 'A') begins[op.timer] = op.t_ns;
        else CHECK_INT(op.t_ns, begins[op.timer] + 1000000);
        ++counts[op.timer];
    }
    copies_close(&c);
    for (size_t i = 0; i < 50; ++i) CHECK_INT(counts[i], 2);
    CHECK_INT(begins[0], 0);
    CHECK(last > 1800000 && last <= 2000000); /* spread over the trace's length */
    plan_free(&p);
    files_end();
}

TEST_SUITE("trace plan", 60, { "operations_become_deadlines", operations_become_deadlines },
           { "what_does_not_fit_gets_the_sense_of_timers",
             what_does_not_fit_gets_the_sense_of_timers },
           { "recorded_firings_are_compared", recorded_firings_are_compared },
           { "the_recorders_tick_can_be_seen_in_the_delays",
             the_recorders_tick_can_be_seen_in_the_delays },
           { "a_file_that_arms_nothing_is_an_error", a_file_that_arms_nothing_is_an_error },
           { "one_copy_is_the_trace", one_copy_is_the_trace },
           { "speed_divides_gaps_and_leaves_delays", speed_divides_gaps_and_leaves_delays },
           { "copies_are_shifted_by_the_seed_alone", copies_are_shifted_by_the_seed_alone })
