/* Shows: each format is told by itself and gives the operations that its records stand for; lines
 * out of order are put in order, broken ones skipped and counted, other ones passed over. */
#include "check.h"
#include "suite.h"
#include "trace/import.h"
#include "trace_files.h"

#include <stdio.h>
#include <string.h>

typedef struct import_case {
    const char *input;
    int64_t timeout_ns;
    const char *duration;
} import_case;

static import_job job; /* of the last import */

/* Import a text; the format is told by itself. Returns the trace without its comments, or what
 * went wrong. */
static const char *import_text(import_case given) {
    static char result[4096];
    job = (import_job){ .timeout_ns = given.timeout_ns, .duration = given.duration };
    files_begin();
    CHECK(lines_open(&job.in, files_text("input.gz", given.input)));
    CHECK(trace_create(&job.out, files_path("out.csv"), false));
    const importer *by = import_detect(&job);
    const bool done = by != NULL && by->run(&job);
    if (done) CHECK(trace_commit(job.out));
    else trace_abandon(job.out);
    lines_close(job.in);
    result[0] = '\0';
    if (!done) snprintf(result, sizeof result, "%s", job.failure);
    for (slice rest = slice_of(done ? files_read("out.csv") : ""); rest.length > 0;) {
        const slice text = slice_cut(&rest, '\n');
        if (!slice_begins(text, "#"))
            snprintf(result + strlen(result), sizeof result - strlen(result), "%.*s\n",
                     (int)text.length, text.text);
    }
    files_end();
    return result;
}

static void expect(import_case given, const char *trace) {
    const char *got = import_text(given);
    test_context("got %s", got);
    CHECK(strcmp(got, trace) == 0);
}

#define REQUEST "\"GET / HTTP/1.1\" 200 5"

/* Armed by the first request, armed again by each next one; fires when the client has stayed away
 * for the timeout, and then the next request arms. A request at that very moment comes after. */
static void a_logs_clients_have_idle_timeouts(void) {
    expect((import_case){ .timeout_ns = 10 * NS_PER_S,
                          .input = "1.1.1.1 - - [17/May/2015:10:00:00 +0000] " REQUEST "\n"
                                   "2.2.2.2 - bob [17/May/2015:10:00:04 +0000] " REQUEST "\n"
                                   "1.1.1.1 - - [17/May/2015:10:00:09 +0000] " REQUEST "\n"
                                   "2.2.2.2 - bob [17/May/2015:10:00:14 +0000] " REQUEST "\n"
                                   "::1 - - [17/May/2015:10:00:15 +0000] " REQUEST
                                   " \"-\" \"a b\"\n" },
           "0,A,0,10000000000,idle\n"
           "4000000000,A,1,10000000000,idle\n"
           "9000000000,R,0,10000000000,idle\n"
           "14000000000,F,1,,idle\n"
           "14000000000,A,1,10000000000,idle\n"
           "15000000000,A,2,10000000000,idle\n"
           "19000000000,F,0,,idle\n"
           "24000000000,F,1,,idle\n"
           "25000000000,F,2,,idle\n");
    CHECK_INT(job.used, 5);
    CHECK_INT(job.skips.count, 0);
    CHECK_INT(job.resolution_ns, NS_PER_S);
}

static void a_logs_time_may_be_of_any_kind(void) {
    expect((import_case){ .timeout_ns = NS_PER_S,
                          .input = "a - - [17/May/2015:12:00:00 +0200] " REQUEST "\n"
                                   "a - - [17/May/2015:10:00:00.250 +0000] " REQUEST "\n"
                                   "a - - [2015-05-17T10:00:00.5Z] " REQUEST "\n"
                                   "a - - [1431856800.750] " REQUEST "\n"
                                   "a - - [17/May/2015:10:00:00 +0000] " REQUEST
                                   " \"-\" \"1431856800.001\" 0.999 1431856801.000\n" },
           "0,A,0,1000000000,idle\n"
           "250000000,R,0,1000000000,idle\n"
           "500000000,R,0,1000000000,idle\n"
           "750000000,R,0,1000000000,idle\n"
           "1000000000,R,0,1000000000,idle\n" /* $msec, not what is quoted, nor a duration */
           "2000000000,F,0,,idle\n");
    CHECK_INT(job.resolution_ns, 1000000);
}

static void lines_out_of_order_are_put_in_order(void) {
    expect((import_case){ .timeout_ns = 100 * NS_PER_S,
                          .input = "a - - [17/May/2015:10:00:09 +0000] " REQUEST "\n"
                                   "b - - [17/May/2015:10:00:03 +0000] " REQUEST "\n"
                                   "a - - [17/May/2015:10:00:03 +0000] " REQUEST "\n" },
           "0,A,1,100000000000,idle\n"
           "0,A,0,100000000000,idle\n"
           "6000000000,R,0,100000000000,idle\n"
           "100000000000,F,1,,idle\n"
           "106000000000,F,0,,idle\n");
    CHECK_INT(job.unsorted, 2);
}

/* Of events that more than the window's number have overtaken; a stamp far in the future costs no
 * other event. */
static bool count_in_order(void *context, const order_event *event) {
    int64_t *seen = context;
    if (event->t_ns < seen[1]) ++seen[2];
    seen[1] = event->t_ns;
    ++seen[0];
    return true;
}

static void what_comes_too_late_is_refused(void) {
    int64_t seen[3] = { 0 }; /* how many, the last, how many went back */
    order_window w = { .sink = count_in_order, .context = seen };
    const int64_t count = (int64_t)ORDER_WINDOW + 10;
    CHECK_INT(order_window_push(&w, (order_event){ .t_ns = INT64_MAX }), ORDER_FINE);
    for (int64_t t = 1; t <= count; ++t)
        if (order_window_push(&w, (order_event){ .t_ns = 10 * t }) != ORDER_FINE)
            CHECK(false && "an event in order was refused");
    CHECK_INT(seen[0], 11); /* what is beyond the window has left */
    CHECK_INT(order_window_push(&w, (order_event){ .t_ns = 105 }), ORDER_LATE);
    CHECK_INT(order_window_push(&w, (order_event){ .t_ns = 110 }), ORDER_FINE);
    CHECK(order_window_finish(&w));
    CHECK_INT(seen[0], count + 2);
    CHECK_INT(seen[1], INT64_MAX);
    CHECK_INT(seen[2], 0);
    order_window_free(&w);
}

static void broken_lines_of_a_log_are_skipped(void) {
    static const char *const bad[] = {
        "a - -",
        "a - [17/May/2015:10:00:01 +0000] " REQUEST,
        "a - - 17/May/2015:10:00:01 +0000 " REQUEST,
        "a - - [17/May/2015:10:00:01 +0000 " REQUEST,
        "a - - [yesterday] " REQUEST,
        "a - - [17/May/2015:10:00:01 +0000]",
        "a - - [17/May/2015:10:00:01 +0000] GET / 200 5",
        "a - - [17/May/2015:10:00:01 +0000] \"GET /",
        "a - - [17/May/2015:10:00:01 +0000] \"GET / \\\" 200 5",
        "a - - [17/May/2015:10:00:01 +0000] \"GET /\" ok 5",
        "a - - [17/May/2015:10:00:01 +0000] \"GET /\" 200",
        "a - - [17/May/2015:10:00:01 +0000] \"GET /\" 200 5 \"http://cut.of",
        "a - - [17/May/2015:10:00:01 +0000] \"GET /\x01\" 200 5",
        "",
    };
    char input[4096] = "b - - [17/May/2015:10:00:00 +0000] " REQUEST "\n";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        strcat(strcat(input, bad[i]), "\n");
    strcat(input, "b - - [17/May/2015:10:00:02 +0000] \"\" 400 - \"-\" \"\\\"quoted\\\"\"\n");
    expect((import_case){ .timeout_ns = NS_PER_S, .input = input },
           "0,A,0,1000000000,idle\n"
           "1000000000,F,0,,idle\n"
           "2000000000,A,0,1000000000,idle\n"
           "3000000000,F,0,,idle\n");
    CHECK_INT(job.used, 2);
    CHECK_INT(job.skips.count, sizeof bad / sizeof *bad);
    CHECK_INT(job.skips.first_number, 2);
}

static void a_table_with_a_client_has_idle_timeouts(void) {
    expect((import_case){ .input = "host\tlogname\ttime\n"
                                   "a\t-\t807256800\n"
                                   "b\t-\t807256804\n"
                                   "a\t-\t807256806\n"
                                   "a\t-\n"
                                   "a\t-\t-\n"
                                   "\t-\t807256807\n" },
           "0,A,0,75000000000,idle\n"
           "4000000000,A,1,75000000000,idle\n"
           "6000000000,R,0,75000000000,idle\n"
           "79000000000,F,1,,idle\n"
           "81000000000,F,0,,idle\n");
    CHECK_INT(job.skips.count, 3);
    CHECK(strcmp(job.skips.first_why, "fewer fields than the header") == 0);
}

/* Cancelled when they end, fired where they take as long as the timeout. */
static void a_table_without_a_client_has_requests(void) {
    expect((import_case){ .timeout_ns = 2 * NS_PER_S,
                          .input = "id,Latency_MS,timestamp\n"
                                   "x,1500,2023-11-16 18:17:03.25\n"
                                   "\"y,\"\"z\"\"\",1999.999999,2023-11-16 18:17:03.5Z\n"
                                   "\"y\",2000,2023-11-16 20:17:03.75+02\n"
                                   "\"y,2000,2023-11-16 18:17:03\n"
                                   "y,long,2023-11-16 18:17:03\n"
                                   "y,1,2023-11-16 18:17:03,\n" },
           "0,A,0,2000000000,request\n"
           "250000000,A,1,2000000000,request\n"
           "500000000,A,2,2000000000,request\n"
           "1500000000,C,0,,request\n"
           "2249999999,C,1,,request\n"
           "2500000000,F,2,,request\n");
    CHECK_INT(job.skips.count, 3);
    CHECK(strcmp(job.skips.first_why, "a quoted field does not end") == 0);
}

static void a_requests_duration_can_be_told_by_a_rule(void) {
    static const char input[] = "# a comment\n"
                                "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                "2023-11-16 18:17:03.9799600,4808,10\n";
    expect((import_case){ .input = input },
           "0,A,0,60000000000,request\n1261600000,C,0,,request\n"); /* 10 x 30 ms + 4808 x 0.2 ms */
    expect((import_case){ .input = input, .duration = "generatedtokens*1s+50ms" },
           "0,A,0,60000000000,request\n10050000000,C,0,,request\n");
    expect((import_case){ .input = "client,time\na,5\n", .duration = "1s" },
           "0,A,0,60000000000,request\n1000000000,C,0,,request\n");
    CHECK(strstr(import_text((import_case){ .input = input, .duration = "Tokens*1s" }),
                 "a column that the header does not have") != NULL);
    CHECK(strstr(import_text((import_case){ .input = input, .duration = "1s+fast" }),
                 "not [COLUMN*]DURATION") != NULL);
    CHECK(strstr(import_text((import_case){ .input = input,
                                            .duration = "1s+1s+1s+1s+1s+1s+1s+1s+1s" }),
                 "too many terms") != NULL);
}

static void without_an_end_every_request_times_out(void) {
    expect((import_case){ .timeout_ns = NS_PER_S, .input = "time;size\n5.5;1\n6;1\n" },
           "0,A,0,1000000000,request\n"
           "500000000,A,1,1000000000,request\n"
           "1000000000,F,0,,request\n"
           "1500000000,F,1,,request\n");
    CHECK(strstr(job.note, "every timeout fires") != NULL);
}

/* A start, as tracefs shows it. */
#define START(time, timer, expires, timeout)                                                   \
    " nginx: worker-77  [001] d.s1.  " time ": timer_start: timer=" timer                      \
    " function=tcp_write_timer expires=" expires " [timeout=" timeout "] bucket_expiry=9 cpu=0\n"
#define CANCEL(time, timer) " <idle>-0  [001] d.s1.  " time ": timer_cancel: timer=" timer "\n"
#define EXPIRE(time, timer, now)                                     \
    " <idle>-0  [001] ..s1.  " time ": timer_expire_entry: timer=" timer \
    " function=tcp_write_timer now=" now " baseclk=" now "\n"

/* 1 s, so that the tick of 4 ms shows. */
#define LATER EXPIRE("101.000000", "00000000000000ff", "4295000250")

static void the_kernels_timers_are_told_apart(void) {
    expect((import_case){
               .input = "# tracer: nop\n"
                        CANCEL("99.900000", "00000000000000aa") /* armed before */
                        START("100.000000", "00000000000000aa", "4295000003", "3")
                        START("100.000001", "00000000000000bb", "4294999990", "-10")
                        CANCEL("100.000100", "00000000000000aa")
                        START("100.000104", "00000000000000aa", "4295000005", "5") /* 4 us: again */
                        CANCEL("100.000200", "00000000000000aa")
                        START("100.000205", "00000000000000aa", "4295000005", "5") /* 5 us: not */
                        CANCEL("100.001000", "00000000000000bb")
                        EXPIRE("100.001020", "00000000000000bb", "4295000000")
                        CANCEL("100.009000", "00000000000000aa")                    /* for good */
                        " nginx-77 [001] d.s1.  100.010000: hrtimer_start: hrtimer=0000000000000011"
                        " function=tick_nohz_handler expires=100 softexpires=100 mode=ABS\n"
                        " nginx-77 [001] d.s1.  100.010000: timer_init: timer=00000000000000aa\n"
                        START("100.010000", "00000000000000cc", "9223372036854775807",
                              "4611686018427387902")
                        "CPU:1 [LOST 17 EVENTS]\n" LATER },
           "0,A,0,12000000,tcp_write_timer\n"
           "1000,A,1,-40000000,tcp_write_timer\n"
           "104000,R,0,20000000,tcp_write_timer\n"
           "200000,C,0,,tcp_write_timer\n"
           "205000,A,0,20000000,tcp_write_timer\n"
           "1020000,F,1,,tcp_write_timer\n"
           "9000000,C,0,,tcp_write_timer\n"
           "10000000,A,2,9223372036854775807,tcp_write_timer\n");
    CHECK_INT(job.resolution_ns, 4000000);
    CHECK_INT(job.other, 4);
    CHECK(strstr(job.note, "17 events") != NULL);
}

static void each_tools_text_of_the_tracepoints_is_read(void) {
    expect((import_case){
               .input = "cpus=2\n"
                        "   nginx-77    [001]   100.000000: timer_start:          "
                        "timer=0xffff8881aabbccdd function=it_real_fn expires=4295000001 "
                        "[timeout=1] flags=\n" /* trace-cmd report */
                        "nginx    77 [001]   100.002000000: timer:timer_cancel: "
                        "timer=0xffff8881aabbccdd\n" /* perf script --ns */
                        "my nginx 77 [001] 101.000000:     timer:timer_expire_entry: "
                        "timer=0xffff8881aabbccff function=it_real_fn now=4295000100\n" },
           "0,A,0,10000000,it_real_fn\n"
           "2000000,C,0,,it_real_fn\n");
    CHECK_INT(job.other, 1);
    CHECK_INT(job.resolution_ns, 10000000); /* 100 ticks a second */
}

static void broken_tracepoints_are_skipped(void) {
    expect((import_case){
               .input = START("100.000000", "00000000000000aa", "4295000001", "1")
                        START("100.000000", "(____ptrval____)", "4295000001", "1")
                        START("100", "00000000000000aa", "4295000001", "1")
                        " x-1 [000] 100.5: timer_start: timer=00000000000000aa\n"
                        " x-1 [000] 100.5: timer_start: timer=aa function=a\tb "
                        "expires=1 [timeout=1]\n"
                        " x-1 [000] 100.5: timer_start: timer=aa function=a,b "
                        "expires=1 [timeout=1]\n"
                        " x-1 [000] 100.5: timer_start: timer=00000000000000aa function=f "
                        "expires=1\n"
                        " x-1 [000] 100.5: timer_expire_entry: timer=00000000000000aa\n"
                        " timer_cancel: timer=00000000000000aa\n"
                        " x-1 [000] 100.5: timer_cancel:\n" LATER },
           "0,A,0,4000000,tcp_write_timer\n");
    CHECK_INT(job.skips.count, 9);
    CHECK_INT(job.skips.first_number, 2);
}

static void what_is_none_of_the_formats_is_refused(void) {
    static const struct {
        const char *input, *why;
    } none[] = {
        { "", "it holds no line of text" },
        { "\n\n", "it holds no line of text" },
        { "hello\nworld\n", "its format is none that is known" },
        { "name,size\na,1\n", "its format is none that is known" },
        { "# t_ns,op,id,delay_ns,class\n0,A,1,5,x\n", "a trace already" },
        { "0,A,1,5,x\n", "a trace already" },
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        const char *got = import_text((import_case){ .input = none[i].input });
        test_context("%s", got);
        CHECK(strstr(got, none[i].why) != NULL);
    }
}

TEST_SUITE("trace import", 60,
           { "a_logs_clients_have_idle_timeouts", a_logs_clients_have_idle_timeouts },
           { "a_logs_time_may_be_of_any_kind", a_logs_time_may_be_of_any_kind },
           { "lines_out_of_order_are_put_in_order", lines_out_of_order_are_put_in_order },
           { "what_comes_too_late_is_refused", what_comes_too_late_is_refused },
           { "broken_lines_of_a_log_are_skipped", broken_lines_of_a_log_are_skipped },
           { "a_table_with_a_client_has_idle_timeouts", a_table_with_a_client_has_idle_timeouts },
           { "a_table_without_a_client_has_requests", a_table_without_a_client_has_requests },
           { "a_requests_duration_can_be_told_by_a_rule",
             a_requests_duration_can_be_told_by_a_rule },
           { "without_an_end_every_request_times_out", without_an_end_every_request_times_out },
           { "the_kernels_timers_are_told_apart", the_kernels_timers_are_told_apart },
           { "each_tools_text_of_the_tracepoints_is_read",
             each_tools_text_of_the_tracepoints_is_read },
           { "broken_tracepoints_are_skipped", broken_tracepoints_are_skipped },
           { "what_is_none_of_the_formats_is_refused", what_is_none_of_the_formats_is_refused })
