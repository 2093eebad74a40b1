/* Lines of a text file, plain or gzip, one after the other in bounded memory. What cannot be a line
 * of any text is told apart, with its number, so that a reader can skip and count it. */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_LONGEST 65535u

typedef struct lines lines;

typedef enum lines_result {
    LINES_END,
    LINES_GOOD,  /* text and length are a line, without its end (\n or \r\n) */
    LINES_BAD,   /* why says what is wrong: binary, too long, or the gzip data break off here */
    LINES_FAILED /* why says why the file cannot be read any further */
} lines_result;

typedef struct line {
    char *text; /* ends with \0; may be changed; valid until the next call. "" unless GOOD */
    size_t length;
    int64_t number; /* from 1 */
    const char *why;
} line;

/* False with errno set. */
bool lines_open(lines **out, const char *path);
lines_result lines_next(line *out, lines *l);
/* From the start again. False with errno set: it is no file that can be read twice. */
bool lines_rewind(lines *l);
void lines_close(lines *l); /* NULL: nothing */

#endif
