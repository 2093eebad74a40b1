#include "record/collect.h"

#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *collect_name(const char *trace, unsigned n) {
    static const char *const endings[] = { ".csv.gz", ".csv", ".gz", "" };
    const size_t length = strlen(trace);
    char *name;
    for (size_t i = 0; n > 1 && i < sizeof endings / sizeof *endings; ++i) {
        const size_t ending = strlen(endings[i]);
        if (length <= ending || strcmp(trace + length - ending, endings[i]) != 0) continue;
        const int written = asprintf(&name, "%.*s.%u%s", (int)(length - ending), trace, n,
                                     endings[i]);
        return written < 0 ? NULL : name;
    }
    return strdup(trace);
}

/* Its whole lines, before the zeros that fill its last chunk. */
static off_t used_of(const char *text, size_t size) {
    const char *zero = memchr(text, '\0', size);
    const size_t length = zero != NULL ? (size_t)(zero - text) : size;
    const char *end = memrchr(text, '\n', length);
    return end != NULL ? end + 1 - text : 0;
}

static bool trim(const char *part) {
    struct stat found;
    const int fd = open(part, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    bool done = fstat(fd, &found) == 0;
    if (done && found.st_size > 0) {
        const size_t size = (size_t)found.st_size;
        void *text = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        done = text != MAP_FAILED && ftruncate(fd, used_of(text, size)) == 0;
        if (text != MAP_FAILED) munmap(text, size);
    }
    const int error = errno;
    close(fd);
    errno = error;
    return done;
}

/* A class begins with its library's name. */
static collect_counts *counts_of(collected *c, slice class) {
    const slice library = slice_cut(&class, ':');
    size_t i = 0;
    while (i + 1 < COLLECT_LIBRARIES && c->counts[i].library[0] != '\0' &&
           !slice_is(library, c->counts[i].library))
        ++i;
    snprintf(c->counts[i].library, sizeof c->counts[i].library, "%.*s", (int)library.length,
             library.text);
    return &c->counts[i];
}

static void count(collected *c, const trace_op *op) {
    collect_counts *counts = counts_of(c, op->class);
    ++c->lines;
    c->length_ns = op->t_ns;
    if (op->op == 'A') ++counts->arms;
    else if (op->op == 'R') ++counts->rearms;
    else if (op->op == 'C') ++counts->cancels;
    else ++counts->firings;
}

static void take_line(collected *c, trace_writer *writer, const line *at) {
    trace_op op;
    const char *why;
    if (*at->text == '#') {
        trace_comment(writer, "%s", at->text + strspn(at->text, "# "));
    } else if (trace_parse(&op, (slice){ at->text, at->length }, &why)) {
        count(c, &op);
        trace_put(writer, &op);
    } else {
        ++c->broken;
    }
}

/* False with errno set. */
static bool copy(collected *c, trace_writer *writer, const char *part) {
    lines *from;
    line at;
    lines_result result;
    if (!lines_open(&from, part)) return false;
    while ((result = lines_next(&at, from)) != LINES_END && result != LINES_FAILED) {
        if (result == LINES_GOOD) take_line(c, writer, &at);
        else ++c->broken;
    }
    lines_close(from);
    if (result == LINES_FAILED) errno = EIO;
    return result == LINES_END;
}

bool collect_part(collected *out, const char *part, const char *trace, bool replace) {
    trace_writer *writer;
    *out = (collected){ 0 };
    if (!trim(part) || !trace_create(&writer, trace, replace)) return false;
    const bool copied = copy(out, writer, part);
    if (copied && out->lines > 0) return trace_commit(writer);
    const int error = errno;
    trace_abandon(writer);
    errno = error;
    return copied;
}
