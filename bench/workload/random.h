/* splitmix64: one multiply-free step of state, good bits, the same everywhere for a seed. */
#ifndef WORKLOAD_RANDOM_H
#define WORKLOAD_RANDOM_H

#include <stdint.h>

static inline uint64_t random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t random_next(uint64_t *state) {
    return random_mix(*state += 0x9e3779b97f4a7c15u);
}

__extension__ typedef unsigned __int128 random_wide;

/* 0 .. below-1, from 64 random bits. */
static inline uint64_t random_scale(uint64_t bits, uint64_t below) {
    return (uint64_t)(((random_wide)bits * below) >> 64);
}

/* low .. high-1 */
static inline int64_t random_between(uint64_t *state, int64_t low, int64_t high) {
    return low + (int64_t)random_scale(random_next(state), (uint64_t)(high - low));
}

#endif
