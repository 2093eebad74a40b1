/* The one kind of lock, with its place in the lock order. Take locks in rising rank, never two of
 * one rank; docs/locking.md says why each rank is where it is. With TARRY_CHECK the order is
 * checked for each thread; in a release nothing of that is left. */
#ifndef TRI_LOCK_H
#define TRI_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef TARRY_CHECK
#define TARRY_CHECK 0
#endif

/* An assert that lives in checked builds and is compiled, though not run, in all others. */
#define tri_assert(condition)                          \
    do {                                               \
        if (TARRY_CHECK) tri_require((condition), #condition, __FILE__, __LINE__); \
    } while (0)

enum tri_rank {
    TRI_RANK_DEFAULT,  /* making the default runtime */
    TRI_RANK_REGISTRY, /* the process's list of runtimes; create, destroy, fork */
    TRI_RANK_RUNTIME,  /* starting threads; who waits for whose callback */
    TRI_RANK_BUCKET,
    TRI_RANK_MAILBOX,
    TRI_RANK_EXECUTOR,
    TRI_RANK_CLOCK, /* sleepers on a clock that somebody moves */
    TRI_RANK_TRACE
};

typedef struct tri_lock {
    pthread_mutex_t mutex;
    enum tri_rank rank; /* (c) */
    bool off;           /* (c) single_threaded: there is nobody to keep out */
} tri_lock;

/* For a lock with static life. */
#define TRI_LOCK_INITIALIZER(its_rank) { PTHREAD_MUTEX_INITIALIZER, its_rank, false }

void tri_lock_init(tri_lock *lock, enum tri_rank rank, bool off);
void tri_lock_fini(tri_lock *lock);

void tri_require(bool condition, const char *text, const char *file, int line);
void tri_rank_push(enum tri_rank rank);
void tri_rank_pop(enum tri_rank rank);
bool tri_rank_holds(enum tri_rank rank);
bool tri_rank_none(void);

static inline void tri_lock_take(tri_lock *lock) {
    if (TARRY_CHECK) tri_rank_push(lock->rank);
    if (!lock->off) pthread_mutex_lock(&lock->mutex);
}

static inline void tri_lock_drop(tri_lock *lock) {
    if (!lock->off) pthread_mutex_unlock(&lock->mutex);
    if (TARRY_CHECK) tri_rank_pop(lock->rank);
}

/* First line of each function whose name ends in _locked. */
#define tri_assert_held(lock) tri_assert(tri_rank_holds((lock)->rank))
/* Before every callback, hook, wake and wait. */
#define tri_assert_no_lock() tri_assert(tri_rank_none())

#endif
