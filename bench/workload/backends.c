#include "workload/backends.h"

#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *backend;
    bool ticks, locks;
} forms[] = {
    { "heap", "heap", false, true },
    { "tiered", "tiered", false, true },
    { "tiered-tick", "tiered", true, true },
    { "wheel", "wheel", true, true },
    { "heap-nolock", "heap", false, false },
    { "tiered-nolock", "tiered", false, false },
    { "tiered-tick-nolock", "tiered", true, false },
    { "wheel-nolock", "wheel", true, false },
};

const char *backends_name(size_t i) {
    return i < sizeof forms / sizeof *forms ? forms[i].name : NULL;
}

const char *backends_locked_name(size_t i) {
    return backends_name(i) != NULL && forms[i].locks ? forms[i].name : NULL;
}

/* Behind the last one: not found. */
static size_t find(const char *name) {
    size_t i = 0;
    while (backends_name(i) != NULL && strcmp(forms[i].name, name) != 0) ++i;
    return i;
}

bool backends_takes_lock(const char *name) {
    const size_t i = find(name);
    return backends_name(i) != NULL && forms[i].locks;
}

bool backends_has_tick(const char *name) {
    const size_t i = find(name);
    return backends_name(i) != NULL && forms[i].ticks;
}

void backends_choose(tarry_options *options, const char *name) {
    const size_t i = find(name);
    options->backend = name;
    if (backends_name(i) == NULL) return;
    options->backend = forms[i].backend;
    options->tick_ns = forms[i].ticks ? BACKENDS_TICK_NS : 0;
    if (forms[i].locks) return;
    options->by_hand = 1;
    options->single_threaded = 1;
}

static tarry_runtime *make(const char *name, unsigned workers, bool by_hand) {
    tarry_options options = TARRY_OPTIONS_INIT;
    tarry_runtime *rt = NULL;
    options.workers = workers;
    options.clock = TARRY_CLOCK_VIRTUAL;
    options.virtual_start = WORKLOAD_START_NS;
    options.by_hand = by_hand;
    backends_choose(&options, name);
    const int status = tarry_create(&rt, &options);
    if (status != 0)
        fprintf(stderr, "%s: a runtime could not be made: %s\n", name, strerror(-status));
    return rt;
}

tarry_runtime *backends_make(const char *name, unsigned workers) {
    return make(name, workers, true);
}

tarry_runtime *backends_make_threaded(const char *name) {
    return make(name, 1, false);
}
