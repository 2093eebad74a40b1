#include "workload/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

static bool read_cores(cpu_set_t *set) {
    return sched_getaffinity(getpid(), sizeof *set, set) == 0 && CPU_COUNT(set) > 0;
}

int64_t cores_count(void) {
    cpu_set_t set;
    return read_cores(&set) ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

void cores_bind(int64_t index) {
    cpu_set_t all, one;
    if (!read_cores(&all)) return;
    int64_t left = index % CPU_COUNT(&all);
    size_t core = 0;
    while (!CPU_ISSET(core, &all) || left-- > 0) ++core;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}
