#include "trace/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK (1u << 17)

struct lines {
    gzFile file;
    int64_t number;
    size_t used, filled; /* of the block */
    bool broken;         /* the gzip data broke off or are damaged: told, nothing follows */
    const char *failure;
    char text[LINES_LONGEST + 1];
    char block[BLOCK];
};

bool lines_open(lines **out, const char *path) {
    lines *l = malloc(sizeof *l);
    if (l == NULL) return false;
    l->number = 0;
    l->used = l->filled = 0;
    l->broken = false;
    l->failure = NULL;
    errno = 0;
    l->file = gzopen(path, "rb");
    if (l->file == NULL) {
        if (errno == 0) errno = ENOMEM;
        free(l);
        return false;
    }
    gzbuffer(l->file, BLOCK);
    *out = l;
    return true;
}

bool lines_rewind(lines *l) {
    errno = 0;
    if (gzrewind(l->file) != 0) {
        if (errno == 0) errno = ESPIPE;
        return false;
    }
    l->number = 0;
    l->used = l->filled = 0;
    l->broken = false;
    return true;
}

void lines_close(lines *l) {
    if (l == NULL) return;
    gzclose(l->file);
    free(l);
}

/* Is there another byte? False at the end, and where nothing more can be read. */
static bool fill(lines *l) {
    if (l->used < l->filled) return true;
    if (l->broken || l->failure != NULL) return false;
    errno = 0;
    const int got = gzread(l->file, l->block, BLOCK);
    const int system_error = errno;
    int status;
    gzerror(l->file, &status);
    l->used = 0;
    l->filled = got > 0 ? (size_t)got : 0;
    if (status == Z_ERRNO || status == Z_MEM_ERROR)
        l->failure = strerror(status == Z_ERRNO ? system_error : ENOMEM);
    else if (got <= 0 && status != Z_OK && status != Z_STREAM_END)
        l->broken = true;
    return l->filled > 0;
}

static bool is_binary(const char *text, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        const unsigned char byte = (unsigned char)text[i];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return true;
    }
    return false;
}

/* Collect up to the end of the line; the length is more than LINES_LONGEST for one that did not
 * fit. */
static size_t collect(lines *l) {
    size_t length = 0;
    while (fill(l)) {
        const char *from = l->block + l->used;
        const size_t left = l->filled - l->used;
        const char *end = memchr(from, '\n', left);
        const size_t part = end != NULL ? (size_t)(end - from) : left;
        if (length + part <= LINES_LONGEST) memcpy(l->text + length, from, part);
        length = length + part <= LINES_LONGEST ? length + part : LINES_LONGEST + 1;
        l->used += part + (end != NULL);
        if (end != NULL) break;
    }
    return length;
}

static lines_result bad(line *out, const char *why) {
    out->text[0] = '\0';
    out->length = 0;
    out->why = why;
    return LINES_BAD;
}

lines_result lines_next(line *out, lines *l) {
    const bool told = l->broken;
    *out = (line){ .text = l->text, .number = l->number + 1 };
    l->text[0] = '\0';
    if (!fill(l) && (told || !l->broken)) {
        out->why = l->failure;
        return l->failure != NULL ? LINES_FAILED : LINES_END;
    }
    ++l->number;
    const size_t length = collect(l);
    if (l->broken && !told) return bad(out, "the gzip data break off or are damaged here");
    if (l->failure != NULL) {
        out->why = l->failure;
        return LINES_FAILED;
    }
    if (length > LINES_LONGEST) return bad(out, "longer than 65535 bytes");
    out->length = length > 0 && l->text[length - 1] == '\r' ? length - 1 : length;
    l->text[out->length] = '\0';
    return is_binary(l->text, out->length) ? bad(out, "binary") : LINES_GOOD;
}
