/* Shows: no single call pauses to clean up a whole structure. Seen in what a call leaves behind and
 * not in how long it took: between two calls the entries of the backend drop by no more than a
 * bounded piece, however many are dead, and no call but creation allocates or frees. */
#include "suite.h"
#include "virtual.h"

#include <stdlib.h>

enum { TIMERS = 5000, PIECE = 64 };

static tarry_handle handles[TIMERS];
static shot silent;

static void fill(rig *r, int64_t spread) {
    silent = (shot){ .r = r };
    for (int i = 0; i < TIMERS; ++i) {
        CHECK_INT(tarry_handle_new(&handles[i], r->rt, 0, shot_run, &silent), 0);
        CHECK_INT(tarry_arm(r->rt, handles[i], TARRY_SECOND + i * 7919 % TIMERS * spread), 0);
    }
}

static void empty(rig *r) {
    for (int i = 0; i < TIMERS; ++i) CHECK(tarry_handle_free(r->rt, handles[i]) >= 0);
}

/* How many entries fewer there are than at the last look. */
static int64_t dropped_since(const rig *r, uint64_t *entries) {
    const uint64_t now = rig_stats(r).entries;
    const int64_t dropped = (int64_t)(*entries - now);
    *entries = now;
    return dropped;
}

ON_EACH_RIG(no_stop_cleans_up_for_all_others) {
    fill(r, 1000);
    const uint64_t asked = r->memory.calls, blocks = r->memory.blocks;
    uint64_t entries = rig_stats(r).entries;
    for (int i = 0; i < TIMERS; ++i) {
        CHECK_INT(tarry_disarm(r->rt, handles[i * 31 % TIMERS]), TARRY_STOPPED);
        if (!CHECK(dropped_since(r, &entries) <= PIECE)) break;
    }
    CHECK_INT(r->memory.calls, asked);
    CHECK_INT(r->memory.blocks, blocks);
    empty(r);
}

/* Half are dead when arming and moving go on: these clean as they go, piece by piece. */
ON_EACH_RIG(no_arming_and_no_move_cleans_up_for_all_others) {
    unsigned seed = 41;
    fill(r, TARRY_MILLISECOND);
    for (int i = 0; i < TIMERS; i += 2) CHECK_INT(tarry_disarm(r->rt, handles[i]), TARRY_STOPPED);
    const uint64_t asked = r->memory.calls, blocks = r->memory.blocks;
    uint64_t entries = rig_stats(r).entries;
    for (int i = 0; i < 2 * TIMERS; ++i) {
        const int64_t delay = 1 + (int64_t)rand_r(&seed) * (i % 2 ? 1 : 1000);
        CHECK(tarry_rearm(r->rt, handles[rand_r(&seed) % TIMERS], delay) >= 0);
        if (!CHECK(dropped_since(r, &entries) <= PIECE)) break;
    }
    CHECK_INT(r->memory.calls, asked);
    CHECK_INT(r->memory.blocks, blocks);
    empty(r);
}

/* Free gives its own memory back, and cleans no more than a stop does. */
ON_EACH_RIG(no_free_cleans_up_for_all_others) {
    fill(r, 1000);
    uint64_t entries = rig_stats(r).entries;
    for (int i = 0; i < TIMERS; ++i) {
        CHECK_INT(tarry_handle_free(r->rt, handles[i * 31 % TIMERS]), TARRY_STOPPED);
        if (!CHECK(dropped_since(r, &entries) <= PIECE)) break;
    }
    CHECK_INT(rig_stats(r).timers, 0);
}

/* A limit bounds what one call of the crank does. */
BY_HAND(a_limit_bounds_what_one_call_fires) {
    fill(r, 1);
    const int64_t now = r->now + 2 * TARRY_SECOND;
    for (int fired = 0; fired < TIMERS; fired += 50) {
        CHECK_INT(tarry_run_expired(r->rt, 0, now, 50), 50);
        if (!CHECK_INT(silent.runs, fired + 50)) break;
    }
    CHECK_INT(tarry_run_expired(r->rt, 0, now, 50), 0);
    empty(r);
}

TEST_SUITE("worst_case", 120, CASE(no_stop_cleans_up_for_all_others),
           CASE(no_arming_and_no_move_cleans_up_for_all_others),
           CASE(no_free_cleans_up_for_all_others), CASE(a_limit_bounds_what_one_call_fires))
