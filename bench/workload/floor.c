#include "workload/floor.h"

#include "workload/clock.h"
#include "workload/pages.h"
#include "workload/random.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

struct floor_timer {
    uint64_t touched;
    uint64_t rest[7];
};

_Static_assert(sizeof(struct floor_timer) == 64, "one cache line");

static _Alignas(64) _Atomic uint32_t lock_word;

/* Nobody else ever takes it. */
static inline void take_lock(void) {
    uint32_t is_free = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock_word, &is_free, 1, memory_order_acquire,
                                                    memory_order_relaxed))
        is_free = 0;
}

static inline void drop_lock(void) {
    atomic_exchange_explicit(&lock_word, 0, memory_order_release);
}

static void touch(floor_timers *f, int64_t ops) {
    uint64_t random = f->random;
    for (int64_t k = 0; k < ops; ++k) {
        struct floor_timer *timer = &f->items[random_scale(random_next(&random), f->count)];
        take_lock();
        ++timer->touched;
        drop_lock();
    }
    f->random = random;
}

int floor_open(floor_timers *f, int64_t timers, uint64_t seed) {
    *f = (floor_timers){ .count = (uint32_t)timers, .random = seed };
    f->items = pages_take((size_t)timers * sizeof *f->items);
    if (f->items == NULL) return -ENOMEM;
    for (uint32_t i = 0; i < f->count; ++i) f->items[i].touched = 1;
    return 0;
}

void floor_close(floor_timers *f) {
    pages_give(f->items, f->count * sizeof *f->items);
    *f = (floor_timers){ 0 };
}

double floor_measure(floor_timers *f, int64_t ops) {
    touch(f, ops / 20);
    const int64_t before = clock_cpu_ns();
    touch(f, ops);
    return (double)(clock_cpu_ns() - before) / (double)ops;
}
