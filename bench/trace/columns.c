#include "trace/columns.h"

#include <string.h>

char columns_separator(slice header) {
    if (memchr(header.text, '\t', header.length) != NULL) return '\t';
    return memchr(header.text, ',', header.length) != NULL ? ',' : ';';
}

/* A field in quotes, made plain in place; *at is moved behind it. NULL, or what is wrong. */
static const char *take_quoted(slice *field, char **at, const char *end, char separator) {
    char *to = *at, *from = *at + 1;
    field->text = to;
    for (; from < end; ++from) {
        if (*from != '"') *to++ = *from;
        else if (from + 1 < end && from[1] == '"') *to++ = *from++;
        else break;
    }
    if (from == end) return "a quoted field does not end";
    field->length = (size_t)(to - field->text);
    *at = from + 1;
    return *at == end || **at == separator ? NULL : "text behind a quoted field";
}

static void take_plain(slice *field, char **at, const char *end, char separator) {
    const char *stop = memchr(*at, separator, (size_t)(end - *at));
    *field = (slice){ *at, (size_t)((stop != NULL ? stop : end) - *at) };
    *at += field->length;
}

const char *columns_split(columns *out, char *text, size_t length, char separator) {
    char *at = text;
    const char *const end = text + length;
    out->count = 0;
    for (;;) {
        if (out->count == COLUMNS_MAX) return "too many fields";
        slice *field = &out->fields[out->count++];
        if (at < end && *at == '"' && separator != '\t') {
            const char *why = take_quoted(field, &at, end, separator);
            if (why != NULL) return why;
        } else {
            take_plain(field, &at, end, separator);
        }
        if (at == end) return NULL;
        ++at;
    }
}

static size_t column_of(const columns *header, slice name) {
    for (size_t i = 0; i < header->count; ++i)
        if (header->fields[i].length == name.length &&
            strncasecmp(header->fields[i].text, name.text, name.length) == 0)
            return i;
    return COLUMNS_NONE;
}

size_t columns_find(const columns *header, const char *names) {
    for (slice rest = slice_of(names); rest.length > 0;) {
        const size_t column = column_of(header, slice_cut(&rest, ' '));
        if (column != COLUMNS_NONE) return column;
    }
    return COLUMNS_NONE;
}

static const char *parse_term(struct rule_term *out, slice term, const columns *header) {
    out->column = COLUMNS_NONE;
    if (memchr(term.text, '*', term.length) != NULL) {
        out->column = column_of(header, slice_cut(&term, '*'));
        if (out->column == COLUMNS_NONE) return "it names a column that the header does not have";
    }
    if (slice_duration(&out->scale_ns, term)) return NULL;
    return "a term is not [COLUMN*]DURATION, as 30ms or a*2us";
}

const char *rule_parse(rule *out, const char *text, const columns *header) {
    out->count = 0;
    for (slice rest = slice_of(text); rest.length > 0;) {
        if (out->count == sizeof out->terms / sizeof *out->terms) return "it has too many terms";
        const char *why = parse_term(&out->terms[out->count++], slice_cut(&rest, '+'), header);
        if (why != NULL) return why;
    }
    return out->count > 0 ? NULL : "it is empty";
}

bool rule_apply(int64_t *out, const rule *r, const columns *row) {
    int64_t sum = 0, part;
    for (size_t i = 0; i < r->count; ++i) {
        const struct rule_term *term = &r->terms[i];
        part = term->scale_ns;
        if (term->column != COLUMNS_NONE &&
            (term->column >= row->count ||
             !slice_decimal(&part, row->fields[term->column], term->scale_ns)))
            return false;
        if (__builtin_add_overflow(sum, part, &sum)) sum = INT64_MAX;
    }
    *out = sum;
    return true;
}

bool rule_of_header(rule *out, const columns *header) {
    static const char *const names[] = { "duration",      "latency",      "elapsed",
                                         "response_time", "request_time", "service_time",
                                         "time_taken" };
    static const struct {
        const char *suffix;
        int64_t scale_ns;
    } units[] = { { "", NS_PER_S },    { "_s", NS_PER_S }, { "_ms", 1000000 },
                  { "_us", 1000 },     { "_ns", 1 } };
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
            char name[32];
            strcpy(stpcpy(name, names[n]), units[u].suffix);
            const size_t column = column_of(header, slice_of(name));
            if (column == COLUMNS_NONE) continue;
            *out = (rule){ .terms = { { column, units[u].scale_ns } }, .count = 1 };
            return true;
        }
    }
    return false;
}
