/* Rows as tables: one for each workload, in order of appearance, with the columns that at least
 * one of its rows has. Numbers stand to the right. Notes stand below, each once. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "report/row.h"

#include <stdio.h>

#define TABLE_CELL 64

/* How a table is laid out, for those who print it. */
typedef struct table {
    const rows *rows;
    const char *workload;
    const row_field *columns[32];
    size_t column_count;
    size_t members[256]; /* indexes of rows: those of this workload */
    size_t member_count;
    const char *notes[64]; /* each once; note i is shown as [i+1] */
    size_t note_count;
} table;

/* The table of the first row at or after *next whose workload had none yet; moves *next behind it.
 * False: no more. */
bool table_next(table *t, const rows *list, size_t *next);
const char *table_heading(const table *t, size_t column);
/* Text of a cell, with the note's number in the last column. Returns text. */
const char *table_cell(char *text, size_t size, const table *t, size_t member, size_t column);

/* All tables as text. */
void table_print(const rows *list, FILE *file);

#endif
