/* Shows: a trace is read strictly: each kind of bad line is refused for its reason, skipped and
 * counted, and the first one is told; what is written is read back as it was; a file is written
 * whole or not at all. */
#include "check.h"
#include "suite.h"
#include "trace/trace.h"
#include "trace_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void every_kind_of_bad_line_has_its_reason(void) {
    static const struct {
        const char *text, *why;
    } bad[] = {
        { "5", "fewer than 5 fields" },
        { "5,A,1,7", "fewer than 5 fields" },
        { "5,A,1,7,call,site", "more than 5 fields" },
        { "-5,A,1,7,x", "the time" },
        { "five,A,1,7,x", "the time" },
        { "5.0,A,1,7,x", "the time" },
        { ",A,1,7,x", "the time" },
        { " 5,A,1,7,x", "the time" },
        { "4611686018427387904,A,1,7,x", "the time" },
        { "99999999999999999999,A,1,7,x", "the time" },
        { "5,B,1,7,x", "the op" },
        { "5,a,1,7,x", "the op" },
        { "5,,1,7,x", "the op" },
        { "5,AR,1,7,x", "the op" },
        { "5,A,,7,x", "the id" },
        { "5,A,-1,7,x", "the id" },
        { "5,A,18446744073709551616,7,x", "the id" },
        { "5,A,0x1,7,x", "the id" },
        { "5,A,1,,x", "the delay" },
        { "5,R,1,soon,x", "the delay" },
        { "5,A,1,9223372036854775808,x", "the delay" },
        { "5,A,1,--7,x", "the delay" },
        { "5,C,1,7,x", "C and F have no delay" },
        { "5,F,1,0,x", "C and F have no delay" },
        { "5,A,1,7,a\tb", "the class" },
    };
    trace_op op;
    const char *why;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        test_context("%s", bad[i].text);
        CHECK(!trace_parse(&op, slice_of(bad[i].text), &why) && strstr(why, bad[i].why) != NULL);
    }
}

static void every_part_of_a_good_line_is_read(void) {
    trace_op op;
    const char *why;
    CHECK(trace_parse(&op, slice_of("4611686018427387903,R,18446744073709551615,-3,read()"), &why));
    CHECK_INT(op.t_ns, TRACE_T_MAX);
    CHECK_INT(op.op, 'R');
    CHECK(op.id == UINT64_MAX);
    CHECK_INT(op.delay_ns, -3);
    CHECK(slice_is(op.class, "read()"));
    CHECK(trace_parse(&op, slice_of("0,F,0,,"), &why));
    CHECK_INT(op.op, 'F');
    CHECK_INT(op.class.length, 0);
}

/* Read all; the good lines' ids as a sum. */
static uint64_t read_ids(trace_reader *r, const char *path) {
    trace_op op;
    uint64_t sum = 0;
    CHECK(trace_open(r, path));
    while (trace_next(&op, r)) sum += op.id;
    trace_close(r);
    return sum;
}

static void bad_lines_are_skipped_and_the_first_is_told(void) {
    static const char text[] = "# t_ns,op,id,delay_ns,class\n"
                               "# tick_ns=4000000\n"
                               "\n"
                               "t_ns,op,id,delay_ns,class\n"
                               "10,A,1,5,x\n"
                               "9,A,10,5,x\n" /* back in time */
                               "10,R,100,5,x\n"
                               "oops\n"
                               "11,C,1000,,x\n"
                               "t_ns,op,id,delay_ns,class\n" /* no header here */
                               "11,F,10000"; /* cut off */
    trace_reader r;
    char told[512] = "";
    files_begin();
    CHECK_INT(read_ids(&r, files_text("mixed.csv.gz", text)), 1101);
    CHECK_INT(r.good, 3);
    CHECK_INT(r.skips.count, 4);
    CHECK_INT(r.skips.first_number, 6);
    CHECK_INT(r.tick_ns, 4000000);
    CHECK(r.failure == NULL);
    FILE *memory = fmemopen(told, sizeof told, "w");
    skips_print(&r.skips, "tool", "mixed.csv.gz", memory);
    fclose(memory);
    CHECK(strcmp(told, "tool: mixed.csv.gz: 4 lines were skipped; the first is line 6 (the time"
                       " goes back): 9,A,10,5,x\n") == 0);
    files_end();
}

static void what_is_shown_of_a_bad_line_is_printable(void) {
    static const char text[] = "\xff\xfe not a trace at all, but a line that goes on and on and on"
                               " and on and on and on\n";
    trace_reader r;
    files_begin();
    read_ids(&r, files_text("junk", text));
    CHECK_INT(r.good, 0);
    CHECK_INT(r.skips.count, 1);
    CHECK(strncmp(r.skips.first_text, "?? not a trace", 14) == 0);
    CHECK_INT(strlen(r.skips.first_text), sizeof r.skips.first_text - 1);
    CHECK(strcmp(r.skips.first_text + sizeof r.skips.first_text - 4, "...") == 0);
    files_end();
}

static void write_some(const char *path, bool replace, bool commit) {
    trace_writer *w = NULL;
    const trace_op ops[] = {
        { .t_ns = 0, .op = 'A', .id = 1, .delay_ns = 7, .class = slice_of("idle") },
        { .t_ns = 3, .op = 'R', .id = UINT64_MAX, .delay_ns = -9, .class = slice_of("") },
        { .t_ns = TRACE_T_MAX, .op = 'C', .id = 1, .delay_ns = 7, .class = slice_of("idle") },
    };
    if (!CHECK(trace_create(&w, path, replace))) return;
    trace_comment(w, "tick_ns=%d", 12);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) trace_put(w, &ops[i]);
    if (commit) CHECK(trace_commit(w));
    else trace_abandon(w);
}

static const char written[] = "# tick_ns=12\n"
                              "0,A,1,7,idle\n"
                              "3,R,18446744073709551615,-9,\n"
                              "4611686018427387903,C,1,,idle\n";

static void what_is_written_is_read_back(void) {
    static const char *const names[] = { "out.csv", "out.csv.gz" };
    trace_reader r;
    files_begin();
    for (size_t i = 0; i < 2; ++i) {
        test_context("%s", names[i]);
        write_some(files_path(names[i]), false, true);
        CHECK(strcmp(files_read(names[i]), written) == 0);
        CHECK(read_ids(&r, files_path(names[i])) == 1); /* 1 + 2^64 - 1 + 1 */
        CHECK_INT(r.good, 3);
        CHECK_INT(r.tick_ns, 12);
    }
    CHECK_INT(files_count(), 2);
    files_end();
}

static void a_file_is_replaced_only_on_demand_and_whole(void) {
    trace_writer *w = NULL;
    files_begin();
    files_text("out.csv", "mine\n");
    errno = 0;
    CHECK(!trace_create(&w, files_path("out.csv"), false));
    CHECK_INT(errno, EEXIST);
    write_some(files_path("out.csv"), true, false); /* abandoned */
    CHECK(strcmp(files_read("out.csv"), "mine\n") == 0);
    write_some(files_path("out.csv"), true, true);
    CHECK(strcmp(files_read("out.csv"), written) == 0);
    write_some(files_path("new.csv.gz"), false, false);
    CHECK_INT(files_count(), 1);
    CHECK(!trace_create(&w, files_path("no/such/folder.csv"), false));
    CHECK_INT(errno, ENOENT);
    files_end();
}

static void a_full_disk_is_told(void) {
    trace_writer *w = NULL;
    const trace_op op = { .op = 'A', .id = 1, .class = slice_of("idle") };
    if (!CHECK(trace_create(&w, "/dev/full", false))) return;
    for (int i = 0; i < 100000; ++i) trace_put(w, &op);
    CHECK(!trace_commit(w));
    CHECK_INT(errno, ENOSPC);
}

TEST_SUITE("trace format", 60,
           { "every_kind_of_bad_line_has_its_reason", every_kind_of_bad_line_has_its_reason },
           { "every_part_of_a_good_line_is_read", every_part_of_a_good_line_is_read },
           { "bad_lines_are_skipped_and_the_first_is_told",
             bad_lines_are_skipped_and_the_first_is_told },
           { "what_is_shown_of_a_bad_line_is_printable", what_is_shown_of_a_bad_line_is_printable },
           { "what_is_written_is_read_back", what_is_written_is_read_back },
           { "a_file_is_replaced_only_on_demand_and_whole",
             a_file_is_replaced_only_on_demand_and_whole },
           { "a_full_disk_is_told", a_full_disk_is_told })
