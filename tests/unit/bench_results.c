/* Shows: results come back from JSON as they were written, integers exact, what was not measured
 * still not measured; a document that is none of ours is refused and changes nothing; CSV quotes. */
#include "check.h"
#include "report/csv.h"
#include "report/results.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static void fill_row(row *r) {
    row_init(r, "stop+add", "heap", NULL);
    r->timers = 1000000;
    r->ops = (INT64_C(1) << 53) + 1; /* no double holds it */
    r->ns_per_op = 52.75;
    row_set_floor(r, 21.1);
    r->p9999_ns = INT64_MAX;
    r->early = 0;
    row_note(r, "a \"note\", %s", "with a comma");
}

static void expect_same(const row *got, const row *want) {
    for (size_t i = 0; row_field_at(i) != NULL; ++i) {
        const row_field *field = row_field_at(i);
        test_context("field %s", field->name);
        CHECK_INT(row_has(got, field), row_has(want, field));
        if (field->kind == ROW_TEXT)
            CHECK(strcmp(row_text(got, field), row_text(want, field)) == 0);
        else if (field->kind == ROW_COUNT) CHECK_INT(row_count(got, field), row_count(want, field));
        else if (row_has(want, field))
            CHECK(fabs(row_real(got, field) - row_real(want, field)) < 1e-4);
    }
}

static void make(results *r, const char *workload) {
    char name[] = "micro", option[] = "--html", folder[] = "my folder";
    char *arguments[] = { name, option, folder };
    row one;
    results_init(r, 3, arguments, 42);
    fill_row(&one);
    snprintf(one.workload, sizeof one.workload, "%s", workload);
    rows_add(&r->rows, &one);
}

static json_t *written(const results *r) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    CHECK(results_write_json(r, file));
    fclose(file);
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    return document;
}

static void a_row_survives_json(void) {
    row r, back;
    const char *bad;
    fill_row(&r);
    json_t *object = row_to_json(&r);
    CHECK(json_is_null(json_object_get(object, "p50_ns")));
    CHECK(json_is_null(json_object_get(object, "peer")));
    CHECK(row_from_json(&back, object, &bad));
    expect_same(&back, &r);
    json_decref(object);
}

static void every_field_of_the_format_is_there(void) {
    static const char *const names[] = {
        "workload", "backend", "peer", "timers", "threads", "ops", "ns_per_op", "p50_ns", "p99_ns",
        "p9999_ns", "max_ns", "floor_ns", "ratio", "bytes_per_timer", "late_p50_us", "late_p99_us",
        "early", "wakeups", "cpu_s", "replicate", "speed", "note",
    };
    row r;
    row_init(&r, "fifo", NULL, "libuv");
    json_t *object = row_to_json(&r);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        test_context("%s", names[i]);
        CHECK(json_object_get(object, names[i]) != NULL);
    }
    CHECK_INT(json_object_size(object), sizeof names / sizeof *names);
    json_decref(object);
}

static void repeats_are_an_optional_key(void) {
    static const double means[ROW_REPEATS + 1] = { 12.5, 11.25, 13 };
    row r, back;
    const char *bad;
    fill_row(&r);
    row_set_repeats(&r, means, 3);
    json_t *object = row_to_json(&r);
    CHECK_INT(json_array_size(json_object_get(object, "repeats_ns")), 3);
    CHECK(row_from_json(&back, object, &bad));
    CHECK_INT(back.repeat_count, 3);
    CHECK(memcmp(back.repeats_ns, means, 3 * sizeof *means) == 0);
    expect_same(&back, &r);
    json_object_del(object, "repeats_ns"); /* a file from before there was such a key */
    CHECK(row_from_json(&back, object, &bad));
    CHECK_INT(back.repeat_count, 0);
    json_decref(object);
    row_set_repeats(&r, means, ROW_REPEATS + 1);
    CHECK_INT(r.repeat_count, ROW_REPEATS);
}

static void several_files_become_one(void) {
    results first, second, all = { 0 };
    char why[128];
    make(&first, "stop+add");
    make(&second, "mixed");
    json_t *documents[] = { written(&first), written(&second) };
    for (int i = 0; i < 2; ++i) CHECK(results_append_json(&all, documents[i], why, sizeof why));
    CHECK_INT(all.run_count, 2);
    CHECK_INT(all.rows.count, 2);
    CHECK_INT(all.rows.items[1].run, 1);
    CHECK_INT(all.runs[1].seed, 42);
    CHECK(strcmp(all.runs[0].command, "tarry-compare micro --html 'my folder'") == 0);
    CHECK(strcmp(all.runs[0].machine.kernel, first.runs[0].machine.kernel) == 0);
    expect_same(&all.rows.items[0], &first.rows.items[0]);
    for (int i = 0; i < 2; ++i) json_decref(documents[i]);
    results_free(&first);
    results_free(&second);
    results_free(&all);
}

static void what_is_no_results_file_is_refused(void) {
    static const char *const texts[] = {
        "[]", "{}", "7", "{\"schema\":1,\"runs\":[]}",
        "{\"schema\":2,\"runs\":[],\"rows\":[]}",
        "{\"schema\":1,\"runs\":[{}],\"rows\":[]}",
        "{\"schema\":1,\"runs\":[],\"rows\":[{\"workload\":\"x\",\"run\":0}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[7]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":-1}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":0,\"ops\":\"a\"}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":0,\"note\":1.5}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":0,\"ops\":1.5}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":0,\"repeats_ns\":7}]}",
        "{\"schema\":1,\"runs\":[{\"command\":\"c\",\"seed\":1}],\"rows\":[{\"run\":0,\"repeats_ns\":[\"a\"]}]}",
    };
    results r;
    make(&r, "fifo");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char why[128] = "";
        json_t *document = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        test_context("%s", texts[i]);
        CHECK(!results_append_json(&r, document, why, sizeof why));
        CHECK(why[0] != '\0');
        CHECK_INT(r.run_count, 1);
        CHECK_INT(r.rows.count, 1);
        json_decref(document);
    }
    results_free(&r);
}

static void csv_has_a_line_for_each_row(void) {
    results r;
    char *text = NULL;
    size_t size;
    make(&r, "stop+add");
    FILE *file = open_memstream(&text, &size);
    CHECK(csv_write(&r, file));
    fclose(file);
    CHECK(strncmp(text, "workload,backend,peer,timers,", 29) == 0);
    CHECK(strstr(text, "\nstop+add,heap,,1000000,,,,9007199254740993,52.75,21.1,2.5,,,") != NULL);
    CHECK(strstr(text, ",\"a \"\"note\"\", with a comma\"\n") != NULL);
    free(text);
    results_free(&r);
}

static void figures_have_three_digits(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0 ns" },        { 1.234, "1.23 ns" },    { 9.999, "10.0 ns" }, { 12.34, "12.3 ns" },
        { 123.4, "123 ns" },  { 999.4, "999 ns" },     { 999.6, "1.00 us" }, { 1234, "1.23 us" },
        { 52345, "52.3 us" }, { 1234567, "1.23 ms" },  { 4e9, "4 s" },       { 0.0123, "0.0123 ns" },
    };
    const row_field *field = NULL;
    for (size_t i = 0; field == NULL; ++i)
        if (strcmp(row_field_at(i)->name, "ns_per_op") == 0) field = row_field_at(i);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[32];
        row r;
        row_init(&r, "", NULL, NULL);
        r.ns_per_op = cases[i].value;
        test_context("%s", cases[i].text);
        CHECK(strcmp(row_show(text, sizeof text, &r, field), cases[i].text) == 0);
    }
}

TEST_SUITE("bench_results", 60, { "a_row_survives_json", a_row_survives_json },
           { "every_field_of_the_format_is_there", every_field_of_the_format_is_there },
           { "repeats_are_an_optional_key", repeats_are_an_optional_key },
           { "several_files_become_one", several_files_become_one },
           { "what_is_no_results_file_is_refused", what_is_no_results_file_is_refused },
           { "csv_has_a_line_for_each_row", csv_has_a_line_for_each_row },
           { "figures_have_three_digits", figures_have_three_digits })
