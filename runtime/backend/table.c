/* The backends that there are. One more is one more line here. */
#include "backend/backend.h"

#include <string.h>

static const tri_backend_ops *const backends[] = {
    &tri_backend_heap,
    &tri_backend_tiered,
    &tri_backend_wheel,
};

enum { COUNT = sizeof backends / sizeof *backends };

const tri_backend_ops *tri_backend_at(size_t i) {
    return i < COUNT ? backends[i] : NULL;
}

const tri_backend_ops *tri_backend_find(const char *name) {
    for (size_t i = 0; i < COUNT; ++i)
        if (strcmp(backends[i]->name, name) == 0) return backends[i];
    return NULL;
}
