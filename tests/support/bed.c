#include "bed.h"

#include "backends.h"
#include "check.h"

#include <stdlib.h>

/* Which form bed_make gives to a backend that has two. */
static bool wants_ticks;

void bed_init_bare(bed *b, const tri_backend_ops *ops, uint32_t slots) {
    *b = (bed){ .ops = ops };
    counting_init(&b->counting);
    if (tri_memory_init(&b->memory, &b->counting.table) != 0) abort();
    const uint32_t segments = slots / TRI_SEGMENT_SLOTS + 1;
    b->slots.segments = calloc(segments, sizeof *b->slots.segments);
    for (uint32_t i = 0; i < segments; ++i) {
        b->slots.segments[i] = calloc(TRI_SEGMENT_SLOTS, sizeof(tri_slot));
        if (b->slots.segments[i] == NULL) abort();
    }
    b->slots.made = slots;
    b->slots.room = segments * TRI_SEGMENT_SLOTS;
    for (uint32_t i = 0; i < slots; ++i)
        *bed_slot(b, i) = (tri_slot){ .deadline = TRI_NEVER, .key = TRI_NEVER };
}

int bed_make(bed *b, int64_t tick_ns, int64_t now) {
    const bool exact = b->ops->tick == TRI_TICK_NONE ||
                       (b->ops->tick == TRI_TICK_OPTIONAL && !wants_ticks);
    b->tick_ns = exact ? 0 : tick_ns;
    const tri_backend_config config = { &b->memory, &b->slots, b->tick_ns, now };
    return b->ops->init(&b->backend, &config);
}

void bed_init(bed *b, const tri_backend_ops *ops, int64_t tick_ns, int64_t now, uint32_t slots) {
    bed_init_bare(b, ops, slots);
    CHECK_INT(bed_make(b, tick_ns, now), 0);
    CHECK_INT(ops->reserve(b->backend, slots), 0);
}

void bed_fini(bed *b) {
    if (b->backend != NULL) b->ops->fini(b->backend);
    CHECK_INT(b->counting.blocks, 0);
    CHECK_INT(b->counting.bytes, 0);
    CHECK_INT(b->counting.wrong, 0);
    tri_memory_fini(&b->memory);
    for (uint32_t i = 0; i < b->slots.room / TRI_SEGMENT_SLOTS; ++i) free(b->slots.segments[i]);
    free(b->slots.segments);
}

void bed_each(void (*body)(const tri_backend_ops *ops)) {
    test_backend table[TEST_BACKENDS_MOST], backends[TEST_BACKENDS_MOST];
    size_t rows = 0;
    for (size_t i = 0; tri_backend_at(i) != NULL && rows + 2 <= TEST_BACKENDS_MOST; ++i) {
        const tri_backend_ops *ops = tri_backend_at(i);
        if (ops->tick != TRI_TICK_NEEDED) table[rows++] = (test_backend){ ops->name, 0 };
        if (ops->tick != TRI_TICK_NONE) table[rows++] = (test_backend){ ops->name, 1 };
    }
    const size_t count = test_backends_for(backends, table, rows);
    for (size_t i = 0; i < count; ++i) {
        wants_ticks = backends[i].tick_ns != 0;
        test_context("%s%s", backends[i].name, wants_ticks ? " with a tick" : "");
        body(tri_backend_find(backends[i].name));
    }
    test_context("%s", "");
}
