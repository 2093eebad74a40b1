/* Small files for the tests of the trace tool: each test case has one folder, gone at its end. */
#ifndef TEST_TRACE_FILES_H
#define TEST_TRACE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A new empty folder; the names below are of files in it. Ends the test program where it cannot be
 * made. */
void files_begin(void);
void files_end(void);
/* The path of a name; valid until the next call but three. */
const char *files_path(const char *name);
/* Make a file, plain or (name ends in .gz) gzip. Returns its path. */
const char *files_write(const char *name, const void *bytes, size_t size);
const char *files_text(const char *name, const char *text);
/* Cut a file to that many bytes. */
void files_cut(const char *name, size_t size);
/* What a file holds, unpacked, as text; NULL: there is none. Valid until the next call. */
const char *files_read(const char *name);
/* How many files there are. */
size_t files_count(void);

#endif
