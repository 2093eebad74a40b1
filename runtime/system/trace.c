#include "system/trace.h"

#include "system/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (1u << 16)
#define LINE_SIZE 96u

static tri_lock lock = TRI_LOCK_INITIALIZER(TRI_RANK_TRACE);
static int file = -1;            /* (c) after the first tri_trace_wanted */
static pid_t owner;              /* (c) */
static int64_t last_ns;          /* (lock) */
static size_t used;              /* (lock) */
static bool failed;              /* (lock) a write failed: told once, and no more is written */
static char buffer[BUFFER_SIZE]; /* (lock) */

static void flush_locked(void) {
    tri_assert_held(&lock);
    size_t done = 0;
    while (done < used && !failed) {
        const ssize_t size = write(file, buffer + done, used - done);
        if (size > 0) {
            done += (size_t)size;
        } else if (errno != EINTR) {
            failed = true;
            fprintf(stderr, "tarry: the trace is incomplete: %s\n", strerror(errno));
        }
    }
    used = 0;
}

void tri_trace_flush(void) {
    if (file < 0 || getpid() != owner) return;
    tri_lock_take(&lock);
    flush_locked();
    tri_lock_drop(&lock);
}

static void open_file(void) {
    const char *name = getenv("TARRY_TRACE");
    if (name == NULL || *name == '\0') return;
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        fprintf(stderr, "tarry: cannot record to %s: %s\n", name, strerror(errno));
        return;
    }
    owner = getpid();
    used = (size_t)snprintf(buffer, sizeof buffer, "# recorded by tarry\n");
    atexit(tri_trace_flush);
}

bool tri_trace_wanted(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_file);
    return file >= 0;
}

void tri_trace_write(int64_t t_ns, char op, uint64_t id, int64_t delay_ns, const char *class) {
    if (getpid() != owner) return;
    tri_lock_take(&lock);
    if (t_ns > last_ns) last_ns = t_ns;
    if (used + LINE_SIZE > sizeof buffer) flush_locked();
    char *end = buffer + used;
    int size = snprintf(end, LINE_SIZE, "%" PRId64 ",%c,%" PRIu64 ",", last_ns, op, id);
    if (delay_ns >= 0) size += snprintf(end + size, LINE_SIZE - (size_t)size, "%" PRId64, delay_ns);
    size += snprintf(end + size, LINE_SIZE - (size_t)size, ",%s\n", class);
    used += (size_t)size;
    tri_lock_drop(&lock);
}
