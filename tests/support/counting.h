/* An allocator table that counts what is held and fails on demand: shows that nothing leaks, that
 * no hot call allocates, and what happens when the n-th allocation fails. */
#ifndef TEST_COUNTING_H
#define TEST_COUNTING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tarry/hooks.h>

enum { COUNTING_KEPT = 256 };

typedef struct counting {
    tarry_allocator table;
    atomic_size_t blocks;         /* held now */
    atomic_size_t bytes;          /* held now */
    atomic_uint_fast64_t calls;   /* allocations asked for so far, failed ones included */
    atomic_uint_fast64_t wrong;   /* releases that named another size or alignment */
    atomic_int_fast64_t fail_in;  /* the allocation that fails: 0 is the next; < 0: none does */
    atomic_bool fail_on;          /* and every one after it too */
    bool keep;                    /* (c) released blocks are kept for a while, and looked at */
    pthread_mutex_t lock;
    struct counting_block *kept[COUNTING_KEPT]; /* (lock) a ring of the last released ones */
    unsigned next;                              /* (lock) */
    atomic_uint_fast64_t touched; /* kept ones that somebody wrote to after their release */
} counting;

void counting_init(counting *c);

/* As counting_init; and whoever writes to a block after it was released is found. To be drained. */
void counting_init_keeping(counting *c);
/* Look at what is kept, and let go of it. */
void counting_drain(counting *c);

/* Let the n-th allocation from now fail (0: the next), alone or with all that come after it. */
void counting_fail(counting *c, int64_t n, bool and_all_later);
void counting_heal(counting *c);

#endif
