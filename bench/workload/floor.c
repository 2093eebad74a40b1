#include "workload/floor.h"

#include "workload/clock.h"
#include "workload/pages.h"
#include "workload/random.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

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

static inline void touch(floor_timers *f, int64_t ops, bool locked) {
    uint64_t random = f->random;
    for (int64_t k = 0; k < ops; ++k) {
        struct floor_timer *timer = &f->items[random_scale(random_next(&random), f->count)];
        if (locked) take_lock();
        ++timer->touched;
        if (locked) drop_lock();
    }
    f->random = random;
}

/* Each loop is one of its own, without a branch on whether it locks. */
static __attribute__((noinline)) void touch_locked(floor_timers *f, int64_t ops) {
    touch(f, ops, true);
}

static __attribute__((noinline)) void touch_unlocked(floor_timers *f, int64_t ops) {
    touch(f, ops, false);
}

static inline void allocate(int64_t ops, bool locked) {
    for (int64_t k = 0; k < ops; ++k) {
        void *block = malloc(sizeof(struct floor_timer));
        __asm__ volatile("" : "+r"(block) : : "memory"); /* or the pair is none */
        if (locked) take_lock();
        if (locked) drop_lock();
        free(block);
    }
}

static __attribute__((noinline)) void allocate_locked(floor_timers *f, int64_t ops) {
    (void)f;
    allocate(ops, true);
}

static __attribute__((noinline)) void allocate_unlocked(floor_timers *f, int64_t ops) {
    (void)f;
    allocate(ops, false);
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

static double measure(void (*run)(floor_timers *f, int64_t ops), floor_timers *f, int64_t ops) {
    run(f, ops / 20);
    const int64_t before = clock_cpu_ns();
    run(f, ops);
    return (double)(clock_cpu_ns() - before) / (double)ops;
}

double floor_measure(floor_timers *f, int64_t ops) {
    return measure(touch_locked, f, ops);
}

double floor_measure_unlocked(floor_timers *f, int64_t ops) {
    return measure(touch_unlocked, f, ops);
}

double floor_measure_pair(int64_t ops) {
    return measure(allocate_locked, NULL, ops);
}

double floor_measure_pair_unlocked(int64_t ops) {
    return measure(allocate_unlocked, NULL, ops);
}
