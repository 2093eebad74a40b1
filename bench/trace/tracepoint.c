#include "trace/tracepoint.h"

#include <string.h>

static const struct {
    const char *name;
    tracepoint_kind kind;
} events[] = {
    { "timer_start:", TRACEPOINT_START },
    { "timer_cancel:", TRACEPOINT_CANCEL },
    { "timer_expire_entry:", TRACEPOINT_EXPIRE },
};

/* Where an event's name stands as a word of its own (hrtimer_start: ends the same way, and perf
 * writes timer:timer_start:), or NULL. */
static const char *find_event(slice text, const char *name) {
    const char *from = text.text;
    const size_t length = strlen(name);
    for (;;) {
        const size_t left = text.length - (size_t)(from - text.text);
        const char *at = memmem(from, left, name, length);
        if (at == NULL) return NULL;
        if (at == text.text || at[-1] == ' ') return at;
        if (at - text.text > 6 && memcmp(at - 7, " timer:", 7) == 0) return at - 6;
        from = at + 1;
    }
}

/* "  nginx-1234  [001] d..1.  2458.716029: ": the last word, without its colon. */
static const char *read_time(int64_t *out, slice before) {
    while (before.length > 0 && before.text[before.length - 1] == ' ') --before.length;
    if (before.length == 0 || before.text[before.length - 1] != ':') return "no time";
    --before.length;
    size_t start = before.length;
    while (start > 0 && before.text[start - 1] != ' ') --start;
    const slice time = { before.text + start, before.length - start };
    if (memchr(time.text, '.', time.length) == NULL || !slice_decimal(out, time, NS_PER_S))
        return "the time is not in seconds";
    return *out <= INT64_MAX / 2 ? NULL : "the time is too large";
}

/* The value of " key=" up to the next space or bracket. */
static bool find_value(slice *out, slice fields, const char *key) {
    const char *at = memmem(fields.text, fields.length, key, strlen(key));
    if (at == NULL) return false;
    at += strlen(key);
    size_t length = fields.length - (size_t)(at - fields.text);
    for (size_t i = 0; i < length; ++i)
        if (at[i] == ' ' || at[i] == ']') length = i;
    *out = (slice){ at, length };
    return length > 0;
}

static bool read_address(uint64_t *out, slice s) {
    uint64_t value = 0;
    if (slice_begins(s, "0x")) s = (slice){ s.text + 2, s.length - 2 };
    if (s.length == 0 || s.length > 16) return false;
    for (size_t i = 0; i < s.length; ++i) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, s.text[i] | 0x20, 16);
        if (digit == NULL) return false;
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *out = value;
    return true;
}

/* Can it be a trace's class? */
static bool is_word(slice s) {
    return s.length <= 100 && memchr(s.text, ',', s.length) == NULL &&
           memchr(s.text, '\t', s.length) == NULL;
}

static const char *read_start(tracepoint *out, slice fields) {
    slice expires, timeout;
    uint64_t at;
    if (!find_value(&out->function, fields, " function=") || !is_word(out->function))
        return "no function";
    if (!find_value(&expires, fields, " expires=") || !slice_unsigned(&at, expires, UINT64_MAX))
        return "no expires";
    if (!find_value(&timeout, fields, " [timeout=") ||
        !slice_signed(&out->timeout_jiffies, timeout))
        return "no timeout";
    out->now_jiffies = at - (uint64_t)out->timeout_jiffies;
    return NULL;
}

static const char *read_fields(tracepoint *out, slice fields) {
    slice timer, now;
    if (!find_value(&timer, fields, " timer=") || !read_address(&out->timer, timer))
        return "the timer has no address";
    if (out->kind == TRACEPOINT_START) return read_start(out, fields);
    if (out->kind == TRACEPOINT_EXPIRE &&
        (!find_value(&now, fields, " now=") || !slice_unsigned(&out->now_jiffies, now, UINT64_MAX)))
        return "no now";
    return NULL;
}

tracepoint_result tracepoint_parse(tracepoint *out, slice text, const char **why) {
    if (text.length == 0 || *text.text == '#') return TRACEPOINT_OTHER;
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i) {
        const char *at = find_event(text, events[i].name);
        if (at == NULL) continue;
        const slice before = { text.text, (size_t)(at - text.text) };
        const char *space = memchr(at, ' ', text.length - before.length);
        if (space == NULL) {
            *why = "no fields";
            return TRACEPOINT_BAD;
        }
        *out = (tracepoint){ .kind = events[i].kind };
        const slice fields = { space, text.length - (size_t)(space - text.text) };
        *why = read_time(&out->t_ns, before);
        if (*why == NULL) *why = read_fields(out, fields);
        return *why == NULL ? TRACEPOINT_GOOD : TRACEPOINT_BAD;
    }
    return TRACEPOINT_OTHER;
}

uint64_t tracepoint_lost(slice text) {
    static const char mark[] = "[LOST ";
    uint64_t lost;
    const char *at = memmem(text.text, text.length, mark, sizeof mark - 1);
    if (at == NULL) return 0;
    at += sizeof mark - 1;
    slice rest = { at, text.length - (size_t)(at - text.text) };
    return slice_unsigned(&lost, slice_cut(&rest, ' '), UINT64_MAX) ? lost : 0;
}
