#include "report/results.h"

#include "report/table.h"

#include <stdlib.h>
#include <string.h>
#include <tarry/base.h>

#define SCHEMA 1

static void no_memory(void) {
    fprintf(stderr, "no memory for the results\n");
    exit(3);
}

/* The command line as one would type it. */
static char *join_arguments(int argc, char **argv) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) no_memory();
    fputs("tarry-compare", stream);
    for (int i = 0; i < argc; ++i) {
        const bool plain = argv[i][0] != '\0' && strpbrk(argv[i], " \t\n'\"\\$&;|<>()*?") == NULL;
        fprintf(stream, plain ? " %s" : " '%s'", argv[i]);
    }
    if (fclose(stream) != 0) no_memory();
    return text;
}

static run_info *add_run(results *r) {
    run_info *runs = realloc(r->runs, (r->run_count + 1) * sizeof *runs);
    if (runs == NULL) no_memory();
    r->runs = runs;
    run_info *run = &runs[r->run_count++];
    *run = (run_info){ 0 };
    return run;
}

void results_init(results *r, int argc, char **argv, uint64_t seed) {
    *r = (results){ 0 };
    run_info *run = add_run(r);
    run->command = join_arguments(argc, argv);
    run->seed = seed;
    machine_read(&run->machine);
}

void results_free(results *r) {
    for (size_t i = 0; i < r->run_count; ++i) free(r->runs[i].command);
    free(r->runs);
    rows_free(&r->rows);
    *r = (results){ 0 };
}

static json_t *runs_to_json(const results *r) {
    json_t *runs = json_array();
    for (size_t i = 0; i < r->run_count; ++i) {
        const run_info *run = &r->runs[i];
        json_array_append_new(runs, json_pack("{s:s, s:I, s:o}", "command", run->command, "seed",
                                              (json_int_t)run->seed, "machine",
                                              machine_to_json(&run->machine)));
    }
    return runs;
}

json_t *results_to_json(const results *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->rows.count; ++i) {
        json_t *object = row_to_json(&r->rows.items[i]);
        json_object_set_new(object, "run", json_integer((json_int_t)r->rows.items[i].run));
        json_array_append_new(list, object);
    }
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TARRY_VERSION_MAJOR, TARRY_VERSION_MINOR,
             TARRY_VERSION_PATCH);
    return json_pack("{s:s, s:s, s:i, s:o, s:o}", "tool", "tarry-compare", "version", version,
                     "schema", SCHEMA, "runs", runs_to_json(r), "rows", list);
}

bool results_write_json(const results *r, FILE *file) {
    json_t *document = results_to_json(r);
    if (document == NULL) no_memory();
    const bool written =
        json_dumpf(document, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0 &&
        fputc('\n', file) != EOF && fflush(file) == 0;
    json_decref(document);
    return written;
}

static bool append_run(results *r, const json_t *object, char *why, size_t size) {
    const json_t *command = json_object_get(object, "command");
    const json_t *seed = json_object_get(object, "seed");
    if (!json_is_string(command) || !json_is_integer(seed)) {
        snprintf(why, size, "a run without a command or a seed");
        return false;
    }
    run_info *run = add_run(r);
    run->command = strdup(json_string_value(command));
    if (run->command == NULL) no_memory();
    run->seed = (uint64_t)json_integer_value(seed);
    machine_from_json(&run->machine, json_object_get(object, "machine"));
    return true;
}

static bool append_row(results *r, size_t first_run, const json_t *object, char *why, size_t size) {
    row one;
    const char *bad;
    if (!json_is_object(object)) {
        snprintf(why, size, "a row that is no object");
        return false;
    }
    if (!row_from_json(&one, object, &bad)) {
        snprintf(why, size, "a row whose field %s is of a wrong type", bad);
        return false;
    }
    const json_t *run = json_object_get(object, "run");
    one.run = first_run + (size_t)json_integer_value(run);
    if (!json_is_integer(run) || json_integer_value(run) < 0 || one.run >= r->run_count) {
        snprintf(why, size, "a row of a run that is not listed");
        return false;
    }
    rows_add(&r->rows, &one);
    return true;
}

bool results_append_json(results *r, const json_t *document, char *why, size_t size) {
    const json_t *runs = json_object_get(document, "runs");
    const json_t *list = json_object_get(document, "rows");
    const json_t *schema = json_object_get(document, "schema");
    const json_t *item;
    size_t i;
    if (!json_is_array(runs) || !json_is_array(list) || !json_is_integer(schema)) {
        snprintf(why, size, "not a results file of tarry-compare");
        return false;
    }
    if (json_integer_value(schema) != SCHEMA) {
        snprintf(why, size, "schema %lld, this program reads schema %d",
                 (long long)json_integer_value(schema), SCHEMA);
        return false;
    }
    const size_t first_run = r->run_count, first_row = r->rows.count;
    bool good = true;
    json_array_foreach((json_t *)runs, i, item) good = good && append_run(r, item, why, size);
    json_array_foreach((json_t *)list, i, item)
        good = good && append_row(r, first_run, item, why, size);
    if (!good) {
        while (r->run_count > first_run) free(r->runs[--r->run_count].command);
        r->rows.count = first_row;
    }
    return good;
}

bool results_append_file(results *r, const char *path, char *why, size_t size) {
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) {
        if (error.line > 0) snprintf(why, size, "line %d: %s", error.line, error.text);
        else snprintf(why, size, "%s", error.text);
        return false;
    }
    const bool good = results_append_json(r, document, why, size);
    json_decref(document);
    return good;
}

void results_print(const results *r, FILE *file) {
    for (size_t i = 0; i < r->run_count; ++i) {
        fprintf(file, "%s\nseed %llu\n", r->runs[i].command, (unsigned long long)r->runs[i].seed);
        machine_print(&r->runs[i].machine, file);
    }
    table_print(&r->rows, file);
}
