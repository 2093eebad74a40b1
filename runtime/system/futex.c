#include "system/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void tri_futex_wait_until(_Atomic uint32_t *word, uint32_t seen, int64_t monotonic_ns) {
    const int saved = errno;
    struct timespec at, *limit = NULL;
    if (monotonic_ns != INT64_MAX) {
        /* The kernel refuses a time before zero; zero is as past as any. */
        const int64_t ns = monotonic_ns < 0 ? 0 : monotonic_ns;
        at.tv_sec = (time_t)(ns / 1000000000);
        at.tv_nsec = (long)(ns % 1000000000);
        limit = &at;
    }
    /* The BITSET form takes an absolute time, so that a signal does not lengthen the wait. */
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, limit, NULL,
            FUTEX_BITSET_MATCH_ANY);
    errno = saved;
}

void tri_futex_nap(_Atomic uint32_t *word, uint32_t seen, int64_t span_ns) {
    const int saved = errno;
    const struct timespec span = { span_ns / 1000000000, span_ns % 1000000000 };
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &span, NULL, 0);
    errno = saved;
}

void tri_futex_wake(_Atomic uint32_t *word, int count) {
    const int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = saved;
}
