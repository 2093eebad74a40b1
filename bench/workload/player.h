/* A contender in a workload, as those see it who only compare: a tarry backend in this process, or
 * another library in a child process. */
#ifndef WORKLOAD_PLAYER_H
#define WORKLOAD_PLAYER_H

#include "report/row.h"
#include "workload/workload.h"

#include <stdbool.h>

enum pass {
    PASS_MEAN,  /* one repeat: a row with ops, ns_per_op, bytes_per_timer. lateness: one segment */
    PASS_DETAIL /* single operations: p50 to max; worst and churn: all that they have to tell.
                 * lateness: what all segments together gave */
};

typedef struct player_spec {
    const char *subject; /* a backend's name; a peer's */
    enum workload workload;
    int64_t timers;
    int64_t threads;
    int64_t ops; /* of one repeat */
    uint64_t seed;
} player_spec;

typedef struct player_ops {
    /* Set up, or begin to. NULL: why was told on standard error. */
    void *(*open)(const player_spec *spec);
    /* Wait until it is set up; before the first pass. False: told. NULL: open did it all. */
    bool (*ready)(void *player);
    /* Adds rows. False: why was told on standard error. */
    bool (*play)(void *player, enum pass pass, rows *out);
    void (*close)(void *player);
} player_ops;

/* tarry, in this process, by its public core surface. */
extern const player_ops tarry_player;
/* The workload mailbox, by its timers with mailboxes. */
extern const player_ops timer_player;
/* Of lateness: a bare futex wait to each deadline; tarry's callbacks, run by the timerproc; threads
 * that each wait for the message of a timer of tarry. */
extern const player_ops futex_player;
extern const player_ops callback_player;
extern const player_ops mailbox_player;

#endif
