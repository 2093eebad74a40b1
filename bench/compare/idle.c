#include "compare/idle.h"

#include "compare/command.h"
#include "workload/backends.h"
#include "workload/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tarry/tarry.h>

#define HOUR_NS (3600 * TARRY_SECOND)
#define SETTLE_NS (5 * TARRY_SECOND) /* the longest that going to sleep may take */
#define THREADS_MAX 64

typedef struct idler {
    tarry_runtime *rt;
    tarry_timer *timer;
    int thread; /* the timerproc's id */
    int64_t switches, cpu_ns;
} idler;

static void on_due(void *argument) {
    (void)argument;
}

static int compare_ids(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The ids of this process' threads, in order. */
static size_t list_threads(int *ids) {
    size_t count = 0;
    const struct dirent *entry;
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL) return 0;
    while ((entry = readdir(folder)) != NULL && count < THREADS_MAX)
        if (entry->d_name[0] != '.') ids[count++] = atoi(entry->d_name);
    closedir(folder);
    qsort(ids, count, sizeof *ids, compare_ids);
    return count;
}

/* Ids are given in rising order but wrap; so the new one is the one that was not there. 0: none. */
static int new_thread(const int *before, size_t count) {
    int ids[THREADS_MAX];
    const size_t now = list_threads(ids);
    for (size_t i = 0; i < now; ++i)
        if (bsearch(&ids[i], before, count, sizeof *before, compare_ids) == NULL) return ids[i];
    return 0;
}

/* Voluntary context switches and CPU time of a thread. False: the system does not tell. */
static bool read_thread(int thread, int64_t *switches, int64_t *cpu_ns) {
    char path[64], line[128];
    long long value;
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &value) == 1) {
            *switches = value;
            found = true;
        }
    if (file != NULL) fclose(file);
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", thread);
    file = fopen(path, "r");
    *cpu_ns = -1;
    if (file != NULL && fscanf(file, "%lld", &value) == 1) *cpu_ns = value;
    if (file != NULL) fclose(file);
    return found;
}

static bool is_asleep(const idler *d) {
    tarry_stats stats = TARRY_STATS_INIT;
    return tarry_stats_read(&stats, d->rt, TARRY_ALL_WORKERS) == 0 && stats.sleeps > 0;
}

/* A runtime with its timer, its timerproc asleep. 0 or an errno value. */
static int start(idler *d, const char *backend) {
    int before[THREADS_MAX];
    const size_t count = list_threads(before);
    tarry_options options = TARRY_OPTIONS_INIT;
    backends_choose(&options, backend);
    options.workers = 1;
    options.callbacks = TARRY_CALLBACKS_INLINE;
    int status = tarry_create(&d->rt, &options);
    if (status == 0) status = tarry_after_func(&d->timer, d->rt, HOUR_NS, on_due, NULL);
    if (status != 0) return -status;
    d->thread = new_thread(before, count);
    for (int64_t waited = 0; !is_asleep(d) && waited < SETTLE_NS; waited += TARRY_MILLISECOND)
        clock_sleep(TARRY_MILLISECOND);
    clock_sleep(100 * TARRY_MILLISECOND); /* from the count to the system call */
    return 0;
}

static void finish(idler *d) {
    if (d->timer != NULL) tarry_timer_free(d->timer);
    if (d->rt != NULL) tarry_destroy(d->rt);
}

static int report(const idler *d, const char *backend, int64_t seconds, rows *out) {
    int64_t switches, cpu_ns;
    row r;
    if (!read_thread(d->thread, &switches, &cpu_ns))
        return command_fail(EXIT_CANNOT, "lateness", "%s: no /proc/self/task to read", backend);
    row_init(&r, "idle", backend, NULL);
    r.timers = 1;
    r.threads = 1;
    r.wakeups = switches - d->switches;
    if (cpu_ns >= 0) r.cpu_s = (double)(cpu_ns - d->cpu_ns) / 1e9;
    row_note(&r, "one timer, an hour away: voluntary context switches of the timerproc in %lld s",
             (long long)seconds);
    rows_add(out, &r);
    if (r.wakeups == 0) return EXIT_FINE;
    return command_fail(EXIT_CHECK, "lateness", "check failed: %s woke %lld times while idle",
                        backend, (long long)r.wakeups);
}

int idle_measure(const option_names *backends, int64_t seconds, rows *out) {
    idler idlers[OPTION_NAMES_MAX] = { 0 };
    int status = EXIT_FINE;
    for (size_t i = 0; i < backends->count && status == EXIT_FINE; ++i) {
        idler *d = &idlers[i];
        const int error = start(d, backends->items[i]);
        if (error != 0 || !read_thread(d->thread, &d->switches, &d->cpu_ns))
            status = command_fail(EXIT_CANNOT, "lateness", "%s: %s", backends->items[i],
                                  error != 0 ? strerror(error) : "its timerproc was not found");
    }
    if (status == EXIT_FINE) clock_sleep(seconds * TARRY_SECOND);
    for (size_t i = 0; i < backends->count && status != EXIT_CANNOT; ++i) {
        const int one = report(&idlers[i], backends->items[i], seconds, out);
        if (one > status) status = one;
    }
    for (size_t i = 0; i < backends->count; ++i) finish(&idlers[i]);
    return status;
}
