/* Shows: runtimes that come and go leave no address space behind. With jemalloc each worker has an
 * arena, and one that is destroyed keeps its 2 MB: a thousand of them would be 2 GB. */
#include "check.h"
#include "suite.h"

#include <stdio.h>
#include <tarry/tarry.h>

static long pages_mapped(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%ld", &pages) != 1) pages = 0;
    if (file != NULL) fclose(file);
    return pages;
}

static void come_and_go(int times) {
    const tarry_options options = { .size = sizeof options, .workers = 2, .by_hand = 1 };
    for (int i = 0; i < times; ++i) {
        tarry_runtime *rt = NULL;
        tarry_timer *timer = NULL;
        if (!CHECK_INT(tarry_create(&rt, &options), 0)) return;
        CHECK_INT(tarry_timer_new(&timer, rt, 1), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
        CHECK_INT(tarry_destroy(rt), 0);
    }
}

static void runtimes_that_come_and_go_leave_no_address_space(void) {
    come_and_go(5);
    const long before = pages_mapped();
    CHECK(before > 0);
    come_and_go(500);
    CHECK(pages_mapped() - before < (64L << 20) / 4096);
}

TEST_SUITE("arenas", 60, { "runtimes_that_come_and_go_leave_no_address_space",
                           runtimes_that_come_and_go_leave_no_address_space })
