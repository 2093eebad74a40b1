#include "report/row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member, heading, kind, unit) \
    { #member, heading, kind, unit, offsetof(row, member), sizeof(((row *)0)->member) }

static const row_field fields[] = {
    FIELD(workload, "workload", ROW_TEXT, UNIT_NONE),
    FIELD(backend, "backend", ROW_TEXT, UNIT_NONE),
    FIELD(peer, "peer", ROW_TEXT, UNIT_NONE),
    FIELD(timers, "timers", ROW_COUNT, UNIT_NONE),
    FIELD(threads, "threads", ROW_COUNT, UNIT_NONE),
    FIELD(replicate, "replicate", ROW_COUNT, UNIT_NONE),
    FIELD(speed, "speed", ROW_REAL, UNIT_NONE),
    FIELD(ops, "ops", ROW_COUNT, UNIT_NONE),
    FIELD(ns_per_op, "mean", ROW_REAL, UNIT_NS),
    FIELD(floor_ns, "floor", ROW_REAL, UNIT_NS),
    FIELD(ratio, "ratio", ROW_REAL, UNIT_NONE),
    FIELD(p50_ns, "p50", ROW_COUNT, UNIT_NS),
    FIELD(p99_ns, "p99", ROW_COUNT, UNIT_NS),
    FIELD(p9999_ns, "p99.99", ROW_COUNT, UNIT_NS),
    FIELD(max_ns, "max", ROW_COUNT, UNIT_NS),
    FIELD(bytes_per_timer, "B/timer", ROW_REAL, UNIT_NONE),
    FIELD(late_p50_us, "late p50", ROW_REAL, UNIT_US),
    FIELD(late_p99_us, "late p99", ROW_REAL, UNIT_US),
    FIELD(early, "early", ROW_COUNT, UNIT_NONE),
    FIELD(wakeups, "wakeups", ROW_COUNT, UNIT_NONE),
    FIELD(cpu_s, "cpu", ROW_REAL, UNIT_S),
    FIELD(note, "note", ROW_TEXT, UNIT_NONE),
};

const row_field *row_field_at(size_t i) {
    return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

int64_t row_count(const row *r, const row_field *field) {
    int64_t value;
    memcpy(&value, (const char *)r + field->offset, sizeof value);
    return value;
}

double row_real(const row *r, const row_field *field) {
    double value;
    memcpy(&value, (const char *)r + field->offset, sizeof value);
    return value;
}

const char *row_text(const row *r, const row_field *field) {
    return (const char *)r + field->offset;
}

bool row_has(const row *r, const row_field *field) {
    if (field->kind == ROW_TEXT) return row_text(r, field)[0] != '\0';
    if (field->kind == ROW_COUNT) return row_count(r, field) != ROW_NONE;
    return !isnan(row_real(r, field));
}

static void set_none(row *r, const row_field *field) {
    static const int64_t no_count = ROW_NONE;
    static const double no_real = NAN;
    char *member = (char *)r + field->offset;
    if (field->kind == ROW_TEXT) memset(member, 0, field->size);
    if (field->kind == ROW_COUNT) memcpy(member, &no_count, sizeof no_count);
    if (field->kind == ROW_REAL) memcpy(member, &no_real, sizeof no_real);
}

void row_init(row *r, const char *workload, const char *backend, const char *peer) {
    memset(r, 0, sizeof *r);
    for (size_t i = 0; row_field_at(i) != NULL; ++i) set_none(r, row_field_at(i));
    snprintf(r->workload, sizeof r->workload, "%s", workload);
    if (backend != NULL) snprintf(r->backend, sizeof r->backend, "%s", backend);
    if (peer != NULL) snprintf(r->peer, sizeof r->peer, "%s", peer);
}

const char *row_subject(const row *r) {
    return r->backend[0] != '\0' ? r->backend : r->peer;
}

void row_note(row *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->note, sizeof r->note, format, arguments);
    va_end(arguments);
}

void row_set_percentiles(row *r, const histogram *h) {
    r->p50_ns = histogram_percentile(h, 0.5);
    r->p99_ns = histogram_percentile(h, 0.99);
    r->p9999_ns = histogram_percentile(h, 0.9999);
    r->max_ns = h->max;
}

void row_set_floor(row *r, double floor_ns) {
    r->floor_ns = floor_ns;
    r->ratio = r->ns_per_op / floor_ns;
}

void row_set_repeats(row *r, const double *ns_per_op, size_t count) {
    r->repeat_count = count < ROW_REPEATS ? count : ROW_REPEATS;
    memcpy(r->repeats_ns, ns_per_op, r->repeat_count * sizeof *ns_per_op);
}

/* Three significant digits, no exponent: 0.0123, 1.23, 12.3, 123, 1230. */
static void show_digits(char *text, size_t size, double value, const char *suffix) {
    const double magnitude = fabs(value);
    int decimals = 0;
    if (magnitude > 0 && magnitude < 99.95) decimals = 2 - (int)floor(log10(magnitude * 1.0005));
    if (decimals > 6) decimals = 6;
    if (decimals < 0) decimals = 0;
    if (magnitude == floor(magnitude) && magnitude < 1000) decimals = 0;
    snprintf(text, size, "%.*f%s", decimals, value, suffix);
}

static void show_scaled(char *text, size_t size, double value, double step,
                        const char *const *suffixes, size_t count) {
    size_t i = 0;
    while (i + 1 < count && fabs(value) >= step * 0.9995) {
        value /= step;
        ++i;
    }
    show_digits(text, size, value, suffixes[i]);
}

const char *row_show(char *text, size_t size, const row *r, const row_field *field) {
    static const char *const times[] = { " ns", " us", " ms", " s" };
    static const char *const counts[] = { "", "k", "M", "G" };
    if (!row_has(r, field)) {
        snprintf(text, size, "-");
        return text;
    }
    if (field->kind == ROW_TEXT) {
        snprintf(text, size, "%s", row_text(r, field));
        return text;
    }
    const double value =
        field->kind == ROW_COUNT ? (double)row_count(r, field) : row_real(r, field);
    if (field->unit == UNIT_NS) show_scaled(text, size, value, 1000, times, 4);
    else if (field->unit == UNIT_US) show_scaled(text, size, value * 1e3, 1000, times, 4);
    else if (field->unit == UNIT_S) show_scaled(text, size, value * 1e9, 1000, times, 4);
    else if (field->kind == ROW_COUNT) show_scaled(text, size, value, 1000, counts, 4);
    else show_digits(text, size, value, "");
    return text;
}

static const char repeats_key[] = "repeats_ns";

/* False: no memory. */
static bool repeats_to_json(json_t *object, const row *r) {
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < r->repeat_count; ++i)
        good = json_array_append_new(list, json_real(r->repeats_ns[i])) == 0;
    if (good) return json_object_set_new(object, repeats_key, list) == 0;
    json_decref(list);
    return false;
}

json_t *row_to_json(const row *r) {
    json_t *object = json_object();
    for (size_t i = 0; object != NULL && row_field_at(i) != NULL; ++i) {
        const row_field *field = row_field_at(i);
        json_t *value;
        if (!row_has(r, field)) value = json_null();
        else if (field->kind == ROW_TEXT) value = json_string(row_text(r, field));
        else if (field->kind == ROW_COUNT) value = json_integer(row_count(r, field));
        else value = json_real(row_real(r, field));
        if (json_object_set_new(object, field->name, value) == 0) continue;
        json_decref(object);
        object = NULL;
    }
    if (object == NULL || r->repeat_count == 0 || repeats_to_json(object, r)) return object;
    json_decref(object);
    return NULL;
}

/* False: the value is not of the field's kind. */
static bool field_from_json(row *r, const row_field *field, const json_t *value) {
    char *member = (char *)r + field->offset;
    if (value == NULL || json_is_null(value)) return true;
    if (field->kind == ROW_TEXT) {
        if (!json_is_string(value)) return false;
        snprintf(member, field->size, "%s", json_string_value(value));
    } else if (field->kind == ROW_COUNT) {
        if (!json_is_integer(value)) return false;
        const int64_t count = json_integer_value(value);
        memcpy(member, &count, sizeof count);
    } else {
        if (!json_is_number(value)) return false;
        const double real = json_number_value(value);
        memcpy(member, &real, sizeof real);
    }
    return true;
}

/* False: no list of numbers, or too long. A file from before there was the key lacks it. */
static bool repeats_from_json(row *r, const json_t *list) {
    if (list == NULL || json_is_null(list)) return true;
    if (!json_is_array(list) || json_array_size(list) > ROW_REPEATS) return false;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_number(value)) return false;
        r->repeats_ns[r->repeat_count++] = json_number_value(value);
    }
    return true;
}

bool row_from_json(row *r, const json_t *object, const char **bad) {
    row_init(r, "", NULL, NULL);
    for (size_t i = 0; row_field_at(i) != NULL; ++i) {
        const row_field *field = row_field_at(i);
        *bad = field->name;
        if (!field_from_json(r, field, json_object_get(object, field->name))) return false;
    }
    *bad = repeats_key;
    return repeats_from_json(r, json_object_get(object, repeats_key));
}

void rows_add(rows *list, const row *r) {
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 16 : 2 * list->room;
        row *items = realloc(list->items, room * sizeof *items);
        if (items == NULL) {
            fprintf(stderr, "no memory for %zu results\n", room);
            exit(3);
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = *r;
}

void rows_free(rows *list) {
    free(list->items);
    *list = (rows){ 0 };
}
