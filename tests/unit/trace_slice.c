/* Shows: numbers, durations and points in time are read as written, by the zone that the text gives
 * and no other; what is no number, no date or no time is refused. */
#include "check.h"
#include "suite.h"
#include "trace/slice.h"

#include <stdlib.h>

#define MS INT64_C(1000000)

typedef bool read_stamp(int64_t *out, int64_t *resolution_ns, slice s);

typedef struct stamp_case {
    const char *text;
    int64_t seconds, ns; /* since 1970 UTC */
    int64_t resolution_ns;
} stamp_case;

static void expect_stamps(read_stamp *read, const stamp_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        int64_t t = -1, resolution = -1;
        test_context("%s", cases[i].text);
        CHECK(read(&t, &resolution, slice_of(cases[i].text)));
        CHECK_INT(t, cases[i].seconds * NS_PER_S + cases[i].ns);
        CHECK_INT(resolution, cases[i].resolution_ns);
    }
}

static void expect_none(read_stamp *read, const char *const *texts, size_t count) {
    int64_t t, resolution;
    for (size_t i = 0; i < count; ++i) {
        test_context("%s", texts[i]);
        CHECK(!read(&t, &resolution, slice_of(texts[i])));
    }
}

static void a_logs_time_is_read_with_its_zone(void) {
    static const stamp_case cases[] = {
        { "01/Jan/1970:00:00:00 +0000", 0, 0, NS_PER_S },
        { "17/May/2015:10:05:03 +0000", 1431857103, 0, NS_PER_S },
        { "17/may/2015:12:05:03 +0200", 1431857103, 0, NS_PER_S },
        { "17/May/2015:02:35:03 -0730", 1431857103, 0, NS_PER_S },
        { "17/May/2015:15:50:03 +0545", 1431857103, 0, NS_PER_S },
        { "18/May/2015:00:05:03.123 +1400", 1431857103, 123 * MS, MS },
        { "29/Feb/2024:23:59:59 -0100", 1709254799, 0, NS_PER_S }, /* = 1 March 00:59:59 */
        { "29/Feb/2000:00:00:00 +0000", 951782400, 0, NS_PER_S },
        { "31/Dec/2016:23:59:60 +0000", 1483228800, 0, NS_PER_S }, /* a leap second */
        { "31/Dec/2099:23:59:59.999999999 +0000", 4102444799, 999999999, 1 },
    };
    static const char *const none[] = {
        "",
        "17/May/2015:10:05:03",       /* no zone */
        "17/May/2015:10:05:03 UTC",
        "17/May/2015:10:05:03 +00",
        "7/May/2015:10:05:03 +0000",
        "29/Feb/2023:00:00:00 +0000", /* no leap year */
        "29/Feb/1900:00:00:00 +0000",
        "31/Apr/2015:00:00:00 +0000",
        "00/May/2015:00:00:00 +0000",
        "17/Mai/2015:10:05:03 +0000",
        "17/05/2015:10:05:03 +0000",
        "17/May/2015:24:05:03 +0000",
        "17/May/2015:10:60:03 +0000",
        "17/May/2015:10:05:61 +0000",
        "17/May/2015:10:05:03 +0060",
        "17/May/2015:10:05:03. +0000",
        "17/May/1969:10:05:03 +0000",
        "17/May/2100:10:05:03 +0000",
        "17/May/2015 10:05:03 +0000",
        "17/May/2015:10:05:03 +0000 ",
    };
    expect_stamps(slice_stamp_log, cases, sizeof cases / sizeof *cases);
    expect_none(slice_stamp_log, none, sizeof none / sizeof *none);
}

static void an_iso_time_is_read_with_its_zone_or_as_utc(void) {
    static const stamp_case cases[] = {
        { "2023-11-16 18:17:03.9799600", 1700158623, 979960000, 100 },
        { "2023-11-16T18:17:03", 1700158623, 0, NS_PER_S },
        { "2023-11-16t18:17:03z", 1700158623, 0, NS_PER_S },
        { "2023-11-16 23:47:03,5+05:30", 1700158623, 500 * MS, 100 * MS },
        { "2023-11-16 10:17:03 -0800", 1700158623, 0, NS_PER_S },
        { "2023-11-16 10:17:03-08", 1700158623, 0, NS_PER_S },
        { "2024-02-29T00:00:00.000000001Z", 1709164800, 1, 1 },
        { "2024-02-29T00:00:00.0000000019Z", 1709164800, 1, 1 }, /* finer than ns: cut */
    };
    static const char *const none[] = {
        "2023-11-16",           "2023-11-16 18:17",      "2023-11-16X18:17:03",
        "2023-13-16 18:17:03",  "2023-00-16 18:17:03",   "2023-02-29 18:17:03",
        "23-11-16 18:17:03",    "2023-11-16 18:17:03 z+01", "2023-11-16 18:17:03+1",
        "2023-11-16 18:17:03.", "2023-11-16 18:17:03 Europe/Berlin",
    };
    expect_stamps(slice_stamp_iso, cases, sizeof cases / sizeof *cases);
    expect_none(slice_stamp_iso, none, sizeof none / sizeof *none);
}

static void unix_time_is_read_by_its_digits(void) {
    static const stamp_case cases[] = {
        { "0", 0, 0, NS_PER_S },
        { "807256800", 807256800, 0, NS_PER_S },
        { "1431857103.123", 1431857103, 123 * MS, MS },
        { "1431857103123", 1431857103, 123 * MS, MS },
        { "1431857103123456", 1431857103, 123456000, 1000 },
        { "1431857103123456789", 1431857103, 123456789, 1 },
        { "1431857103.1234567891", 1431857103, 123456789, 1 },
    };
    static const char *const none[] = {
        "", "-1", "+1", "1e9", "12:00", "now", ".5", "0x10", " 1", "4102444800", "99999999999.5",
    };
    expect_stamps(slice_stamp_unix, cases, sizeof cases / sizeof *cases);
    expect_none(slice_stamp_unix, none, sizeof none / sizeof *none);
}

/* Whatever the machine's own zone and its changes are. */
static void the_machines_zone_does_not_matter(void) {
    setenv("TZ", "America/New_York", 1);
    a_logs_time_is_read_with_its_zone();
    an_iso_time_is_read_with_its_zone_or_as_utc();
    unsetenv("TZ");
}

static void durations_need_a_unit(void) {
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = { { "5ns", 5 },           { "200us", 200000 },        { "30ms", 30 * MS },
                 { "1.5s", 1500 * MS },  { "2m", 120 * NS_PER_S },   { "1h", 3600 * NS_PER_S },
                 { "0s", 0 },            { ".5ms", 500000 },         { "2.s", 2 * NS_PER_S },
                 { "0.0000001us", 0 } };
    static const char *const none[] = { "",    "5",      "s",     ".s",  "-5ms", "5 ms",
                                        "5MS", "1.5.5s", "5msec", "1e3s", "9999999999s",
                                        "9223372036854775808ns" };
    int64_t ns;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        test_context("%s", good[i].text);
        CHECK(slice_duration(&ns, slice_of(good[i].text)));
        CHECK_INT(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        test_context("%s", none[i]);
        CHECK(!slice_duration(&ns, slice_of(none[i])));
    }
}

static void a_cut_takes_the_separator_once(void) {
    slice rest = slice_of("a,,b");
    CHECK(slice_is(slice_cut(&rest, ','), "A"));
    CHECK_INT(slice_cut(&rest, ',').length, 0);
    CHECK(slice_begins(rest, "b"));
    CHECK(slice_is(slice_cut(&rest, ','), "b"));
    CHECK_INT(rest.length, 0);
}

TEST_SUITE("trace slices", 60,
           { "a_logs_time_is_read_with_its_zone", a_logs_time_is_read_with_its_zone },
           { "an_iso_time_is_read_with_its_zone_or_as_utc",
             an_iso_time_is_read_with_its_zone_or_as_utc },
           { "unix_time_is_read_by_its_digits", unix_time_is_read_by_its_digits },
           { "the_machines_zone_does_not_matter", the_machines_zone_does_not_matter },
           { "durations_need_a_unit", durations_need_a_unit },
           { "a_cut_takes_the_separator_once", a_cut_takes_the_separator_once })
