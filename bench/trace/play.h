/* One playing of a plan on one backend, by tarry's public core surface: a runtime driven by hand on
 * a virtual clock, with its lock, one callback for each timer, as fast as it goes.
 *
 * The loop does what an event loop does: it keeps the next deadline, asks for it anew after a turn
 * and when it has armed something earlier, and takes a turn before an operation if that point has
 * come. Timers are made before their id's first operation and freed after its last one, both
 * outside of what is timed. At the end what is still pending fires. */
#ifndef TRACE_PLAY_H
#define TRACE_PLAY_H

#include "report/histogram.h"
#include "trace/copies.h"

typedef struct play_spec {
    const plan *plan;
    const char *backend;
    int64_t tick_ns; /* 0: a backend whose order is exact */
    int64_t replicate;
    double speed;
    uint64_t seed;
} play_spec;

/* Kinds of operations. */
enum { PLAY_ARM, PLAY_REARM, PLAY_CANCEL, PLAY_EXPIRE, PLAY_KINDS };
const char *play_kind(int kind);

/* What a playing measured. */
typedef struct play_times {
    int64_t counts[PLAY_KINDS]; /* EXPIRE: firings */
    int64_t spent_ns;           /* play_mean */
    double bytes_per_timer;     /* held at the most, for each timer that there was at the most */
    histogram *kinds;           /* play_detail: one for each kind; EXPIRE: a turn of the loop */
} play_times;

/* What a playing was found to do. The multiset of (timer, deadline) that fired is told by how many
 * there are and by a sum of hashes. */
typedef struct play_check {
    int64_t peak;                   /* pending at the most */
    int64_t expected, fired;
    uint64_t expected_sum, fired_sum;
    int64_t spared;                 /* due, but cancelled or armed again within the tick in which it
                                     * would have fired: not fired, rightly so */
    uint64_t spared_sum;
    int64_t latest_ns;              /* the latest firing after its deadline */
    int64_t early, late, unordered, missed; /* faults. late: by more than a tick */
    int64_t wrong;                  /* answers of the library that do not fit */
} play_check;

/* Each: false, why says what went wrong. */
/* Time as a whole. */
bool play_mean(play_times *out, const play_spec *spec, const char **why);
/* Time each operation; adds to out->kinds. */
bool play_detail(play_times *out, const play_spec *spec, const char **why);
/* Look at each firing. */
bool play_check_all(play_check *out, const play_spec *spec, const char **why);
/* Did it do what it must? */
bool play_is_right(const play_check *c);

#endif
