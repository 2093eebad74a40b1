/* A peer as a child process (peers/peer.c tells what is said to it), as a player. */
#ifndef COMPARE_CHILD_H
#define COMPARE_CHILD_H

#include "workload/player.h"

/* Where the peer programs are. NULL: beside this program. */
void child_set_folder(const char *folder);
/* Is there a program for that peer? */
bool child_exists(const char *peer);

extern const player_ops child_player;

#endif
