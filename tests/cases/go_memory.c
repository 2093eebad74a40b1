/* Shows: dropped timers do not pile up. Go's TestTimerGC drops 10,000 of each kind and looks at
 * the garbage collector; here each is freed, and the bytes held, the slots in use and the entries
 * of the backend come back to where they were, round after round. */
#include "suite.h"
#include "virtual.h"

enum { MOST = 10000, SOME = 64 };

static unsigned how_many(void) {
    return test_rounds(1000, MOST);
}

static const int64_t hour = 3600 * TARRY_SECOND;

/* TestTimerGC/After, /NewTimer. */
static void timer_dropped(rig *r) {
    CHECK_INT(tarry_timer_free(timer_in(r->rt, hour)), 0);
}

/* TestTimerGC/NewTimerStop. */
static void timer_stopped(rig *r) {
    tarry_timer *timer = timer_in(r->rt, hour);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* TestTimerGC/Tick, /NewTicker. */
static void ticker_dropped(rig *r) {
    CHECK_INT(tarry_ticker_free(ticker_of(r->rt, hour)), 0);
}

/* TestTimerGC/NewTickerStop. */
static void ticker_stopped(rig *r) {
    tarry_ticker *ticker = ticker_of(r->rt, hour);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

static void one_by_one(rig *r, void (*drop)(rig *)) {
    drop(r);
    const tarry_stats before = rig_stats(r);
    for (unsigned i = how_many(); i > 0; --i) drop(r);
    const tarry_stats after = rig_stats(r);
    CHECK_INT(after.timers, 0);
    CHECK_INT(after.pending, 0);
    CHECK(after.entries <= SOME);
    CHECK_INT(after.memory, before.memory);
}

ON_EACH_RIG(what_is_dropped_one_by_one_leaves_nothing) {
    one_by_one(r, timer_dropped);
    one_by_one(r, timer_stopped);
    one_by_one(r, ticker_dropped);
    one_by_one(r, ticker_stopped);
}

/* All at once: the first round may grow the tables, and no round after it does. */
static uint64_t all_at_once(rig *r, bool stop_first) {
    static tarry_timer *timers[MOST];
    const unsigned count = how_many();
    for (unsigned i = 0; i < count; ++i) timers[i] = timer_in(r->rt, hour + i);
    CHECK_INT(rig_stats(r).timers, count);
    for (unsigned i = 0; i < count && stop_first; ++i) CHECK_INT(tarry_timer_stop(timers[i]), 1);
    for (unsigned i = 0; i < count; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    const tarry_stats after = rig_stats(r);
    CHECK_INT(after.timers, 0);
    CHECK_INT(after.pending, 0);
    CHECK(after.entries <= SOME);
    return after.memory;
}

ON_EACH_RIG(rounds_of_many_do_not_grow_the_memory) {
    const uint64_t first = all_at_once(r, false);
    for (int round = 0; round < 10; ++round) CHECK_INT(all_at_once(r, round % 2 == 0), first);
}

/* A timer that is stopped and armed again leaves its old entries behind in a lazy backend: they are
 * bounded by the timers that live, not by the calls. */
ON_EACH_RIG(stops_and_resets_of_the_living_do_not_pile_up) {
    enum { LIVE = 100 };
    const unsigned rounds = test_rounds(100, 400);
    tarry_timer *timers[LIVE];
    for (int i = 0; i < LIVE; ++i) timers[i] = timer_in(r->rt, hour);
    for (unsigned round = 0; round < rounds; ++round)
        for (int i = 0; i < LIVE; ++i) {
            if (round % 3 == 0) CHECK_INT(tarry_timer_stop(timers[i]), 1);
            tarry_timer_reset(timers[i], round % 2 == 0 ? hour - round : 2 * hour + round);
        }
    CHECK(rig_stats(r).entries <= 2 * LIVE + SOME);
    for (int i = 0; i < LIVE; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(rig_stats(r).timers, 0);
}

TEST_SUITE("go_memory", 240, CASE(what_is_dropped_one_by_one_leaves_nothing),
           CASE(rounds_of_many_do_not_grow_the_memory),
           CASE(stops_and_resets_of_the_living_do_not_pile_up))
