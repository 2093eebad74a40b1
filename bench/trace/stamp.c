/* The points in time of slice.h: logs' and ISO 8601's dates, and Unix seconds. Proleptic Gregorian,
 * with the zone that the text itself gives; a leap second counts as the second after it. Before
 * 2100, so that a trace's length fits below TRACE_T_MAX. */
#include "trace/slice.h"

#include <string.h>

typedef struct civil {
    uint64_t year, month, day, hour, minute, second; /* month 1..12 */
    int64_t fraction_ns;
    int64_t east_s; /* of UTC */
} civil;

static bool is_leap(uint64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static uint64_t month_days(uint64_t year, uint64_t month) {
    static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

static bool to_ns(int64_t *out, const civil *c) {
    if (c->year < 1970 || c->year > 2099 || c->month < 1 || c->month > 12) return false;
    if (c->day < 1 || c->day > month_days(c->year, c->month)) return false;
    if (c->hour > 23 || c->minute > 59 || c->second > 60) return false;
    uint64_t days = c->day - 1;
    for (uint64_t year = 1970; year < c->year; ++year) days += is_leap(year) ? 366 : 365;
    for (uint64_t month = 1; month < c->month; ++month) days += month_days(c->year, month);
    const uint64_t seconds = ((days * 24 + c->hour) * 60 + c->minute) * 60 + c->second;
    *out = ((int64_t)seconds - c->east_s) * NS_PER_S + c->fraction_ns;
    return true;
}

/* Exactly `digits` digits, then `stop` ('\0': no more is asked for). */
static bool take_number(uint64_t *out, slice *s, size_t digits, char stop) {
    if (s->length < digits || !slice_unsigned(out, (slice){ s->text, digits }, UINT64_MAX))
        return false;
    s->text += digits;
    s->length -= digits;
    if (stop == '\0') return true;
    if (s->length == 0 || *s->text != stop) return false;
    ++s->text;
    --s->length;
    return true;
}

/* HH:MM:SS, then a fraction behind '.' or ',' if there is one. */
static bool take_clock(civil *c, int64_t *resolution_ns, slice *s) {
    *resolution_ns = NS_PER_S;
    if (!take_number(&c->hour, s, 2, ':') || !take_number(&c->minute, s, 2, ':') ||
        !take_number(&c->second, s, 2, '\0'))
        return false;
    if (s->length == 0 || (*s->text != '.' && *s->text != ',')) return true;
    size_t end = 1;
    for (; end < s->length && s->text[end] >= '0' && s->text[end] <= '9'; ++end)
        if (*resolution_ns > 1) *resolution_ns /= 10;
    if (end == 1) return false;
    int64_t place = NS_PER_S;
    for (size_t i = 1; i < end; ++i) c->fraction_ns += (s->text[i] - '0') * (place /= 10);
    s->text += end;
    s->length -= end;
    return true;
}

/* +0530, -07:30, +01, Z, or nothing: UTC. The whole rest has to be it. */
static bool take_zone(civil *c, slice s) {
    uint64_t hours, minutes = 0;
    if (s.length == 0 || slice_is(s, "z")) return true;
    const char sign = *s.text;
    if (sign != '+' && sign != '-') return false;
    s = (slice){ s.text + 1, s.length - 1 };
    if (!take_number(&hours, &s, 2, '\0')) return false;
    if (slice_begins(s, ":")) s = (slice){ s.text + 1, s.length - 1 };
    if (s.length > 0 && (!take_number(&minutes, &s, 2, '\0') || s.length > 0)) return false;
    if (hours > 15 || minutes > 59) return false;
    const int64_t seconds = (int64_t)(hours * 60 + minutes) * 60;
    c->east_s = sign == '-' ? -seconds : seconds;
    return true;
}

static uint64_t month_of(slice name) {
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (uint64_t month = 1; month <= 12; ++month)
        if (name.length == 3 && strncasecmp(name.text, names + 3 * (month - 1), 3) == 0)
            return month;
    return 0;
}

bool slice_stamp_log(int64_t *out, int64_t *resolution_ns, slice s) {
    civil c = { 0 };
    int64_t resolution;
    if (!take_number(&c.day, &s, 2, '/')) return false;
    c.month = month_of(slice_cut(&s, '/'));
    if (!take_number(&c.year, &s, 4, ':') || !take_clock(&c, &resolution, &s)) return false;
    if (s.length != sizeof " +0000" - 1 || *s.text != ' ') return false;
    if (!take_zone(&c, (slice){ s.text + 1, s.length - 1 }) || !to_ns(out, &c)) return false;
    *resolution_ns = resolution;
    return true;
}

bool slice_stamp_iso(int64_t *out, int64_t *resolution_ns, slice s) {
    civil c = { 0 };
    int64_t resolution;
    if (!take_number(&c.year, &s, 4, '-') || !take_number(&c.month, &s, 2, '-') ||
        !take_number(&c.day, &s, 2, '\0'))
        return false;
    if (s.length == 0 || (*s.text != ' ' && *s.text != 'T' && *s.text != 't')) return false;
    s = (slice){ s.text + 1, s.length - 1 };
    if (!take_clock(&c, &resolution, &s)) return false;
    if (slice_begins(s, " ")) s = (slice){ s.text + 1, s.length - 1 };
    if (!take_zone(&c, s) || !to_ns(out, &c)) return false;
    *resolution_ns = resolution;
    return true;
}

bool slice_stamp_unix(int64_t *out, int64_t *resolution_ns, slice s) {
    int64_t value, scale = NS_PER_S;
    const char *point = memchr(s.text, '.', s.length);
    if (point == NULL && s.length >= 12)
        scale = s.length <= 14 ? 1000000 : s.length <= 17 ? 1000 : 1;
    if (s.length == 0 || point == s.text || s.length > 30) return false;
    if (!slice_decimal(&value, s, scale)) return false;
    if (value >= INT64_C(4102444800) * NS_PER_S) return false; /* 2100 */
    int64_t resolution = scale;
    if (point != NULL)
        for (const char *at = point + 1; at < s.text + s.length && resolution > 1; ++at)
            resolution /= 10;
    *out = value;
    *resolution_ns = resolution;
    return true;
}
