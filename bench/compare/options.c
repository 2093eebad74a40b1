#include "compare/options.h"

#include "compare/command.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_WIDTH 24

static int mistake(const option_syntax *syntax, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int mistake(const option_syntax *syntax, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s: ", syntax->command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry: %s --help\n", syntax->command);
    return EXIT_USAGE;
}

bool options_count(int64_t *out, const char *text, int64_t min, int64_t max) {
    static const char letters[] = "kMG";
    char *end;
    int64_t scale = 1;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || errno != 0) return false;
    if (*end != '\0') {
        const char *letter = strchr(letters, *end);
        if (letter == NULL || end[1] != '\0') return false;
        for (const char *at = letters; at <= letter; ++at) scale *= 1000;
    }
    int64_t scaled;
    if (__builtin_mul_overflow((int64_t)value, scale, &scaled)) return false;
    if (scaled < min || scaled > max) return false;
    *out = scaled;
    return true;
}

static bool read_real(double *out, const char *text, int64_t min, int64_t max) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) return false;
    if (value < (double)min || value > (double)max) return false;
    *out = value;
    return true;
}

const char *options_list(char *text, size_t size, option_known *known) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; known(i) != NULL && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ", known(i));
    return text;
}

bool options_is_known(const char *name, option_known *known) {
    for (size_t i = 0; known(i) != NULL; ++i)
        if (strcmp(known(i), name) == 0) return true;
    return false;
}

static bool is_number(enum option_kind kind) {
    return kind == OPTION_COUNT || kind == OPTION_COUNTS || kind == OPTION_REAL;
}

/* Store a value. False: it is no number, or not in its range. */
static bool take_number(const option_entry *entry, const char *text) {
    if (entry->kind == OPTION_REAL) return read_real(entry->into, text, entry->min, entry->max);
    int64_t value;
    if (!options_count(&value, text, entry->min, entry->max)) return false;
    if (entry->kind == OPTION_COUNT) {
        *(int64_t *)entry->into = value;
    } else {
        option_counts *counts = entry->into;
        counts->items[counts->count++] = value;
    }
    return true;
}

static bool is_full(const option_entry *entry) {
    if (entry->kind == OPTION_NAMES)
        return ((const option_names *)entry->into)->count == OPTION_NAMES_MAX;
    if (entry->kind == OPTION_COUNTS)
        return ((const option_counts *)entry->into)->count == OPTION_NAMES_MAX;
    return false;
}

static void take_text(const option_entry *entry, const char *text) {
    if (entry->kind == OPTION_FLAG) {
        *(bool *)entry->into = true;
    } else if (entry->kind == OPTION_TEXT) {
        *(const char **)entry->into = text;
    } else {
        option_names *names = entry->into;
        names->items[names->count++] = text;
    }
}

/* OPTIONS_GO, or EXIT_USAGE (told). */
static int take(const option_syntax *syntax, const option_entry *entry, const char *text) {
    char list[512];
    if (is_full(entry)) return mistake(syntax, "--%s: given too often", entry->name);
    if (is_number(entry->kind)) {
        if (take_number(entry, text)) return OPTIONS_GO;
        return mistake(syntax, "--%s: '%s' is not a number from %lld to %lld", entry->name, text,
                       (long long)entry->min, (long long)entry->max);
    }
    if (entry->kind != OPTION_FLAG && text[0] == '\0')
        return mistake(syntax, "--%s: empty", entry->name);
    if (entry->known != NULL && !options_is_known(text, entry->known))
        return mistake(syntax, "--%s: unknown name '%s' (known: %s)", entry->name, text,
                       options_list(list, sizeof list, entry->known));
    take_text(entry, text);
    return OPTIONS_GO;
}

static void print_entry(const option_entry *entry) {
    char left[64], list[512];
    const int used = entry->letter != 0 ? snprintf(left, sizeof left, "  -%c, ", entry->letter)
                                        : snprintf(left, sizeof left, "      ");
    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", entry->name,
             entry->argument != NULL ? " " : "", entry->argument != NULL ? entry->argument : "");
    printf("%-*s %s\n", HELP_WIDTH, left, entry->help);
    if (entry->known != NULL)
        printf("%*s %s\n", HELP_WIDTH, "", options_list(list, sizeof list, entry->known));
}

static int print_help(const option_syntax *syntax, const option_entry *entries, size_t count) {
    printf("Usage: %s [OPTION]...%s%s\n\n%s\nOptions:\n", syntax->command,
           syntax->operands[0] != '\0' ? " " : "", syntax->operands, syntax->about);
    for (size_t i = 0; i < count; ++i) print_entry(&entries[i]);
    printf("  -h, --help%*s this text\n\nExamples:\n%s", HELP_WIDTH - 12, "", syntax->examples);
    return EXIT_FINE;
}

/* What getopt_long answers: 'h', '?', ':', or FIRST + an entry's index. */
#define FIRST 256

static void describe(struct option *longs, char *shorts, const option_entry *entries,
                     size_t count) {
    *shorts++ = ':';
    *shorts++ = 'h';
    for (size_t i = 0; i < count; ++i) {
        const bool argument = entries[i].kind != OPTION_FLAG;
        longs[i] = (struct option){ entries[i].name, argument ? required_argument : no_argument,
                                    NULL, FIRST + (int)i };
        if (entries[i].letter == 0) continue;
        *shorts++ = entries[i].letter;
        if (argument) *shorts++ = ':';
    }
    longs[count] = (struct option){ "help", no_argument, NULL, 'h' };
    longs[count + 1] = (struct option){ 0 };
    *shorts = '\0';
}

static const option_entry *entry_of(int answer, const option_entry *entries, size_t count) {
    if (answer >= FIRST) return &entries[answer - FIRST];
    for (size_t i = 0; i < count; ++i)
        if (entries[i].letter == answer) return &entries[i];
    return NULL;
}

static int check_operands(const option_syntax *syntax, int given, char **operands) {
    if (given < syntax->operands_min)
        return mistake(syntax, "missing: %s", syntax->operands);
    if (syntax->operands_max != OPTION_NO_LIMIT && given > syntax->operands_max)
        return mistake(syntax, "unexpected '%s'", operands[syntax->operands_max]);
    return OPTIONS_GO;
}

int options_parse(const option_syntax *syntax, const option_entry *entries, size_t count, int argc,
                  char **argv, int *first_operand) {
    struct option longs[OPTIONS_MAX + 2];
    char shorts[2 * OPTIONS_MAX + 3];
    int answer, status;
    describe(longs, shorts, entries, count);
    optind = 0; /* read anew, also after another command line */
    opterr = 0;
    while ((answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (answer == 'h') return print_help(syntax, entries, count);
        if (answer == ':') return mistake(syntax, "%s: a value is missing", argv[optind - 1]);
        if (answer == '?' && optopt != 0 && optopt < FIRST)
            return mistake(syntax, "unknown option '-%c'", optopt);
        if (answer == '?') return mistake(syntax, "unknown option '%s'", argv[optind - 1]);
        status = take(syntax, entry_of(answer, entries, count), optarg);
        if (status != OPTIONS_GO) return status;
    }
    if (first_operand != NULL) *first_operand = optind;
    return check_operands(syntax, argc - optind, argv + optind);
}
