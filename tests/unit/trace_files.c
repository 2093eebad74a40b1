#include "trace_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 1 << 20 };

static char folder[64];

static void need(bool fine, const char *what) {
    if (fine) return;
    perror(what);
    exit(2);
}

void files_begin(void) {
    strcpy(folder, "/tmp/tarry-test-XXXXXX");
    need(mkdtemp(folder) != NULL, "mkdtemp");
}

const char *files_path(const char *name) {
    static char paths[4][384];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

/* Calls `visit` for each file; returns how many there are. */
static size_t each_file(void (*visit)(const char *path)) {
    size_t count = 0;
    DIR *all = opendir(folder);
    need(all != NULL, folder);
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        ++count;
        if (visit != NULL) visit(files_path(entry->d_name));
    }
    closedir(all);
    return count;
}

static void delete_file(const char *path) {
    need(unlink(path) == 0, path);
}

void files_end(void) {
    each_file(delete_file);
    need(rmdir(folder) == 0, folder);
}

size_t files_count(void) {
    return each_file(NULL);
}

const char *files_write(const char *name, const void *bytes, size_t size) {
    const char *path = files_path(name);
    const size_t length = strlen(name);
    const bool gzip = length > 3 && strcmp(name + length - 3, ".gz") == 0;
    gzFile file = gzopen(path, gzip ? "wb" : "wbT"); /* T: as it is */
    need(file != NULL, path);
    need(size == 0 || gzwrite(file, bytes, (unsigned)size) == (int)size, path);
    need(gzclose(file) == Z_OK, path);
    return path;
}

const char *files_text(const char *name, const char *text) {
    return files_write(name, text, strlen(text));
}

void files_cut(const char *name, size_t size) {
    need(truncate(files_path(name), (off_t)size) == 0, name);
}

const char *files_read(const char *name) {
    static char text[ROOM];
    gzFile file = gzopen(files_path(name), "rb");
    if (file == NULL) return NULL;
    const int size = gzread(file, text, ROOM - 1);
    gzclose(file);
    need(size >= 0, name);
    text[size] = '\0';
    return text;
}
