#include "workload/workload.h"

#include <string.h>

static const char *const names[] = {
    [WORKLOAD_STOP_ADD] = "stop+add",           [WORKLOAD_RESET_LATER] = "reset-later",
    [WORKLOAD_RESET_EARLIER] = "reset-earlier", [WORKLOAD_EXPIRE] = "expire",
    [WORKLOAD_FIFO] = "fifo",                   [WORKLOAD_MIXED] = "mixed",
    [WORKLOAD_WORST] = "worst",                 [WORKLOAD_CHURN] = "churn",
    [WORKLOAD_MAILBOX] = "mailbox",             [WORKLOAD_LATENESS] = "lateness",
};

const char *workload_name(size_t i) {
    return i < WORKLOAD_LATENESS ? names[i] : NULL;
}

int workload_find(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0) return (int)i;
    return -1;
}

const char *workload_text(enum workload workload) {
    return names[workload];
}
