/* Which of 256 slots in a ring are occupied, as bits. */
#ifndef TRI_RING_H
#define TRI_RING_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_RING_SLOTS = 256, TRI_RING_WORDS = TRI_RING_SLOTS / 64 };

/* How far behind `from` the first occupied slot is, `from` itself being 0 behind; TRI_RING_SLOTS:
 * none is. */
static inline unsigned tri_ring_distance(const uint64_t *bits, unsigned from) {
    for (unsigned i = 0; i <= TRI_RING_WORDS; ++i) {
        const unsigned word = (from / 64 + i) % TRI_RING_WORDS;
        uint64_t some = bits[word];
        if (i == 0) some &= ~(uint64_t)0 << from % 64;
        if (some != 0)
            return (word * 64 + (unsigned)__builtin_ctzll(some) - from) % TRI_RING_SLOTS;
    }
    return TRI_RING_SLOTS;
}

#endif
