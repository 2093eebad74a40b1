/* Points in time as ticks, for the backends that count in them. Ticks are unsigned: tick t
 * begins at (t - 2^63) * tick_ns. So they compare as the points do, for every int64_t, and all
 * differences between them are meaningful. With a tick of 1 ns ticks are points, and nothing is
 * divided. */
#ifndef TRI_TICKS_H
#define TRI_TICKS_H

#include "backend/slots.h"

#include <stdint.h>

#define TRI_NO_TICK UINT64_MAX
#define TRI_TICK_EPOCH ((uint64_t)1 << 63)

/* The tick that a deadline is rounded up to: the first that does not begin before it. */
static inline uint64_t tri_tick_up(int64_t tick_ns, int64_t deadline) {
    if (tick_ns == 1) return (uint64_t)deadline + TRI_TICK_EPOCH;
    const int64_t tick = deadline / tick_ns;
    return (uint64_t)(tick + (deadline % tick_ns > 0)) + TRI_TICK_EPOCH;
}

/* The last tick that has begun. */
static inline uint64_t tri_tick_down(int64_t tick_ns, int64_t now) {
    if (tick_ns == 1) return (uint64_t)now + TRI_TICK_EPOCH;
    const int64_t tick = now / tick_ns;
    return (uint64_t)(tick - (now % tick_ns < 0)) + TRI_TICK_EPOCH;
}

/* When the tick begins, and what was rounded up to it is due. Held within the points that there
 * are: the first and the last tick may reach beyond, and no deadline is TRI_NEVER. */
static inline int64_t tri_tick_start(int64_t tick_ns, uint64_t tick) {
    const int64_t count = (int64_t)(tick - TRI_TICK_EPOCH);
    int64_t point;
    if (__builtin_mul_overflow(count, tick_ns, &point))
        return count < 0 ? INT64_MIN : TRI_NEVER - 1;
    return point < TRI_NEVER ? point : TRI_NEVER - 1;
}

/* The earliest deadline that is rounded up to the tick. The tick before may begin before the first
 * point, and then it is that one. Pre: some deadline is rounded up to it. */
static inline int64_t tri_tick_first(int64_t tick_ns, uint64_t tick) {
    if (tick_ns == 1) return (int64_t)(tick - TRI_TICK_EPOCH);
    const int64_t before = (int64_t)(tick - 1 - TRI_TICK_EPOCH);
    int64_t point;
    return __builtin_mul_overflow(before, tick_ns, &point) ? INT64_MIN : point + 1;
}

#endif
