/* Shows: lines of plain and gzip files come one by one, and what is no line (binary, too long,
 * where gzip data break off) is told with its number, once, and does not hide the others. */
#include "check.h"
#include "suite.h"
#include "trace/lines.h"
#include "trace_files.h"

#include <errno.h>
#include <string.h>

static lines *open_text(const char *name, const char *text) {
    lines *l = NULL;
    CHECK(lines_open(&l, files_text(name, text)));
    return l;
}

static void expect_good(lines *l, int64_t number, const char *text) {
    line at;
    if (!CHECK_INT(lines_next(&at, l), LINES_GOOD)) return;
    CHECK_INT(at.number, number);
    CHECK_INT(at.length, strlen(text));
    CHECK(strcmp(at.text, text) == 0);
}

static void expect_bad(lines *l, int64_t number, const char *why) {
    line at;
    if (!CHECK_INT(lines_next(&at, l), LINES_BAD)) return;
    CHECK_INT(at.number, number);
    CHECK(at.why != NULL && strstr(at.why, why) != NULL);
    CHECK(strcmp(at.text, "") == 0);
}

static void expect_end(lines *l) {
    line at;
    CHECK_INT(lines_next(&at, l), LINES_END);
    CHECK_INT(lines_next(&at, l), LINES_END);
}

static void lines_end_in_any_way(void) {
    static const char *const names[] = { "plain", "packed.gz" };
    files_begin();
    for (size_t i = 0; i < 2; ++i) {
        test_context("%s", names[i]);
        lines *l = open_text(names[i], "unix\ndos\r\n\n\tend\xc3\xa9 is missing");
        expect_good(l, 1, "unix");
        expect_good(l, 2, "dos");
        expect_good(l, 3, "");
        expect_good(l, 4, "\tend\xc3\xa9 is missing");
        expect_end(l);
        lines_close(l);
    }
    files_end();
}

static void an_empty_file_has_no_line(void) {
    files_begin();
    lines *l = open_text("empty", "");
    expect_end(l);
    lines_close(l);
    files_end();
}

static void a_file_is_read_again_from_the_start(void) {
    files_begin();
    lines *l = open_text("twice.gz", "one\ntwo\n");
    expect_good(l, 1, "one");
    CHECK(lines_rewind(l));
    expect_good(l, 1, "one");
    expect_good(l, 2, "two");
    expect_end(l);
    CHECK(lines_rewind(l));
    expect_good(l, 1, "one");
    lines_close(l);
    files_end();
}

static void binary_lines_are_told_and_passed(void) {
    static const char bytes[] = "good\nze\0ro\n\x1b[31m\nalso \x7f\nlast\n";
    files_begin();
    lines *l = NULL;
    CHECK(lines_open(&l, files_write("binary", bytes, sizeof bytes - 1)));
    expect_good(l, 1, "good");
    expect_bad(l, 2, "binary");
    expect_bad(l, 3, "binary");
    expect_bad(l, 4, "binary");
    expect_good(l, 5, "last");
    expect_end(l);
    lines_close(l);
    files_end();
}

/* One byte more than the longest is too long, over whatever blocks it is read in. */
static void too_long_lines_are_told_and_passed(void) {
    static char text[LINES_LONGEST + 300000];
    files_begin();
    memset(text, 'x', sizeof text);
    text[LINES_LONGEST] = '\n';                    /* fits */
    text[2 * LINES_LONGEST + 2] = '\n';            /* one more */
    memcpy(text + sizeof text - 5, "\nend\n", 5);  /* far too long */
    lines *l = NULL;
    line at;
    CHECK(lines_open(&l, files_write("long", text, sizeof text)));
    CHECK_INT(lines_next(&at, l), LINES_GOOD);
    CHECK_INT(at.length, LINES_LONGEST);
    expect_bad(l, 2, "longer");
    expect_bad(l, 3, "longer");
    expect_good(l, 4, "end");
    expect_end(l);
    lines_close(l);
    files_end();
}

/* What came before is kept, the break is told once. */
static void gzip_that_breaks_off_is_told(void) {
    static char text[400000];
    files_begin();
    uint32_t random = 1; /* text that gzip cannot make small */
    for (size_t i = 0; i < sizeof text; ++i) {
        random = random * 1664525u + 1013904223u;
        text[i] = i % 10 == 9 ? '\n' : (char)('a' + (random >> 24) % 26);
    }
    files_write("cut.gz", text, sizeof text);
    files_cut("cut.gz", 20000);
    lines *l = NULL;
    line at;
    int64_t good = 0;
    CHECK(lines_open(&l, files_path("cut.gz")));
    lines_result result;
    while ((result = lines_next(&at, l)) == LINES_GOOD) ++good;
    CHECK(good > 0);
    CHECK_INT(result, LINES_BAD);
    CHECK(at.why != NULL && strstr(at.why, "break off") != NULL);
    CHECK_INT(at.number, good + 1);
    expect_end(l);
    lines_close(l);
    files_end();
}

static void what_cannot_be_read_is_an_error(void) {
    lines *l = NULL;
    line at;
    files_begin();
    CHECK(!lines_open(&l, files_path("missing")));
    CHECK_INT(errno, ENOENT);
    CHECK(lines_open(&l, files_path("")));
    CHECK_INT(lines_next(&at, l), LINES_FAILED);
    CHECK(strcmp(at.why, strerror(EISDIR)) == 0);
    lines_close(l);
    files_end();
}

TEST_SUITE("trace lines", 60, { "lines_end_in_any_way", lines_end_in_any_way },
           { "an_empty_file_has_no_line", an_empty_file_has_no_line },
           { "a_file_is_read_again_from_the_start", a_file_is_read_again_from_the_start },
           { "binary_lines_are_told_and_passed", binary_lines_are_told_and_passed },
           { "too_long_lines_are_told_and_passed", too_long_lines_are_told_and_passed },
           { "gzip_that_breaks_off_is_told", gzip_that_breaks_off_is_told },
           { "what_cannot_be_read_is_an_error", what_cannot_be_read_is_an_error })
