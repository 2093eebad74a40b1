/* The locks that are compared. Each call is compiled into the caller's loop for one kind, without a
 * branch on which it is. */
#ifndef LOCKS_KINDS_H
#define LOCKS_KINDS_H

#include "system/lock.h"

#include <pthread.h>
#include <stdint.h>

enum lock_kind { LOCK_MUTEX, LOCK_ADAPTIVE, LOCK_TARRY, LOCK_KINDS };

/* A lock and what it guards lie side by side, as in a bucket; two of them share no cache line. */
typedef struct guarded {
    _Alignas(128) union {
        tri_lock tarry;
        pthread_mutex_t mutex;
    } lock;
    uint64_t turns;
} guarded;

#define LOCK_INLINE static inline __attribute__((always_inline))

LOCK_INLINE void lock_take(guarded *g, enum lock_kind kind) {
    if (kind == LOCK_TARRY) tri_lock_take(&g->lock.tarry);
    else pthread_mutex_lock(&g->lock.mutex);
}

LOCK_INLINE void lock_drop(guarded *g, enum lock_kind kind) {
    if (kind == LOCK_TARRY) tri_lock_drop(&g->lock.tarry);
    else pthread_mutex_unlock(&g->lock.mutex);
}

#endif
