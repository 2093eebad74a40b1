#include "workload/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t rounded(size_t bytes) {
    return (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *pages_take(size_t bytes) {
    const size_t size = rounded(bytes);
    char *block = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
    if (block == MAP_FAILED) return NULL;
    const size_t skip = rounded((uintptr_t)block) - (uintptr_t)block;
    if (skip > 0) munmap(block, skip);
    if (skip < HUGE_PAGE) munmap(block + skip + size, HUGE_PAGE - skip);
    madvise(block + skip, size, MADV_HUGEPAGE);
    return block + skip;
}

void pages_give(void *block, size_t bytes) {
    if (block != NULL) munmap(block, rounded(bytes));
}
