#include "trace/skips.h"

#include <inttypes.h>

void skips_add(skips *s, const line *at, const char *why) {
    if (s->count++ > 0) return;
    s->first_number = at->number;
    snprintf(s->first_why, sizeof s->first_why, "%s", why);
    const int shown = snprintf(s->first_text, sizeof s->first_text, "%s", at->text);
    if (shown >= (int)sizeof s->first_text)
        snprintf(s->first_text + sizeof s->first_text - 4, 4, "...");
    for (char *c = s->first_text; *c != '\0'; ++c)
        if (*c < ' ' || *c > '~') *c = '?'; /* also what is no ASCII: terminals differ */
}

void skips_print(const skips *s, const char *who, const char *name, FILE *file) {
    if (s->count == 0) return;
    fprintf(file, "%s: %s: %" PRId64 " %s skipped; the first is line %" PRId64 " (%s)", who, name,
            s->count, s->count == 1 ? "line was" : "lines were", s->first_number, s->first_why);
    if (s->first_text[0] != '\0') fprintf(file, ": %s", s->first_text);
    fputc('\n', file);
}
