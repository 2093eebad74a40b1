#include "report/csv.h"

#include <string.h>

static void put_text(const char *text, FILE *file) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; ++text) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void put_field(const row *r, const row_field *field, FILE *file) {
    if (!row_has(r, field)) return;
    if (field->kind == ROW_TEXT) put_text(row_text(r, field), file);
    else if (field->kind == ROW_COUNT) fprintf(file, "%lld", (long long)row_count(r, field));
    else fprintf(file, "%.6g", row_real(r, field));
}

bool csv_write(const results *r, FILE *file) {
    for (size_t i = 0; row_field_at(i) != NULL; ++i)
        fprintf(file, "%s%s", i > 0 ? "," : "", row_field_at(i)->name);
    fputc('\n', file);
    for (size_t k = 0; k < r->rows.count; ++k) {
        for (size_t i = 0; row_field_at(i) != NULL; ++i) {
            if (i > 0) fputc(',', file);
            put_field(&r->rows.items[k], row_field_at(i), file);
        }
        fputc('\n', file);
    }
    return fflush(file) == 0 && ferror(file) == 0;
}
