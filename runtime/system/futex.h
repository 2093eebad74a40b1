/* Sleeping on a word, and waking those who do. A wait may return for no reason: look again. */
#ifndef TRI_FUTEX_H
#define TRI_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleep while *word == seen, until an absolute point of CLOCK_MONOTONIC; INT64_MAX: no limit. */
void tri_futex_wait_until(_Atomic uint32_t *word, uint32_t seen, int64_t monotonic_ns);
/* As tri_futex_wait_until, for at most a span. */
void tri_futex_nap(_Atomic uint32_t *word, uint32_t seen, int64_t span_ns);
/* Wake up to count sleepers. Never reads *word: the memory may be gone already. */
void tri_futex_wake(_Atomic uint32_t *word, int count);

#endif
