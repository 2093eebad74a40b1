/* Random numbers for tests (splitmix64): the same for a seed everywhere, so that a failure's seed
 * brings it back. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t test_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 .. below - 1. Pre: below > 0. */
static inline uint64_t test_random_below(uint64_t *state, uint64_t below) {
    return test_random(state) % below;
}

/* Points and spans at the ends of time stay at the ends. */
static inline int64_t test_add(int64_t point, int64_t span) {
    int64_t sum;
    if (!__builtin_add_overflow(point, span, &sum)) return sum < INT64_MAX ? sum : INT64_MAX - 1;
    return span < 0 ? INT64_MIN : INT64_MAX - 1;
}

static inline int64_t test_multiply(int64_t count, int64_t unit) {
    int64_t product;
    if (!__builtin_mul_overflow(count, unit, &product)) return product;
    return (count < 0) != (unit < 0) ? INT64_MIN : INT64_MAX;
}

#endif
