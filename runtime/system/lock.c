#include "system/lock.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local unsigned held; /* one bit a rank */

void tri_lock_init(tri_lock *lock, enum tri_rank rank, bool off) {
    pthread_mutex_init(&lock->mutex, NULL);
    lock->rank = rank;
    lock->off = off;
}

void tri_lock_fini(tri_lock *lock) {
    pthread_mutex_destroy(&lock->mutex);
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
