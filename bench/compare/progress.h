/* A progress bar on standard error, only where that is a terminal: one line, drawn anew at most ten
 * times a second, erased at the end. It has no thread: it is drawn by the caller between timed
 * sections, never within one. */
#ifndef COMPARE_PROGRESS_H
#define COMPARE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown;
    int64_t total;
    int64_t drawn_ns; /* when it was drawn last */
} progress;

/* total: how many steps make the whole, > 0. */
void progress_begin(progress *p, int64_t total);
/* done of total, and what is being done, a few words. */
void progress_step(progress *p, int64_t done, const char *what);
void progress_end(progress *p);

#endif
