/* A part of a line, and what can be read from one: whole numbers, points in time, durations.
 * Strict: the whole part has to be it. No locale, no time zone of the machine. */
#ifndef TRACE_SLICE_H
#define TRACE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S INT64_C(1000000000)

typedef struct slice {
    const char *text;
    size_t length;
} slice;

/* Up to the first `stop`, which is taken too; all of it where there is none. */
slice slice_cut(slice *from, char stop);
slice slice_of(const char *text);
bool slice_is(slice s, const char *text);        /* letters' case does not matter */
bool slice_begins(slice s, const char *text);    /* as it stands */

/* Digits only. False: anything else, or more than max. */
bool slice_unsigned(uint64_t *out, slice s, uint64_t max);
/* As slice_unsigned, with an optional minus, within int64_t. */
bool slice_signed(int64_t *out, slice s);
/* Digits, with an optional fraction, as ns: 12, 12.5, .5 (seconds, for scale_ns = NS_PER_S). */
bool slice_decimal(int64_t *out, slice s, int64_t scale_ns);
/* A decimal and its unit: 30ms, 1.5s, 2h. ns us ms s m h. */
bool slice_duration(int64_t *out, slice s);

/* Points in time, in ns since 1970 UTC, before 2100. *resolution_ns: what the last digit means. */
/* 17/May/2015:10:05:03 +0000, 17/May/2015:10:05:03.123 -0730 */
bool slice_stamp_log(int64_t *out, int64_t *resolution_ns, slice s);
/* 2023-11-16 18:17:03.97996, 2023-11-16T18:17:03Z, 2023-11-16T18:17:03,5+05:30; no zone: UTC */
bool slice_stamp_iso(int64_t *out, int64_t *resolution_ns, slice s);
/* Seconds since 1970 with an optional fraction; whole numbers of 12 to 14, 15 to 17 or 18 to 19
 * digits are ms, us or ns. */
bool slice_stamp_unix(int64_t *out, int64_t *resolution_ns, slice s);

#endif
