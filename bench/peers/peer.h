/* What a peer library's own file and peer.c agree on: the file defines its subject, as
 * workload/loops.h and peers/play.h say, and gets peer_player by including the latter. */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include "workload/lateness.h"
#include "workload/player.h"

typedef void peer_task(void *argument);

/* A timer of the library with, as `int64_t deadline`, a word beside it. */
typedef struct object object;

/* Member `own` of each peer's struct subject. */
typedef struct peer_common {
    object *objects;
    uint32_t count;
    int64_t fired;
    lateness_log *log; /* NULL: how late they are is not noted */
} peer_common;

/* The library's own time stands still in a timed loop, which would make each reset to 60 s from now
 * one to the same point. So the virtual time that has gone by is put on top of the delay. */
static inline int64_t peer_span(int64_t now, int64_t delay) {
    const int64_t span = now - WORKLOAD_START_NS + delay;
    return span > 0 ? span : 0;
}

extern const player_ops peer_player;

#endif
