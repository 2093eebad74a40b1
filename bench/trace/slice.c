#include "trace/slice.h"

#include <string.h>
#include <strings.h>

slice slice_cut(slice *from, char stop) {
    const char *end = memchr(from->text, stop, from->length);
    const slice part = { from->text, end != NULL ? (size_t)(end - from->text) : from->length };
    const size_t taken = part.length + (end != NULL);
    from->text += taken;
    from->length -= taken;
    return part;
}

slice slice_of(const char *text) {
    return (slice){ text, strlen(text) };
}

bool slice_is(slice s, const char *text) {
    return strlen(text) == s.length && strncasecmp(s.text, text, s.length) == 0;
}

bool slice_begins(slice s, const char *text) {
    const size_t length = strlen(text);
    return length <= s.length && memcmp(s.text, text, length) == 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool slice_unsigned(uint64_t *out, slice s, uint64_t max) {
    uint64_t value = 0;
    if (s.length == 0) return false;
    for (size_t i = 0; i < s.length; ++i) {
        if (!is_digit(s.text[i]) || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.text[i] - '0'), &value))
            return false;
    }
    if (value > max) return false;
    *out = value;
    return true;
}

bool slice_signed(int64_t *out, slice s) {
    uint64_t size;
    const bool negative = slice_begins(s, "-");
    if (negative) s = (slice){ s.text + 1, s.length - 1 };
    if (!slice_unsigned(&size, s, INT64_MAX)) return false;
    *out = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

bool slice_decimal(int64_t *out, slice s, int64_t scale_ns) {
    uint64_t whole_part = 0;
    int64_t value;
    const slice whole = slice_cut(&s, '.');
    if (whole.length == 0 && s.length == 0) return false;
    if (whole.length > 0 && !slice_unsigned(&whole_part, whole, INT64_MAX)) return false;
    if (__builtin_mul_overflow((int64_t)whole_part, scale_ns, &value)) return false;
    int64_t place = scale_ns;
    for (size_t i = 0; i < s.length; ++i) {
        if (!is_digit(s.text[i])) return false;
        place /= 10; /* digits below a ns are cut */
        if (__builtin_add_overflow(value, (s.text[i] - '0') * place, &value)) return false;
    }
    *out = value;
    return true;
}

bool slice_duration(int64_t *out, slice s) {
    static const struct {
        const char *name;
        int64_t scale_ns;
    } units[] = { { "ns", 1 },        { "us", 1000 },          { "ms", 1000000 },
                  { "s", NS_PER_S },  { "m", 60 * NS_PER_S },  { "h", 3600 * NS_PER_S } };
    size_t digits = 0;
    while (digits < s.length && (is_digit(s.text[digits]) || s.text[digits] == '.')) ++digits;
    const slice unit = { s.text + digits, s.length - digits };
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (unit.length == strlen(units[i].name) && slice_begins(unit, units[i].name))
            return slice_decimal(out, (slice){ s.text, digits }, units[i].scale_ns);
    return false;
}
