#include "api/registry.h"

#include <stdlib.h>
#include <string.h>

static tri_lock lock = TRI_LOCK_INITIALIZER(TRI_RANK_REGISTRY);
static tarry_runtime *known;     /* (lock) alive; destroyed, but with objects not yet freed; or
                                  * another process's, which stay for good */
static tarry_runtime *free_ones; /* (lock) for reuse */

static _Atomic(tarry_runtime *) default_one; /* made under default_lock, forgotten under lock */
static tri_lock default_lock = TRI_LOCK_INITIALIZER(TRI_RANK_DEFAULT);

static void before_fork(void) {
    tri_lock_take(&default_lock);
    tri_lock_take(&lock);
}

static void after_fork_in_parent(void) {
    tri_lock_drop(&lock);
    tri_lock_drop(&default_lock);
}

/* No thread of theirs came along, and any of their locks may be held for ever. */
static void after_fork_in_child(void) {
    for (tarry_runtime *rt = known; rt != NULL; rt = rt->next) {
        rt->shared.foreign = true;
        if (tri_shared_state(&rt->shared) == 0) atomic_store(&rt->shared.state, -ECHILD);
    }
    tri_bucket_forget_waits();
    after_fork_in_parent();
}

static void watch_fork(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

tarry_runtime *tri_registry_take(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_fork);
    tri_lock_take(&lock);
    tarry_runtime *rt = free_ones;
    if (rt != NULL) free_ones = rt->next;
    tri_lock_drop(&lock);
    if (rt != NULL) return rt; /* its state stays as it is: somebody may still ask */
    rt = aligned_alloc(TRI_CACHE_LINE,
                       (sizeof *rt + TRI_CACHE_LINE - 1) & ~(size_t)(TRI_CACHE_LINE - 1));
    if (rt == NULL) return NULL;
    memset(rt, 0, sizeof *rt);
    atomic_init(&rt->shared.state, -ESHUTDOWN);
    return rt;
}

/* Takes it off the list, where it was entered. */
void tri_registry_give(tarry_runtime *rt) {
    tri_lock_take(&lock);
    tarry_runtime **link = &known;
    while (*link != NULL && *link != rt) link = &(*link)->next;
    if (*link != NULL) *link = rt->next;
    rt->next = free_ones;
    free_ones = rt;
    tri_lock_drop(&lock);
}

void tri_registry_enter(tarry_runtime *rt) {
    tri_lock_take(&lock);
    rt->next = known;
    known = rt;
    atomic_store(&rt->shared.state, 0);
    tri_lock_drop(&lock);
}

int tri_registry_leave(tarry_runtime *rt) {
    tri_lock_take(&lock);
    const int state = tri_shared_state(&rt->shared);
    atomic_store(&rt->shared.state, -ESHUTDOWN);
    if (atomic_load(&default_one) == rt) atomic_store(&default_one, NULL);
    tri_lock_drop(&lock);
    return state;
}

tarry_runtime *tarry_default(void) {
    tarry_runtime *rt = atomic_load(&default_one);
    if (rt != NULL) return rt;
    tri_lock_take(&default_lock);
    rt = atomic_load(&default_one);
    const int error = rt != NULL ? 0 : tarry_create(&rt, NULL);
    if (error == 0) atomic_store(&default_one, rt);
    tri_lock_drop(&default_lock);
    if (error != 0) errno = -error;
    return error == 0 ? rt : NULL;
}
