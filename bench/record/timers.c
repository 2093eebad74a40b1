/* The timers that a process has armed, by address, and the lines that go to its part.
 *
 * An entry is never taken away, so that a callback that another thread is about to call finds its
 * own in any case; a timer that comes to the address of one that ended takes its entry and a new
 * number. So the table is as large as there were addresses.
 *
 * The clock is read under the lock, so that time never goes back in the file.
 *
 * After a fork the child goes on with the parent's numbers, in a part of its own; what it has from
 * its parent pending is not armed in there, so it has no line until it is armed again. */
#include "record/shim.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_ROOM 1024u
#define LINE_ROOM 256u

typedef struct entry {
    const void *timer; /* NULL: free */
    shim_function *callback;
    const shim_class *class;
    uint64_t id;
    int64_t delay_ns; /* of the last arming */
    uint64_t pending; /* the process in whose part it is armed; 0: none */
    bool ended;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *table; /* open addressing; at most half full */
static size_t room, count;
static uint64_t ids;
static uint64_t process = 1; /* how many forks led here, and 1 */
static int64_t first_ns = -1; /* of this part */
static int64_t tick_ns;       /* as told in this part */
static const shim_library *told[4]; /* in this part */

int64_t shim_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --- the table --- */

static entry *place_of(const void *timer) {
    size_t i = (size_t)(((uintptr_t)timer * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (room - 1);
    while (table[i].timer != NULL && table[i].timer != timer) i = (i + 1) & (room - 1);
    return &table[i];
}

static bool grow(void) {
    entry *old = table, *larger;
    const size_t old_room = room;
    if (2 * count < room) return true;
    const size_t new_room = room == 0 ? FIRST_ROOM : 2 * room;
    larger = calloc(new_room, sizeof *larger);
    if (larger == NULL) return false;
    table = larger;
    room = new_room;
    for (size_t i = 0; i < old_room; ++i)
        if (old[i].timer != NULL) *place_of(old[i].timer) = old[i];
    free(old);
    return true;
}

/* NULL: it was never armed. */
static entry *find(const void *timer) {
    if (room == 0) return NULL;
    entry *e = place_of(timer);
    return e->timer != NULL ? e : NULL;
}

/* NULL also: it has ended. */
static entry *find_known(const void *timer) {
    entry *e = find(timer);
    return e != NULL && !e->ended ? e : NULL;
}

static entry *find_or_make(const void *timer) {
    entry *e = find(timer);
    if (e != NULL) {
        if (e->ended) e->id = ids++;
        e->ended = false;
        return e;
    }
    if (!grow()) return NULL;
    e = place_of(timer);
    *e = (entry){ .timer = timer, .id = ids++ };
    ++count;
    return e;
}

/* --- lines --- */

static char *put_number(char *to, int64_t number) {
    char digits[20];
    size_t n = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) *to++ = '-';
    do digits[n++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    while (n > 0) *to++ = digits[--n];
    return to;
}

static void write_text(const char *text) {
    shim_part_write(text, strlen(text));
}

/* A library's first line of this part has its version before it, and its tick. */
static void tell(const shim_library *library) {
    char version[64], number[24];
    size_t i = 0;
    while (i < sizeof told / sizeof *told && told[i] != NULL && told[i] != library) ++i;
    if (i == sizeof told / sizeof *told || told[i] == library) return;
    told[i] = library;
    const int64_t tick = library->about(version, sizeof version);
    write_text("# ");
    write_text(library->name);
    write_text(" ");
    write_text(version);
    if (tick > tick_ns) {
        tick_ns = tick;
        *put_number(number, tick) = '\0';
        write_text("\n# tick_ns=");
        write_text(number);
    }
    write_text("\n");
}

/* from_ns: what a delay counts from; SHIM_NOW: now. */
static void write_line(const entry *e, char op, int64_t from_ns) {
    char line[LINE_ROOM], *end = line;
    tell(e->class->library);
    const int64_t now = shim_now();
    if (first_ns < 0) first_ns = now;
    end = put_number(end, now - first_ns);
    *end++ = ',';
    *end++ = op;
    *end++ = ',';
    end = put_number(end, (int64_t)e->id);
    *end++ = ',';
    if (op == 'A' || op == 'R')
        end = put_number(end, from_ns == SHIM_NOW ? e->delay_ns : e->delay_ns - (now - from_ns));
    *end++ = ',';
    const size_t length = strlen(e->class->text);
    memcpy(end, e->class->text, length);
    end += length;
    *end++ = '\n';
    shim_part_write(line, (size_t)(end - line));
}

static void arm(entry *e, int64_t from_ns, int64_t delay_ns) {
    e->delay_ns = delay_ns;
    write_line(e, e->pending == process ? 'R' : 'A', from_ns);
    e->pending = process;
}

static void leave(entry *e, char op) {
    if (e->pending == process) write_line(e, op, SHIM_NOW);
    e->pending = 0;
}

/* --- what the libraries' files call --- */

bool shim_arm(const shim_library *library, const void *timer, shim_function *callback,
              int64_t from_ns, int64_t delay_ns) {
    const int error = errno;
    const shim_class *class = callback != NULL ? shim_class_of(library, callback) : NULL;
    pthread_mutex_lock(&lock);
    entry *e = callback == NULL ? find_known(timer) : class != NULL ? find_or_make(timer) : NULL;
    if (e != NULL && callback != NULL) {
        e->callback = callback;
        e->class = class;
    }
    if (e != NULL) arm(e, from_ns, delay_ns);
    pthread_mutex_unlock(&lock);
    errno = error;
    return e != NULL;
}

static void cancel(const void *timer, bool ended) {
    const int error = errno;
    pthread_mutex_lock(&lock);
    entry *e = find(timer);
    if (e != NULL) leave(e, 'C');
    if (e != NULL && ended) e->ended = true;
    pthread_mutex_unlock(&lock);
    errno = error;
}

void shim_cancel(const void *timer) {
    cancel(timer, false);
}

void shim_end(const void *timer) {
    cancel(timer, true);
}

shim_function *shim_called(const void *timer, bool fired, shim_next next) {
    const int error = errno;
    shim_function *callback = NULL;
    pthread_mutex_lock(&lock);
    entry *e = find(timer);
    if (e != NULL) {
        if (fired || !next.armed) leave(e, fired ? 'F' : 'C');
        if (next.armed && next.as_before) arm(e, SHIM_NOW, e->delay_ns);
        else if (next.armed) arm(e, next.from_ns, next.delay_ns);
        callback = e->callback;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return callback;
}

bool shim_is_pending(const void *timer) {
    pthread_mutex_lock(&lock);
    const entry *e = find(timer);
    const bool pending = e != NULL && e->pending == process;
    pthread_mutex_unlock(&lock);
    return pending;
}

shim_function *shim_callback(const void *timer) {
    pthread_mutex_lock(&lock);
    const entry *e = find(timer);
    shim_function *callback = e != NULL ? e->callback : NULL;
    pthread_mutex_unlock(&lock);
    return callback;
}

/* --- fork --- */

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void) {
    pthread_mutex_unlock(&lock);
}

static void after_fork_child(void) {
    ++process;
    first_ns = -1;
    tick_ns = 0;
    memset(told, 0, sizeof told);
    shim_part_forget();
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void start(void) {
    const int error = errno;
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    errno = error;
}
