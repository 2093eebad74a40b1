#include "report/file.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK (1u << 16)
#define LINE_ROOM (20 + 1 + 1 + 1 + 20 + 1 + 20 + 1 + TRACE_CLASS_LONGEST + 2)

struct trace_writer {
    file_writer file;
    FILE *stream; /* of the file, or standard output */
    gzFile gzip;  /* over the same descriptor; NULL: plain */
    int error;    /* the first errno value of the medium */
    size_t used;
    char block[BLOCK];
};

static bool is_gzip(const char *path) {
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static bool open_gzip(trace_writer *w) {
    const int copy = dup(fileno(w->stream));
    if (copy < 0) return false;
    w->gzip = gzdopen(copy, "wb9");
    if (w->gzip != NULL) return true;
    close(copy);
    errno = ENOMEM;
    return false;
}

static bool may_write(const char *path, bool replace) {
    struct stat found;
    if (replace || stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return true;
    errno = EEXIST;
    return false;
}

static bool open_target(trace_writer *w, const char *path, bool replace) {
    if (strcmp(path, "-") == 0) {
        w->stream = stdout;
        return true;
    }
    if (!may_write(path, replace) || !file_begin(&w->file, path)) return false;
    w->stream = w->file.stream;
    if (!is_gzip(path) || open_gzip(w)) return true;
    const int error = errno;
    file_abandon(&w->file);
    errno = error;
    return false;
}

bool trace_create(trace_writer **out, const char *path, bool replace) {
    trace_writer *w = malloc(sizeof *w);
    if (w == NULL) return false;
    w->file = (file_writer){ 0 };
    w->gzip = NULL;
    w->error = 0;
    w->used = 0;
    if (!open_target(w, path, replace)) {
        const int error = errno;
        free(w);
        errno = error;
        return false;
    }
    *out = w;
    return true;
}

static void flush(trace_writer *w) {
    const size_t size = w->used;
    w->used = 0;
    if (size == 0 || w->error != 0) return;
    errno = 0;
    const bool done = w->gzip != NULL ? gzwrite(w->gzip, w->block, (unsigned)size) == (int)size
                                      : fwrite(w->block, 1, size, w->stream) == size;
    if (!done) w->error = errno != 0 ? errno : EIO;
}

void trace_comment(trace_writer *w, const char *format, ...) {
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (BLOCK - w->used < sizeof text + 3) flush(w);
    w->used += (size_t)snprintf(w->block + w->used, BLOCK - w->used, "# %s\n", text);
}

void trace_put(trace_writer *w, const trace_op *op) {
    char delay[24] = "";
    if (op->op == 'A' || op->op == 'R') snprintf(delay, sizeof delay, "%" PRId64, op->delay_ns);
    if (BLOCK - w->used < LINE_ROOM) flush(w);
    w->used += (size_t)snprintf(w->block + w->used, BLOCK - w->used,
                                "%" PRId64 ",%c,%" PRIu64 ",%s,%.*s\n", op->t_ns, op->op, op->id,
                                delay, (int)op->class.length, op->class.text);
}

/* What gzip still holds goes into the stream's file. */
static void end_gzip(trace_writer *w) {
    if (w->gzip == NULL) return;
    errno = 0;
    const int status = gzclose(w->gzip);
    if (status != Z_OK && w->error == 0) w->error = errno != 0 ? errno : EIO;
}

bool trace_commit(trace_writer *w) {
    flush(w);
    end_gzip(w);
    if (w->stream == stdout && w->error == 0 && fflush(stdout) != 0) w->error = errno;
    int error = w->error;
    if (error != 0 && w->stream != stdout) file_abandon(&w->file);
    else if (w->stream != stdout && !file_commit(&w->file)) error = errno;
    free(w);
    errno = error;
    return error == 0;
}

void trace_abandon(trace_writer *w) {
    end_gzip(w);
    if (w->stream != stdout) file_abandon(&w->file);
    free(w);
}
