/* One result. The fields, their names in results.json and results.csv, and their headings are one
 * table (row_fields), which every reader and writer goes through. A figure that was not measured is
 * ROW_NONE or NAN, and null in JSON, empty in CSV, "-" in a table. */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include "report/histogram.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_NONE INT64_MIN
#define ROW_REPEATS 101 /* at the most */

typedef struct row {
    char workload[64]; /* "stop+add"; "replay FILE" */
    char backend[32];  /* tarry's backend, or "" */
    char peer[32];     /* another library, or "" */
    int64_t timers;    /* pending, or the peak of them */
    int64_t threads;
    int64_t ops;
    double ns_per_op;
    int64_t p50_ns, p99_ns, p9999_ns, max_ns; /* of single operations, in a pass of their own */
    double floor_ns; /* random touch of 64 bytes under one lock pair, in the same run */
    double ratio;    /* ns_per_op / floor_ns, or to the bare futex wait; row_set_floor */
    double bytes_per_timer;
    double late_p50_us, late_p99_us;
    int64_t early; /* firings before their deadline */
    int64_t wakeups;
    double cpu_s;
    int64_t replicate; /* of a replay */
    double speed;      /* of a replay */
    char note[256];    /* what has to be known beside the figures */
    size_t run;        /* which run_info of the results it belongs to; no field of its own */
    /* ns per operation of each repeat, in the order of playing; ns_per_op is their median. Repeat k
     * of two rows of one run was played side by side, so that a verdict can pair them. An optional
     * key of its own in JSON, repeats_ns; not in CSV. */
    double repeats_ns[ROW_REPEATS];
    size_t repeat_count; /* 0: not known */
} row;

typedef struct rows {
    row *items;
    size_t count, room;
} rows;

enum row_kind { ROW_TEXT, ROW_COUNT, ROW_REAL };
enum row_unit { UNIT_NONE, UNIT_NS, UNIT_US, UNIT_S };

typedef struct row_field {
    const char *name;    /* in JSON and CSV */
    const char *heading; /* in tables */
    enum row_kind kind;
    enum row_unit unit;
    size_t offset;
    size_t size; /* of the member */
} row_field;

/* The i-th field, or NULL past the last. */
const row_field *row_field_at(size_t i);

/* Nothing measured. backend or peer may be NULL. Texts that are too long are cut. */
void row_init(row *r, const char *workload, const char *backend, const char *peer);
/* The name in its columns and plots: the backend's or the peer's. */
const char *row_subject(const row *r);
void row_note(row *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets p50_ns to max_ns. */
void row_set_percentiles(row *r, const histogram *h);
/* Sets floor_ns and the ratio of ns_per_op to it. */
void row_set_floor(row *r, double floor_ns);
/* Sets repeats_ns; those past ROW_REPEATS are left out. */
void row_set_repeats(row *r, const double *ns_per_op, size_t count);

/* The member that a field names. */
int64_t row_count(const row *r, const row_field *field);
double row_real(const row *r, const row_field *field);
const char *row_text(const row *r, const row_field *field);
/* Was it measured (a text: is it not empty)? */
bool row_has(const row *r, const row_field *field);
/* A field as people read it: 3 significant digits with a unit, "-" for none. Returns text. */
const char *row_show(char *text, size_t size, const row *r, const row_field *field);

/* A new object with every field, and repeats_ns where it is known. NULL: no memory. */
json_t *row_to_json(const row *r);
/* Fields that the object lacks are not measured. False: a field of a wrong type (*bad names it). */
bool row_from_json(row *r, const json_t *object, const char **bad);

/* Ends the program with status 3 when there is no memory. */
void rows_add(rows *list, const row *r);
void rows_free(rows *list);

#endif
