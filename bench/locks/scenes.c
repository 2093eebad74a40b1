#include "locks/scenes.h"

#include "workload/cores.h"

#include <stdio.h>

#define CROWD_PER_CORE 4 /* threads for each core, where there are too many of them */

static void add(scene *list, size_t *count, const char *name, scene like) {
    list[*count] = like;
    snprintf(list[*count].name, sizeof list->name, "%s", name);
    ++*count;
}

static void add_each(scene *list, size_t *count, const option_counts *threads, const char *name,
                     scene like) {
    for (size_t i = 0; i < threads->count; ++i) {
        like.threads = threads->items[i];
        add(list, count, name, like);
    }
}

size_t scenes_make(scene *list, const option_counts *threads) {
    const int64_t crowd = CROWD_PER_CORE * cores_count();
    size_t n = 0;
    add(list, &n, "uncontended", (scene){ .threads = 1 });
    add_each(list, &n, threads, "own locks", (scene){ 0 });
    add_each(list, &n, threads, "one lock, short", (scene){ .shared = true });
    add_each(list, &n, threads, "one lock, 1 us",
             (scene){ .shared = true, .held_ns = SCENE_LONG_NS });
    add(list, &n, "4 threads a core, short", (scene){ .threads = crowd, .shared = true });
    add(list, &n, "4 threads a core, 1 us",
        (scene){ .threads = crowd, .shared = true, .held_ns = SCENE_LONG_NS });
    add_each(list, &n, threads, "a holder sleeps, short", (scene){ .shared = true, .stalls = true });
    return n;
}
