/* Shows: options are read as the table says, and each mistake is refused. */
#include "check.h"
#include "compare/command.h"
#include "compare/options.h"
#include "suite.h"

#include <string.h>

typedef struct chosen {
    bool quiet;
    int64_t timers;
    option_counts sizes;
    double speed;
    const char *file;
    option_names backends;
} chosen;

static const char *known_backend(size_t i) {
    static const char *const names[] = { "heap", "wheel" };
    return i < 2 ? names[i] : NULL;
}

/* Operands may be from 1 to 2. argv ends with NULL. */
static int parse(chosen *c, char **argv, int *first) {
    const option_entry entries[] = {
        { .name = "quiet", .letter = 'q', .help = "", .kind = OPTION_FLAG, .into = &c->quiet },
        { .name = "timers", .letter = 'n', .argument = "N", .help = "", .kind = OPTION_COUNT,
          .into = &c->timers, .min = 1, .max = 1000000 },
        { .name = "size", .argument = "N", .help = "", .kind = OPTION_COUNTS, .into = &c->sizes,
          .min = 0, .max = 5 },
        { .name = "speed", .argument = "S", .help = "", .kind = OPTION_REAL, .into = &c->speed,
          .min = 0, .max = 10 },
        { .name = "file", .argument = "FILE", .help = "", .kind = OPTION_TEXT, .into = &c->file },
        { .name = "backend", .letter = 'b', .argument = "NAME", .help = "", .kind = OPTION_NAMES,
          .into = &c->backends, .known = known_backend },
    };
    const option_syntax syntax = { .command = "test", .operands = "TRACE", .operands_min = 1,
                                   .operands_max = 2, .about = "", .examples = "" };
    int argc = 0;
    while (argv[argc] != NULL) ++argc;
    *c = (chosen){ 0 };
    return options_parse(&syntax, entries, sizeof entries / sizeof *entries, argc, argv, first);
}

#define ARGUMENTS(...) ((char *[]){ (char[]){ "test" }, __VA_ARGS__, NULL })
#define TEXT(text) ((char[]){ text })

static void options_and_operands_in_any_order(void) {
    chosen c;
    int first;
    char **argv = ARGUMENTS(TEXT("a.csv"), TEXT("-qn"), TEXT("10k"), TEXT("--backend=wheel"),
                            TEXT("b.csv"), TEXT("--size"), TEXT("1"), TEXT("-b"), TEXT("heap"),
                            TEXT("--size=5"), TEXT("--speed"), TEXT("0.5"), TEXT("--file=-"));
    CHECK_INT(parse(&c, argv, &first), OPTIONS_GO);
    CHECK(c.quiet);
    CHECK_INT(c.timers, 10000);
    CHECK_INT(c.sizes.count, 2);
    CHECK_INT(c.sizes.items[1], 5);
    CHECK(c.speed == 0.5);
    CHECK(strcmp(c.file, "-") == 0);
    CHECK_INT(c.backends.count, 2);
    CHECK(strcmp(c.backends.items[0], "wheel") == 0);
    CHECK(strcmp(argv[first], "a.csv") == 0);
    CHECK(strcmp(argv[first + 1], "b.csv") == 0);
}

static void behind_two_dashes_all_are_operands(void) {
    chosen c;
    int first;
    char **argv = ARGUMENTS(TEXT("--"), TEXT("--quiet"));
    CHECK_INT(parse(&c, argv, &first), OPTIONS_GO);
    CHECK(!c.quiet);
    CHECK(strcmp(argv[first], "--quiet") == 0);
}

static void each_mistake_is_refused(void) {
    chosen c;
    int first;
    char **lines[] = {
        ARGUMENTS(NULL),
        ARGUMENTS(TEXT("a"), TEXT("b"), TEXT("c")),
        ARGUMENTS(TEXT("a"), TEXT("--nonsense")),
        ARGUMENTS(TEXT("a"), TEXT("-x")),
        ARGUMENTS(TEXT("a"), TEXT("--timers")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("0")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("-3")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("2M")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("12x")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("1.5")),
        ARGUMENTS(TEXT("a"), TEXT("--timers"), TEXT("99999999999999999999")),
        ARGUMENTS(TEXT("a"), TEXT("--speed"), TEXT("11")),
        ARGUMENTS(TEXT("a"), TEXT("--speed"), TEXT("nan")),
        ARGUMENTS(TEXT("a"), TEXT("--speed"), TEXT("fast")),
        ARGUMENTS(TEXT("a"), TEXT("--file="), NULL),
        ARGUMENTS(TEXT("a"), TEXT("--backend"), TEXT("tree")),
        ARGUMENTS(TEXT("a"), TEXT("--quiet=yes")),
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        test_context("line %zu", i);
        CHECK_INT(parse(&c, lines[i], &first), EXIT_USAGE);
    }
}

static void a_number_may_have_a_letter(void) {
    int64_t value = 7;
    CHECK(options_count(&value, "9G", 0, INT64_MAX));
    CHECK_INT(value, INT64_C(9000000000));
    CHECK(options_count(&value, "9223372036854775807", 0, INT64_MAX));
    CHECK_INT(value, INT64_MAX);
    CHECK(!options_count(&value, "9223372036854775807k", 0, INT64_MAX));
    CHECK(!options_count(&value, "k", 0, 10));
    CHECK(!options_count(&value, "1kk", 0, INT64_MAX));
    CHECK_INT(value, INT64_MAX);
}

TEST_SUITE("bench_options", 60,
           { "options_and_operands_in_any_order", options_and_operands_in_any_order },
           { "behind_two_dashes_all_are_operands", behind_two_dashes_all_are_operands },
           { "each_mistake_is_refused", each_mistake_is_refused },
           { "a_number_may_have_a_letter", a_number_may_have_a_letter })
