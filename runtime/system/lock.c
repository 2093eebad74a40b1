#include "system/lock.h"

#include "system/futex.h"

#include <stdio.h>
#include <stdlib.h>

/* About a microsecond: what is held is held for less, unless its holder was preempted. */
#define SPINS 100u

static _Thread_local unsigned held; /* one bit a rank */

void tri_lock_init(tri_lock *lock, enum tri_rank rank, bool off) {
    atomic_init(&lock->taken, 0);
    atomic_init(&lock->waited, 0);
    lock->rank = rank;
    lock->off = off;
}

static bool try_take(tri_lock *lock) {
    return atomic_load_explicit(&lock->taken, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire) == 0;
}

static void relax(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

void tri_lock_wait(tri_lock *lock) {
    for (unsigned i = 0; i < SPINS; ++i) {
        if (try_take(lock)) return;
        relax();
    }
    for (;;) {
        atomic_store_explicit(&lock->waited, 1, memory_order_seq_cst);
        if (try_take(lock)) return;
        tri_futex_nap(&lock->taken, 1, TRI_LOCK_NAP_NS);
    }
}

void tri_lock_pass(tri_lock *lock) {
    atomic_store_explicit(&lock->waited, 0, memory_order_relaxed);
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
    tri_futex_wake(&lock->taken, 1);
}

void tri_require(bool condition, const char *text, const char *file, int line) {
    if (condition) return;
    fprintf(stderr, "tarry: %s:%d: broken: %s\n", file, line, text);
    abort();
}

void tri_rank_push(enum tri_rank rank) {
    tri_require(held >> rank == 0, "locks are taken in rising rank", __FILE__, __LINE__);
    held |= 1u << rank;
}

void tri_rank_pop(enum tri_rank rank) {
    held &= ~(1u << rank);
}

bool tri_rank_holds(enum tri_rank rank) {
    return (held >> rank & 1u) != 0;
}

bool tri_rank_none(void) {
    return held == 0;
}
