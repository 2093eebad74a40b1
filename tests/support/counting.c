#include "counting.h"

#include "sanitizers.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block, so that a release can be held against its allocation. As large as the
 * largest alignment, so that what follows it is aligned. */
typedef struct counting_block {
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

enum { POISON = 0xdd };

static void let_go(counting *c, header *h) {
    if (h == NULL) return;
    const unsigned char *at = (const unsigned char *)(h + 1);
    size_t i = 0;
    while (i < h->size && at[i] == POISON) ++i;
    if (i < h->size) atomic_fetch_add(&c->touched, 1);
    free(h);
}

/* In place of the one that was released longest ago. */
static void keep(counting *c, header *h) {
    pthread_mutex_lock(&c->lock);
    header *oldest = c->kept[c->next];
    c->kept[c->next] = h;
    c->next = (c->next + 1) % COUNTING_KEPT;
    pthread_mutex_unlock(&c->lock);
    let_go(c, oldest);
}

static void release(void *context, void *memory, size_t size, size_t alignment) {
    counting *c = context;
    header *h = (header *)memory - 1;
    if (h->size != size || h->alignment != alignment) atomic_fetch_add(&c->wrong, 1);
    atomic_fetch_sub(&c->blocks, 1);
    atomic_fetch_sub(&c->bytes, h->size);
    memset(memory, POISON, h->size);
    if (c->keep) keep(c, h);
    else free(h);
}

void counting_init(counting *c) {
    *c = (counting){ .table = { allocate, release, c }, .fail_in = -1 };
}

void counting_init_keeping(counting *c) {
    counting_init(c);
    c->keep = !TEST_ADDRESS_SANITIZER; /* which finds it better, and reads too */
    pthread_mutex_init(&c->lock, NULL);
}

void counting_drain(counting *c) {
    for (unsigned i = 0; i < COUNTING_KEPT; ++i) keep(c, NULL);
    pthread_mutex_destroy(&c->lock);
}

void counting_fail(counting *c, int64_t n, bool and_all_later) {
    atomic_store(&c->fail_on, and_all_later);
    atomic_store(&c->fail_in, n);
}

void counting_heal(counting *c) {
    atomic_store(&c->fail_in, -1);
}
