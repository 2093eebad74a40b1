/* The file that a process records to: the next free number in the folder that the environment
 * names. The command puts the parts together when all is over.
 *
 * Lines go into a mapping of the file, so that a line costs no system call, and what was written is
 * in the file whatever ends the process, SIGKILL too. Each chunk is allocated before it is mapped:
 * a full disk is an error here and no SIGBUS there. The unused rest of the last chunk is zeros,
 * which the command cuts off.
 *
 * Between chunks no descriptor of the file is open, as daemons close what they find. The folder's
 * is kept, for a program that changes its root; it is looked at before it is used, since the number
 * may have become another file's. */
#include "record/part.h"

#include "record/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 20)
#define FOLDER_FD_FROM 512
#define PARTS_MAX 100000

static int folder_fd = -1;       /* (c) after start */
static struct stat folder_stat;  /* (c) */
static const char *folder;       /* (c) NULL: nothing is recorded */
static char name[16];            /* "": none is open */
static char *chunk;              /* NULL: none is mapped */
static size_t used;              /* of the chunk */
static off_t offset;             /* of the next chunk */
static bool stopped;             /* it could not be written; nothing more is */

static int open_in_folder(const char *file, int flags) {
    struct stat now;
    char path[4200];
    if (folder_fd >= 0 && fstat(folder_fd, &now) == 0 && now.st_dev == folder_stat.st_dev &&
        now.st_ino == folder_stat.st_ino)
        return openat(folder_fd, file, flags | O_CLOEXEC | O_NOFOLLOW, 0666);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666);
}

static void leave_mark(const char *file) {
    const int fd = open_in_folder(file, O_WRONLY | O_CREAT);
    if (fd >= 0) close(fd);
}

/* Before main. */
__attribute__((constructor)) static void start(void) {
    const int error = errno;
    folder = getenv(RECORD_FOLDER);
    const int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &folder_stat) == 0) {
        folder_fd = fcntl(fd, F_DUPFD_CLOEXEC, FOLDER_FD_FROM);
        if (folder_fd >= 0) close(fd);
        else folder_fd = fd;
        leave_mark(RECORD_LOADED);
    }
    errno = error;
}

/* Of the process: which program, and its number. */
static bool write_head(void) {
    char text[400];
    const int length = snprintf(text, sizeof text, "# recorded by tarry-compare record: %.300s, "
                                "process %ld\n", program_invocation_short_name, (long)getpid());
    for (char *c = text; c < text + length - 1; ++c)
        if ((unsigned char)*c < 0x20) *c = '_';
    return shim_part_write(text, (size_t)length);
}

static int create_next(void) {
    int fd = -1;
    for (unsigned i = 1; i <= PARTS_MAX && fd < 0; ++i) {
        snprintf(name, sizeof name, "%u", i);
        fd = open_in_folder(name, O_RDWR | O_CREAT | O_EXCL);
        if (fd < 0 && errno != EEXIST) break;
    }
    /* Who the process is may change before the next chunk is opened. */
    if (fd >= 0 && fchmod(fd, 0666) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool may_grow(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           (rlim_t)offset + CHUNK <= limit.rlim_cur; /* beyond it there is a signal */
}

static bool map_chunk(int fd) {
    void *map = MAP_FAILED;
    if (fd < 0) return false;
    if (may_grow() && posix_fallocate(fd, offset, (off_t)CHUNK) == 0)
        map = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    close(fd);
    if (map == MAP_FAILED) return false;
    chunk = map;
    used = 0;
    offset += (off_t)CHUNK;
    return true;
}

static bool next_chunk(void) {
    const bool is_first = name[0] == '\0';
    if (chunk != NULL) munmap(chunk, CHUNK);
    chunk = NULL;
    if (map_chunk(is_first ? create_next() : open_in_folder(name, O_RDWR)))
        return !is_first || write_head();
    stopped = true;
    leave_mark(RECORD_STOPPED);
    return false;
}

bool shim_part_write(const char *text, size_t length) {
    if (folder == NULL || stopped) return false;
    while (length > 0) {
        if ((chunk == NULL || used == CHUNK) && !next_chunk()) return false;
        const size_t size = length < CHUNK - used ? length : CHUNK - used;
        memcpy(chunk + used, text, size);
        used += size;
        text += size;
        length -= size;
    }
    return true;
}

void shim_part_forget(void) {
    if (chunk != NULL) munmap(chunk, CHUNK);
    chunk = NULL;
    name[0] = '\0';
    offset = 0;
    stopped = false;
}
