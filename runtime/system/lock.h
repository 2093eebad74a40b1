/* The one kind of lock, with its place in the lock order. Take locks in rising rank, never two of
 * one rank; docs/locking.md says why each rank is where it is. With TARRY_CHECK the order is
 * checked for each thread; in a release nothing of that is left.
 *
 * One atomic exchange takes it, a plain store gives it back: half the cost of a mutex, which needs
 * two atomic operations. What is held under it takes well under a microsecond, so who finds it
 * taken spins for about as long, then marks it as waited for and sleeps on the word. Who gives it
 * back and finds the mark clears it and wakes one sleeper; who was woken marks it again before it
 * tries, for those who still sleep. So of many that give it back while the woken one is on its way,
 * only one makes the system call.
 *
 * A mark can be missed: it is read before the store that gives the lock back, and that store may
 * stay in the processor's buffer for a while, so that a taker marks the lock just after the look at
 * the mark, still finds it taken, and sleeps with nobody to wake it. (To look after the store would
 * not help without a full fence, which is what this lock saves; and the lock's memory may be gone
 * by then.) Therefore a sleep is bounded, and a missed mark costs TRI_LOCK_NAP_NS, once. Nothing
 * but that bound depends on the order in which other processors see the mark, so the argument is
 * the same on every processor: the exchange is an acquire and the store a release, which keeps what
 * is done under the lock within it, on ARM as on x86; the mark is no part of that.
 * tests/model/lock.pml shows both: with the bound all get in, without it they do not. */
#ifndef TRI_LOCK_H
#define TRI_LOCK_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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
    TRI_RANK_RUNTIME,  /* starting threads */
    TRI_RANK_WAITS,    /* which callback waits for the end of which */
    TRI_RANK_BUCKET,
    TRI_RANK_MAILBOX,
    TRI_RANK_EXECUTOR,
    TRI_RANK_CLOCK, /* sleepers on a clock that somebody moves */
    TRI_RANK_TRACE
};

#define TRI_LOCK_NAP_NS 100000

typedef struct tri_lock {
    _Atomic uint32_t taken;  /* (a) 0 or 1 */
    _Atomic uint32_t waited; /* (a) 1: somebody may sleep on it, or is about to */
    enum tri_rank rank;      /* (c) */
    bool off;                /* (c) single_threaded: there is nobody to keep out */
} tri_lock;

/* For a lock with static life. */
#define TRI_LOCK_INITIALIZER(its_rank) { 0, 0, its_rank, false }

void tri_lock_init(tri_lock *lock, enum tri_rank rank, bool off);
/* The slow ways: to take it when it was found taken, to give it back when it was found marked. */
void tri_lock_wait(tri_lock *lock);
void tri_lock_pass(tri_lock *lock);

void tri_require(bool condition, const char *text, const char *file, int line);
void tri_rank_push(enum tri_rank rank);
void tri_rank_pop(enum tri_rank rank);
bool tri_rank_holds(enum tri_rank rank);
bool tri_rank_none(void);

static inline void tri_lock_take(tri_lock *lock) {
    if (TARRY_CHECK) tri_rank_push(lock->rank);
    if (lock->off) return;
    if (__builtin_expect(atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire) != 0, 0))
        tri_lock_wait(lock);
}

/* Whoever takes the lock next may free it: after the store only its address is used. */
static inline void tri_lock_drop(tri_lock *lock) {
    if (TARRY_CHECK) tri_rank_pop(lock->rank);
    if (__builtin_expect(atomic_load_explicit(&lock->waited, memory_order_relaxed) != 0, 0))
        tri_lock_pass(lock);
    else atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

/* First line of each function whose name ends in _locked. */
#define tri_assert_held(lock) tri_assert(tri_rank_holds((lock)->rank))
/* Before every callback, hook, wake and wait. */
#define tri_assert_no_lock() tri_assert(tri_rank_none())

#endif
