#include "workload/lateness.h"

#include "workload/clock.h"
#include "workload/random.h"

#include <stdlib.h>
#include <sys/resource.h>

static int compare_ints(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void lateness_offsets(int64_t *offsets, int64_t count, int64_t span_ns, uint64_t seed,
                      int64_t index) {
    uint64_t random = random_mix(seed + (uint64_t)index * 0x9e3779b97f4a7c15u);
    for (int64_t i = 0; i < count; ++i) offsets[i] = random_between(&random, 0, span_ns);
    qsort(offsets, (size_t)count, sizeof *offsets, compare_ints);
}

int lateness_init(lateness_log *log) {
    *log = (lateness_log){ 0 };
    return histogram_init(&log->late);
}

void lateness_free(lateness_log *log) {
    histogram_free(&log->late);
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void read_usage(int64_t *wakeups, double *cpu_s) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *wakeups = usage.ru_nvcsw;
    *cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void lateness_begin(lateness_log *log) {
    read_usage(&log->wakeups_before, &log->cpu_before);
}

void lateness_note(lateness_log *log, int64_t deadline_ns) {
    const int64_t late = clock_ns() - deadline_ns;
    ++log->firings;
    if (late < 0) ++log->early;
    histogram_add(&log->late, late);
}

void lateness_end(lateness_log *log) {
    int64_t wakeups;
    double cpu_s;
    read_usage(&wakeups, &cpu_s);
    log->wakeups += wakeups - log->wakeups_before;
    log->cpu_s += cpu_s - log->cpu_before;
}

void lateness_row(const lateness_log *log, row *r) {
    r->ops = log->firings;
    r->late_p50_us = (double)histogram_percentile(&log->late, 0.5) / 1e3;
    r->late_p99_us = (double)histogram_percentile(&log->late, 0.99) / 1e3;
    r->early = log->early;
    r->wakeups = log->wakeups;
    r->cpu_s = log->cpu_s;
}
