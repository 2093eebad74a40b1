/* Who can be compared: tarry's backends, and the peers whose programs were built. */
#ifndef COMPARE_CONTENDERS_H
#define COMPARE_CONTENDERS_H

#include "compare/options.h"
#include "workload/player.h"

#define CONTENDERS_MAX 32

typedef struct contender {
    const char *name;
    const player_ops *ops;
    bool is_peer;
    void *player; /* NULL while closed */
} contender;

typedef struct contenders {
    contender items[CONTENDERS_MAX];
    size_t count;
} contenders;

/* The i-th peer, or NULL past the last. */
const char *contender_peer(size_t i);
/* Of a peer: tarry-peer- and this is its program. */
const char *contender_program(const char *peer);

void contenders_add(contenders *list, const char *name, const player_ops *ops, bool is_peer);
/* Where no backend is named, all are that take locks. */
void contenders_name_backends(option_names *names);
void contenders_add_backends(contenders *list, const option_names *names, const player_ops *ops);
/* Every peer for that workload whose program is there; from `folder`, NULL: beside this program.
 * "none" as folder: no peers. What is not there is told on standard error if `tell`. */
void contenders_add_peers(contenders *list, const char *folder, enum workload workload, bool tell);

/* Open and wait until all are set up. False: one could not be (told); it is closed. */
bool contenders_open(contenders *list, const player_spec *like);
void contenders_close(contenders *list);

#endif
