/* Making and destroying runtimes. */
#include "api/runtime.h"

#include "api/registry.h"
#include "dispatch/waiter.h"
#include "system/trace.h"

#include <string.h>
#include <unistd.h>

#define DEFAULT_BACKEND "tiered"
#define DEFAULT_TICK TARRY_MILLISECOND

int tarry_version(void) {
    return TARRY_VERSION;
}

/* The bits of the options that take some thought, in the form that the runtime uses. */
typedef struct tri_plan {
    const tri_backend_ops *ops;
    int64_t tick_ns;
    unsigned workers;
} tri_plan;

static bool flags_fit(const tarry_options *options) {
    if (options->by_hand > 1 || options->single_threaded > 1) return false;
    if (options->single_threaded && !options->by_hand) return false;
    if (options->callbacks > TARRY_CALLBACKS_INLINE) return false;
    const bool own_threads = !options->by_hand && options->executor == NULL &&
                             options->callbacks == TARRY_CALLBACKS_THREADS;
    if (options->callback_threads_max != 0 && !own_threads) return false;
    /* By hand callbacks are inline: nobody may ask for another way and silently not get it. */
    return options->executor == NULL ||
           (!options->by_hand && options->callbacks == TARRY_CALLBACKS_THREADS);
}

static bool clock_fits(const tarry_options *options) {
    if (options->clock > TARRY_CLOCK_CALLER) return false;
    if ((options->clock == TARRY_CLOCK_CALLER) != (options->now != NULL)) return false;
    if (options->clock == TARRY_CLOCK_CALLER && !options->by_hand) return false;
    if (options->clock != TARRY_CLOCK_VIRTUAL) return options->virtual_start == 0;
    return options->virtual_start >= 0 && options->virtual_start < TRI_TIME_END;
}

static bool tables_fit(const tarry_options *options) {
    const tarry_allocator *allocator = options->allocator;
    if (allocator != NULL && (allocator->allocate == NULL || allocator->release == NULL))
        return false;
    return options->executor == NULL || options->executor->submit != NULL;
}

static int make_plan(tri_plan *plan, const tarry_options *options) {
    if (options->size != sizeof *options) return -EINVAL;
    if (!flags_fit(options) || !clock_fits(options) || !tables_fit(options)) return -EINVAL;
    plan->ops = tri_backend_find(options->backend != NULL ? options->backend : DEFAULT_BACKEND);
    if (plan->ops == NULL || options->tick_ns < 0) return -EINVAL;
    if (plan->ops->tick == TRI_TICK_NONE && options->tick_ns != 0) return -EINVAL;
    plan->tick_ns = options->tick_ns;
    if (plan->ops->tick == TRI_TICK_NEEDED && plan->tick_ns == 0) plan->tick_ns = DEFAULT_TICK;
    plan->workers = options->workers;
    if (plan->workers == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        plan->workers = online < 1 ? 1 : online > (long)TARRY_MAX_WORKERS ? TARRY_MAX_WORKERS
                                                                         : (unsigned)online;
    }
    return plan->workers > TARRY_MAX_WORKERS ? -EINVAL : 0;
}

static void run_one_due(void *bucket) {
    tri_bucket_run(bucket, 1);
}

static void fini_workers(tarry_runtime *rt, unsigned made) {
    while (made-- > 0) {
        tri_bucket_fini(&rt->workers[made].bucket);
        tri_bucket_fini_memory(&rt->workers[made].bucket);
    }
    tri_memory_give(&rt->memory, rt->workers, rt->count * sizeof *rt->workers);
}

static int init_workers(tarry_runtime *rt, const tri_plan *plan, const tarry_options *options) {
    const bool run_inline = options->by_hand || options->callbacks == TARRY_CALLBACKS_INLINE;
    rt->count = plan->workers;
    rt->workers = tri_memory_take(&rt->memory, rt->count * sizeof *rt->workers);
    if (rt->workers == NULL) return -ENOMEM;
    memset(rt->workers, 0, rt->count * sizeof *rt->workers);
    for (unsigned i = 0; i < rt->count; ++i) {
        tri_worker *worker = &rt->workers[i];
        worker->executor = run_inline ? NULL : &rt->executor;
        worker->job = (tri_job){ .run = run_one_due,
                                 .argument = &worker->bucket,
                                 .executor = &rt->executor };
        const int error = tri_bucket_init(&worker->bucket, &rt->shared, plan->ops, plan->tick_ns,
                                          options->allocator, i);
        if (error == 0) continue;
        fini_workers(rt, i);
        return error;
    }
    return 0;
}

static int init_runtime(tarry_runtime *rt, const tri_plan *plan, const tarry_options *options) {
    const tri_clock_config clock = { options->clock, options->virtual_start, options->now,
                                     options->now_context, !options->by_hand,
                                     options->single_threaded };
    rt->by_hand = options->by_hand;
    atomic_store(&rt->next_bound, 0);
    rt->shared.no_locks = options->single_threaded;
    tri_memory_init_plain(&rt->memory, options->allocator);
    if (pthread_key_create(&rt->key, NULL) != 0) return -EAGAIN;
    int error = tri_clock_init(&rt->shared.clock, &clock);
    if (error != 0) goto no_clock;
    error = init_workers(rt, plan, options);
    if (error != 0) goto no_workers;
    tri_lock_init(&rt->shared.lock, TRI_RANK_RUNTIME, options->single_threaded);
    tri_executor_init(&rt->executor, options->executor, options->callback_threads_max);
    return 0;
no_workers:
    tri_clock_stop(&rt->shared.clock);
no_clock:
    pthread_key_delete(rt->key);
    return error;
}

int tarry_create(tarry_runtime **out, const tarry_options *options) {
    const tarry_options defaults = TARRY_OPTIONS_INIT;
    if (options == NULL) options = &defaults;
    tri_plan plan;
    if (out == NULL) return -EINVAL;
    int error = make_plan(&plan, options);
    if (error != 0) return error;
    tarry_runtime *rt = tri_registry_take();
    if (rt == NULL) return -ENOMEM;
    error = init_runtime(rt, &plan, options);
    if (error != 0) {
        tri_registry_give(rt);
        return error;
    }
    tri_registry_enter(rt);
    *out = rt;
    return 0;
}

static void close_bucket(tri_bucket *bucket) {
    tri_waiter *wakes = NULL;
    tri_lock_take(&bucket->lock);
    tri_bucket_close_locked(bucket, &wakes);
    const bool empty = bucket->residents == NULL;
    tri_lock_drop(&bucket->lock);
    tri_waiter_wake(wakes);
    /* Not the last hold: destroy has one of its own. */
    if (empty) tri_shared_let_go(bucket->shared);
}

int tarry_destroy(tarry_runtime *rt) {
    if (rt == NULL) return -EINVAL;
    if (tri_shared_state(&rt->shared) == 0 && tri_bucket_in_callback(&rt->shared, NULL))
        return -EDEADLK;
    const int state = tri_registry_leave(rt);
    if (state != 0) return state == -ECHILD ? 0 : state;
    atomic_store(&rt->shared.holds, rt->count + 1);
    for (unsigned i = 0; i < rt->count; ++i) close_bucket(&rt->workers[i].bucket);
    for (unsigned i = 0; i < rt->count; ++i) tri_timerproc_join(&rt->workers[i]);
    tri_executor_finish(&rt->executor);
    for (unsigned i = 0; i < rt->count; ++i) tri_bucket_wait_idle(&rt->workers[i].bucket);
    for (unsigned i = 0; i < rt->count; ++i) tri_bucket_fini(&rt->workers[i].bucket);
    tri_clock_stop(&rt->shared.clock);
    pthread_key_delete(rt->key);
    tri_trace_flush();
    if (tri_shared_let_go(&rt->shared)) tri_runtime_free(&rt->shared);
    return 0;
}

void tri_runtime_free(tri_shared *shared) {
    tarry_runtime *rt = (tarry_runtime *)shared;
    for (unsigned i = 0; i < rt->count; ++i) tri_bucket_fini_memory(&rt->workers[i].bucket);
    tri_memory_give(&rt->memory, rt->workers, rt->count * sizeof *rt->workers);
    tri_registry_give(rt);
}

int tri_runtime_ensure(tarry_runtime *rt, tri_worker *worker) {
    if (rt->by_hand) return 0;
    const int error = tri_timerproc_ensure(worker);
    return error != 0 || worker->executor == NULL ? error : tri_executor_ready(worker->executor);
}

void tri_runtime_leave_locked(tri_bucket *bucket, tri_resident *resident, size_t size) {
    const bool last = tri_resident_leave_locked(bucket, resident, size);
    tri_lock_drop(&bucket->lock);
    if (last && tri_shared_let_go(bucket->shared)) tri_runtime_free(bucket->shared);
}

static int bind(tarry_runtime *rt, unsigned worker) {
    return -pthread_setspecific(rt->key, (void *)(uintptr_t)(worker + 1));
}

int tarry_bind(tarry_runtime *rt, unsigned worker) {
    const int error = tri_runtime_has_worker(rt, worker);
    return error != 0 ? error : bind(rt, worker);
}

tri_worker *tri_runtime_worker(tarry_runtime *rt) {
    const uintptr_t bound = (uintptr_t)pthread_getspecific(rt->key);
    if (bound != 0) return &rt->workers[bound - 1];
    const unsigned worker = atomic_fetch_add(&rt->next_bound, 1) % rt->count;
    /* Where there is no memory to remember it, the next call binds anew. */
    (void)bind(rt, worker);
    return &rt->workers[worker];
}

int tarry_workers(const tarry_runtime *rt) {
    const int error = tri_runtime_usable(rt);
    return error != 0 ? error : (int)rt->count;
}

int tarry_now(int64_t *out, const tarry_runtime *rt) {
    const int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    if (error == 0) *out = tri_runtime_now(rt);
    return error;
}
