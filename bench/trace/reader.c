#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static bool is_class(slice s) {
    if (s.length > TRACE_CLASS_LONGEST) return false;
    for (size_t i = 0; i < s.length; ++i)
        if (s.text[i] == ',' || s.text[i] == '\t') return false;
    return true;
}

/* delay: what stands in its field. */
static const char *check_delay(trace_op *out, slice delay) {
    out->delay_ns = 0;
    if (out->op == 'C' || out->op == 'F') return delay.length == 0 ? NULL : "C and F have no delay";
    return slice_signed(&out->delay_ns, delay) ? NULL : "the delay is no number";
}

static const char *parse(trace_op *out, slice rest) {
    uint64_t t;
    size_t commas = 0;
    for (size_t i = 0; i < rest.length; ++i) commas += rest.text[i] == ',';
    if (commas != 4) return commas < 4 ? "fewer than 5 fields" : "more than 5 fields";
    const slice time = slice_cut(&rest, ',');
    const slice op = slice_cut(&rest, ',');
    const slice id = slice_cut(&rest, ',');
    const slice delay = slice_cut(&rest, ',');
    out->class = rest;
    if (!slice_unsigned(&t, time, TRACE_T_MAX)) return "the time is no number, or too large";
    out->t_ns = (int64_t)t;
    if (op.length != 1 || strchr("ARCF", *op.text) == NULL) return "the op is none of A, R, C, F";
    out->op = *op.text;
    if (!slice_unsigned(&out->id, id, UINT64_MAX)) return "the id is no number";
    if (!is_class(rest)) return "the class is too long, or no word";
    return check_delay(out, delay);
}

bool trace_parse(trace_op *out, slice text, const char **why) {
    *why = parse(out, text);
    return *why == NULL;
}

bool trace_open(trace_reader *r, const char *path) {
    *r = (trace_reader){ 0 };
    return lines_open(&r->lines, path);
}

void trace_close(trace_reader *r) {
    lines_close(r->lines);
    r->lines = NULL;
}

static void take_comment(trace_reader *r, slice text) {
    static const char mark[] = "# tick_ns=";
    uint64_t tick;
    if (!slice_begins(text, mark)) return;
    const slice value = { text.text + sizeof mark - 1, text.length - (sizeof mark - 1) };
    if (slice_unsigned(&tick, value, TRACE_T_MAX) && tick > 0) r->tick_ns = (int64_t)tick;
}

/* Is it a line that says something? */
static bool take_line(trace_op *out, trace_reader *r, const line *at) {
    const char *why;
    const slice text = { at->text, at->length };
    if (text.length == 0 || (r->good == 0 && slice_is(text, TRACE_HEADER))) return false;
    if (*text.text == '#') {
        take_comment(r, text);
        return false;
    }
    if (trace_parse(out, text, &why) && out->t_ns < r->last_ns) why = "the time goes back";
    if (why != NULL) {
        skips_add(&r->skips, at, why);
        return false;
    }
    r->last_ns = out->t_ns;
    ++r->good;
    return true;
}

bool trace_next(trace_op *out, trace_reader *r) {
    line at;
    for (;;) {
        switch (lines_next(&at, r->lines)) {
        case LINES_GOOD:
            if (take_line(out, r, &at)) return true;
            break;
        case LINES_BAD:
            skips_add(&r->skips, &at, at.why);
            break;
        case LINES_FAILED:
            r->failure = at.why;
            return false;
        case LINES_END:
            return false;
        }
    }
}
