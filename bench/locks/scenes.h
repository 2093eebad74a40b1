/* The situations in which the locks are compared, one for each row of the table. */
#ifndef LOCKS_SCENES_H
#define LOCKS_SCENES_H

#include "compare/options.h"

#define SCENE_LONG_NS 1000
#define SCENE_STALL_NS 200000
#define SCENE_CALM_NS 800000

typedef struct scene {
    char name[48];
    int64_t threads;  /* that take turns */
    bool shared;      /* all at one lock; else each has its own */
    int64_t held_ns;  /* besides the counting of turns; the same again while not holding */
    bool stalls;      /* one thread more only takes it and sleeps SCENE_STALL_NS with it, sleeps
                       * SCENE_CALM_NS without it, and so on */
} scene;

#define SCENES_MAX (8 + 4 * OPTION_NAMES_MAX)

/* Fill list, of SCENES_MAX. How many there are. */
size_t scenes_make(scene *list, const option_counts *threads);

#endif
