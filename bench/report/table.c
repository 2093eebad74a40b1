#include "report/table.h"

#include <string.h>

static bool seen_before(const rows *list, size_t index) {
    for (size_t i = 0; i < index; ++i)
        if (strcmp(list->items[i].workload, list->items[index].workload) == 0) return true;
    return false;
}

/* The subject stands first, in one column for backends and peers. */
static bool is_column(const row_field *field) {
    return strcmp(field->name, "workload") != 0 && strcmp(field->name, "peer") != 0 &&
           strcmp(field->name, "note") != 0;
}

static bool any_has(const table *t, const row_field *field) {
    if (strcmp(field->name, "backend") == 0) return true;
    for (size_t i = 0; i < t->member_count; ++i)
        if (row_has(&t->rows->items[t->members[i]], field)) return true;
    return false;
}

/* Which note, from 1; 0: none. */
static size_t note_number(const table *t, const row *r) {
    for (size_t i = 0; i < t->note_count; ++i)
        if (strcmp(t->notes[i], r->note) == 0) return i + 1;
    return 0;
}

static void add_member(table *t, size_t index) {
    const row *r = &t->rows->items[index];
    if (t->member_count == sizeof t->members / sizeof *t->members) return;
    t->members[t->member_count++] = index;
    const bool room = t->note_count < sizeof t->notes / sizeof *t->notes;
    if (r->note[0] != '\0' && room && note_number(t, r) == 0) t->notes[t->note_count++] = r->note;
}

bool table_next(table *t, const rows *list, size_t *next) {
    while (*next < list->count && seen_before(list, *next)) ++*next;
    if (*next == list->count) return false;
    *t = (table){ .rows = list, .workload = list->items[*next].workload };
    for (size_t i = *next; i < list->count; ++i)
        if (strcmp(list->items[i].workload, t->workload) == 0) add_member(t, i);
    for (size_t i = 0; row_field_at(i) != NULL; ++i)
        if (is_column(row_field_at(i)) && any_has(t, row_field_at(i)))
            t->columns[t->column_count++] = row_field_at(i);
    ++*next;
    return true;
}

const char *table_heading(const table *t, size_t column) {
    return t->columns[column]->heading;
}

const char *table_cell(char *text, size_t size, const table *t, size_t member, size_t column) {
    const row *r = &t->rows->items[t->members[member]];
    if (column > 0) return row_show(text, size, r, t->columns[column]);
    const size_t note = note_number(t, r);
    if (note == 0) snprintf(text, size, "%s", row_subject(r));
    else snprintf(text, size, "%s [%zu]", row_subject(r), note);
    return text;
}

static size_t column_width(const table *t, size_t column) {
    char text[TABLE_CELL];
    size_t width = strlen(table_heading(t, column));
    for (size_t i = 0; i < t->member_count; ++i) {
        const size_t length = strlen(table_cell(text, sizeof text, t, i, column));
        if (length > width) width = length;
    }
    return width;
}

static void print_cell(const char *text, size_t column, size_t width, FILE *file) {
    if (column == 0) fprintf(file, "  %-*s", (int)width, text);
    else fprintf(file, "  %*s", (int)width, text);
}

static void print_one(const table *t, FILE *file) {
    char text[TABLE_CELL];
    size_t widths[sizeof t->columns / sizeof *t->columns];
    fprintf(file, "\n%s\n", t->workload);
    for (size_t c = 0; c < t->column_count; ++c) {
        widths[c] = column_width(t, c);
        print_cell(table_heading(t, c), c, widths[c], file);
    }
    fputc('\n', file);
    for (size_t i = 0; i < t->member_count; ++i) {
        for (size_t c = 0; c < t->column_count; ++c)
            print_cell(table_cell(text, sizeof text, t, i, c), c, widths[c], file);
        fputc('\n', file);
    }
    for (size_t i = 0; i < t->note_count; ++i) fprintf(file, "  [%zu] %s\n", i + 1, t->notes[i]);
}

void table_print(const rows *list, FILE *file) {
    table t;
    size_t next = 0;
    while (table_next(&t, list, &next)) print_one(&t, file);
}
