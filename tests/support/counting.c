#include "counting.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block, so that a release can be held against its allocation. As large as the
 * largest alignment, so that what follows it is aligned. */
typedef struct header {
    size_t size, alignment;
    char padding[64 - 2 * sizeof(size_t)];
} header;

_Static_assert(sizeof(header) == 64, "the header keeps the alignment of what follows");

static bool must_fail(counting *c) {
    if (atomic_load(&c->fail_in) < 0) return false;
    const int64_t left = atomic_fetch_sub(&c->fail_in, 1);
    if (left > 0) return false;
    if (left == 0 && atomic_load(&c->fail_on)) atomic_store(&c->fail_in, 0);
    return left == 0;
}

static void *allocate(void *context, size_t size, size_t alignment) {
    counting *c = context;
    atomic_fetch_add(&c->calls, 1);
    if (must_fail(c)) return NULL;
    const size_t whole = (size / sizeof(header) + 2) * sizeof(header);
    header *h = aligned_alloc(sizeof *h, whole);
    if (h == NULL) return NULL;
    h->size = size;
    h->alignment = alignment;
    atomic_fetch_add(&c->blocks, 1);
    atomic_fetch_add(&c->bytes, size);
    return h + 1;
}

static void release(void *context, void *memory, size_t size, size_t alignment) {
    counting *c = context;
    header *h = (header *)memory - 1;
    if (h->size != size || h->alignment != alignment) atomic_fetch_add(&c->wrong, 1);
    atomic_fetch_sub(&c->blocks, 1);
    atomic_fetch_sub(&c->bytes, h->size);
    memset(h, 0xdd, sizeof *h + size); /* whoever still looks at it does not get away with it */
    free(h);
}

void counting_init(counting *c) {
    *c = (counting){ .table = { allocate, release, c }, .fail_in = -1 };
}

void counting_fail(counting *c, int64_t n, bool and_all_later) {
    atomic_store(&c->fail_on, and_all_later);
    atomic_store(&c->fail_in, n);
}

void counting_heal(counting *c) {
    atomic_store(&c->fail_in, -1);
}
