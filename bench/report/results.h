/* What one run measured (or several, read back for a report): rows, and for each run its command
 * line, seed and machine, which are printed with every result.
 *
 * As JSON: { "tool": "tarry-compare", "version": "0.1.0", "schema": 1,
 *            "runs": [ { "command", "seed", "machine": {...} } ],
 *            "rows": [ { "run": 0, every field of report/row.h } ] } */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "compare/machine.h"
#include "report/row.h"

typedef struct run_info {
    char *command; /* the command line; owned */
    uint64_t seed;
    machine machine;
} run_info;

typedef struct results {
    run_info *runs;
    size_t run_count;
    rows rows; /* row.run is an index of runs */
} results;

/* One run, of this machine, no rows. argv[0] is the command's name. */
void results_init(results *r, int argc, char **argv, uint64_t seed);
void results_free(results *r);

/* A new object, or NULL: no memory. */
json_t *results_to_json(const results *r);
/* As JSON text. False with errno set: not all of it was written. */
bool results_write_json(const results *r, FILE *file);
/* Append what a document holds. False: why says what is wrong; r is as before. */
bool results_append_json(results *r, const json_t *document, char *why, size_t size);
/* Read a file and append. False: why says what is wrong. */
bool results_append_file(results *r, const char *path, char *why, size_t size);

/* Command line, seed and machine of each run, then the rows: one table for each workload. */
void results_print(const results *r, FILE *file);

#endif
