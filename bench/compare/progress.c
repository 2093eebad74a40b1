#include "compare/progress.h"

#include "workload/clock.h"

#include <stdio.h>
#include <unistd.h>

#define WIDTH 30
#define PERIOD_NS 100000000

void progress_begin(progress *p, int64_t total) {
    *p = (progress){ .shown = isatty(STDERR_FILENO) == 1, .total = total };
}

void progress_step(progress *p, int64_t done, const char *what) {
    static const char full[WIDTH + 1] = "##############################";
    if (!p->shown) return;
    const int64_t now = clock_ns();
    if (p->drawn_ns != 0 && now - p->drawn_ns < PERIOD_NS) return;
    p->drawn_ns = now;
    if (done > p->total) done = p->total;
    const int filled = (int)(done * WIDTH / p->total);
    fprintf(stderr, "\r[%.*s%*s] %3d%% %-40.40s", filled, full, WIDTH - filled, "",
            (int)(done * 100 / p->total), what);
    fflush(stderr);
}

void progress_end(progress *p) {
    if (p->shown && p->drawn_ns != 0) fprintf(stderr, "\r%*s\r", WIDTH + 48, "");
    p->shown = false;
}
