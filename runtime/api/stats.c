#include "api/runtime.h"

static void add_bucket(tarry_stats *sum, tri_bucket *bucket) {
    tri_lock_take(&bucket->lock);
    const tri_counts *counts = &bucket->counts;
    sum->armed += counts->armed;
    sum->fired += counts->fired;
    sum->stopped += counts->stopped;
    sum->pending += tri_bucket_pending_locked(bucket);
    sum->dropped += counts->dropped;
    sum->timers += bucket->table.used + bucket->timed;
    sum->entries += bucket->backend->entries;
    sum->running += bucket->runs;
    sum->sleeps += counts->sleeps;
    sum->wakes += counts->wakes;
    sum->idle_wakes += counts->idle_wakes;
    sum->backsteps += counts->backsteps;
    sum->memory += tri_memory_held(&bucket->memory);
    tri_lock_drop(&bucket->lock);
}

int tarry_stats_read(tarry_stats *stats, const tarry_runtime *rt, unsigned worker) {
    if (stats == NULL || stats->size != sizeof *stats) return -EINVAL;
    const bool all = worker == TARRY_ALL_WORKERS;
    const int error = tri_runtime_has_worker(rt, all ? 0 : worker);
    if (error != 0) return error;
    tarry_stats sum = TARRY_STATS_INIT;
    for (unsigned i = all ? 0 : worker; i < (all ? rt->count : worker + 1); ++i)
        add_bucket(&sum, &rt->workers[i].bucket);
    *stats = sum;
    return 0;
}
