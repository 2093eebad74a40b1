#include "report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(file_writer *w) {
    const int error = errno;
    if (w->stream != NULL) fclose(w->stream);
    if (w->fresh != NULL) unlink(w->fresh);
    free(w->fresh);
    free(w->target);
    *w = (file_writer){ 0 };
    errno = error;
}

static bool open_fresh(file_writer *w) {
    if (asprintf(&w->fresh, "%s.XXXXXX", w->target) < 0) {
        w->fresh = NULL;
        return false;
    }
    const int fd = mkstemp(w->fresh);
    if (fd < 0) {
        free(w->fresh);
        w->fresh = NULL;
        return false;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) == 0 && (w->stream = fdopen(fd, "w")) != NULL) return true;
    close(fd);
    return false;
}

bool file_begin(file_writer *w, const char *path) {
    *w = (file_writer){ 0 };
    struct stat found;
    const bool exists = stat(path, &found) == 0;
    if (exists && S_ISDIR(found.st_mode)) {
        errno = EISDIR;
        return false;
    }
    /* A link keeps its name: what it points to is replaced. */
    w->target = exists ? realpath(path, NULL) : strdup(path);
    bool ready = w->target != NULL;
    if (ready && exists && access(w->target, W_OK) != 0) ready = false;
    else if (ready && exists && !S_ISREG(found.st_mode))
        ready = (w->stream = fopen(w->target, "w")) != NULL;
    else if (ready) ready = open_fresh(w);
    if (!ready) forget(w);
    return ready;
}

bool file_commit(file_writer *w) {
    bool written = fflush(w->stream) == 0;
    if (written && ferror(w->stream)) {
        errno = EIO;
        written = false;
    }
    if (written && w->fresh != NULL)
        written = fsync(fileno(w->stream)) == 0 && rename(w->fresh, w->target) == 0;
    if (written) {
        free(w->fresh);
        w->fresh = NULL;
    }
    forget(w);
    return written;
}

void file_abandon(file_writer *w) {
    forget(w);
}

bool file_check(const char *path) {
    file_writer w;
    if (!file_begin(&w, path)) return false;
    file_abandon(&w);
    return true;
}

char *file_join(const char *folder, const char *name) {
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}
