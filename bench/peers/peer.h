/* What a peer library's own file and peer.c agree on: the file defines its subject, as
 * workload/loops.h and peers/play.h say, and gets peer_player by including the latter. */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include "workload/lateness.h"
#include "workload/player.h"

#include <time.h>

typedef void peer_task(void *argument);

/* A timer of the library with, as `int64_t deadline`, a word beside it. */
typedef struct object object;

/* Member `own` of each peer's struct subject. */
typedef struct peer_common {
    object *objects;
    uint32_t count;
    int64_t fired;
    uint8_t *times;    /* how often each object fired, where firings are told apart; or NULL */
    lateness_log *log; /* NULL: how late they are is not noted */
    bool is_elsewhere; /* the timers' memory is not in malloc's count */
    char refusal[128]; /* why it cannot play this, where that is no error */
} peer_common;

/* For subject_open: false, and the note of a row without figures. */
bool peer_refuse(peer_common *own, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The most that a resource limit can be raised to; it is. */
uint64_t peer_raise_limit(unsigned resource);

/* The library's own time stands still in a timed loop, which would make each reset to 60 s from now
 * one to the same point. So the virtual time that has gone by is put on top of the delay. */
static inline int64_t peer_span(int64_t now, int64_t delay) {
    const int64_t span = now - WORKLOAD_START_NS + delay;
    return span > 0 ? span : 0;
}

/* Of 0, which would stop a timer of the kernel, 1 ns. */
static inline struct timespec peer_timespec(int64_t span) {
    return (struct timespec){ .tv_sec = span / 1000000000,
                              .tv_nsec = span > 0 ? span % 1000000000 : 1 };
}

extern const player_ops peer_player;

#endif
