/* Files that are written whole or not at all: into a new file beside the target, which takes its
 * name at the end. A target that is no regular file (a device, a pipe) is written directly. */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct file_writer {
    FILE *stream; /* write to it */
    char *target;
    char *fresh; /* the new file's name; NULL: written directly */
} file_writer;

/* Each answers true, or false with errno set; on false nothing is open and nothing is left. */
bool file_begin(file_writer *w, const char *path);
/* Flush, sync, take the name. Also false where an earlier write to the stream had failed. */
bool file_commit(file_writer *w);
/* Forget what was written; the target is as it was. */
void file_abandon(file_writer *w);

/* Could path be written? Leaves nothing behind. */
bool file_check(const char *path);
/* DIR "/" NAME, or NULL with errno set; free it. */
char *file_join(const char *folder, const char *name);

#endif
