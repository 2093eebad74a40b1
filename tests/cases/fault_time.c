/* Shows: faults that other libraries had with time: early by rounding or by a stale "now", wrong at
 * an epoch of a wheel or after years of life, drifting, never reached. Each case names whose. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

typedef struct worker_of {
    rig *r;
    rig_clock *clock;
    tarry_timer *timer;
    shot *late;
} worker_of;

/* Works for 400 ms, then arms for 200 ms. */
static void work_then_arm(void *argument) {
    worker_of *w = argument;
    w->clock->now += 400 * TARRY_MILLISECOND;
    w->timer = func_in(w->r->rt, 200 * TARRY_MILLISECOND, shot_run, w->late);
}

/* libuv 2f5535349, true-async/php-async#185: the loop's cached time made it due at once. */
BY_HAND(libuv_a_delay_counts_from_the_arming_and_not_from_the_turn) {
    rig_clock c;
    rig_use_callers_clock(r, &c);
    shot late = { .r = r };
    worker_of w = { .r = r, .clock = &c, .late = &late };
    tarry_timer *first = func_in(r->rt, 0, work_then_arm, &w);
    const int64_t turn = c.now + r->tick;
    c.now = turn;
    CHECK_INT(tarry_run_expired(r->rt, 0, turn, 0), 1);
    const int64_t due = turn + 600 * TARRY_MILLISECOND;
    CHECK_INT(tarry_run_expired(r->rt, 0, due - 1, 0), 0);
    CHECK_INT(late.runs, 0);
    CHECK_INT(tarry_run_expired(r->rt, 0, due + r->tick, 0), 1);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(w.timer), 0);
}

/* libuv#4773, #1105, nodejs#10154: start and now were cut to the ms: 100.7 + 1 fired at 101.0. */
ON_EACH_RIG(libuv_a_start_between_two_ticks_is_not_cut_down) {
    for (int64_t off = 0; off <= TARRY_MILLISECOND; off += 90001) {
        shot s = { .r = r };
        rig_pass(r, off + 1);
        const int64_t due = r->now + TARRY_MILLISECOND;
        tarry_timer *timer = func_in(r->rt, TARRY_MILLISECOND, shot_run, &s);
        rig_reach(r, due - 1);
        CHECK_INT(s.runs, 0);
        rig_reach(r, due + r->tick);
        CHECK_INT(s.runs, 1);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* folly c53bda788: with a tick that is due but not yet turned, a delay of 255 ticks fell into a
 * slot of the old epoch and fired at once. By hand the clock moves without a turn. */
BY_HAND(folly_a_delay_of_one_epoch_while_a_tick_is_unprocessed_is_not_early) {
    const int64_t unit = r->tick != 0 ? r->tick : 1000;
    const int64_t epochs[] = { 256, 16384, 1 << 20 };
    for (size_t e = 0; e < sizeof epochs / sizeof *epochs; ++e)
        for (int64_t behind = 0; behind <= 4; ++behind)
            for (int64_t ticks = epochs[e] - 3; ticks <= epochs[e] + 1; ++ticks) {
                shot due = { .r = r }, s = { .r = r };
                tarry_timer *unprocessed = func_in(r->rt, unit, shot_run, &due);
                r->now += behind * unit;
                CHECK_INT(tarry_advance(r->rt, r->now), 0);
                const int64_t deadline = r->now + ticks * unit;
                tarry_timer *timer = func_in(r->rt, ticks * unit, shot_run, &s);
                rig_reach(r, deadline - 1);
                CHECK_INT(due.runs, 1);
                if (!CHECK_INT(s.runs, 0)) return;
                rig_reach(r, deadline + r->tick);
                if (!CHECK_INT(s.runs, 1)) return;
                CHECK_INT(tarry_timer_free(unprocessed), 0);
                CHECK_INT(tarry_timer_free(timer), 0);
            }
}

/* folly 67cb8eed5: multiples of 256 ticks from tick 0 came one tick late, while cascading. */
ON_EACH_RIG(folly_multiples_of_an_epoch_from_time_zero_are_on_time) {
    const int64_t unit = r->tick != 0 ? r->tick : 1;
    r->now = 0;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
    for (int i = 1; i <= 200; ++i) {
        shot s = { .r = r };
        tarry_timer *timer = func_in(r->rt, 256 * unit, shot_run, &s);
        rig_reach(r, i * 256 * unit - 1);
        CHECK_INT(s.runs, 0);
        rig_reach(r, i * 256 * unit);
        if (!CHECK_INT(s.runs, 1)) return;
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* tokio#5536: a queue that was two years old (2^36 ms) panicked at the next insert. */
ON_EACH_RIG(tokio_age_does_not_matter) {
    const int64_t two_years = ((int64_t)1 << 36) * TARRY_MILLISECOND;
    shot old = { .r = r };
    tarry_timer *kept = func_in(r->rt, 3 * two_years, shot_run, &old);
    for (int i = 0; i < 2; ++i) {
        shot s = { .r = r };
        rig_pass(r, two_years + i);
        tarry_timer *timer = func_in(r->rt, 10 * TARRY_SECOND, shot_run, &s);
        rig_pass(r, 10 * TARRY_SECOND - 1);
        CHECK_INT(s.runs, 0);
        rig_settle(r, 1);
        CHECK_INT(s.runs, 1);
        CHECK_INT(tarry_timer_free(timer), 0);
    }
    CHECK_INT(old.runs, 0);
    rig_settle(r, two_years);
    CHECK_INT(old.runs, 1);
    CHECK_INT(tarry_timer_free(kept), 0);
}

/* twitter/rpc-perf#180, netty: a delay beyond the wheel's reach lost its rounds and fired early. */
ON_EACH_RIG(rpc_perf_a_delay_beyond_the_wheels_reach_keeps_its_rounds) {
    const int64_t unit = r->tick != 0 ? r->tick : 1000, reach = (int64_t)1 << 32;
    for (int64_t rounds = 1; rounds <= 3; ++rounds)
        for (int64_t off = -1; off <= 1; ++off) {
            shot s = { .r = r };
            const int64_t due = r->now + rounds * reach * unit + off;
            tarry_timer *timer = func_in(r->rt, rounds * reach * unit + off, shot_run, &s);
            for (int64_t step = 1; step < 8; ++step) {
                rig_pass(r, rounds * reach / 8 * unit);
                CHECK_INT(s.runs, 0);
            }
            rig_reach(r, due - 1);
            CHECK_INT(s.runs, 0);
            rig_reach(r, due + r->tick);
            if (!CHECK_INT(s.runs, 1)) return;
            CHECK_INT(tarry_timer_free(timer), 0);
        }
}

/* wahern/timeout bafeec9: the only timer was removed, but its occupancy bit stayed. */
BY_HAND(timeout_nothing_is_next_after_the_only_timer_was_removed) {
    int64_t next = 0;
    for (int power = 0; power < 45; ++power) {
        tarry_timer *timer = timer_in(r->rt, (int64_t)1 << power);
        CHECK_INT(tarry_next_deadline(&next, r->rt, 0), 0);
        CHECK(next <= r->now + ((int64_t)1 << power) + r->tick);
        CHECK_INT(tarry_timer_stop(timer), 1);
        CHECK_INT(tarry_next_deadline(&next, r->rt, 0), 0);
        if (!CHECK_INT(next, TARRY_FOREVER)) return;
        CHECK_INT(tarry_timer_free(timer), 0);
    }
}

/* redis#11069, golang#51654: a removed timer, or a stale bound, was still taken for the next one,
 * again and again. Turning the crank at each point it names comes to the true one soon. */
BY_HAND(redis_a_removed_timer_is_not_the_next_for_ever) {
    shot s = { .r = r };
    tarry_timer *far = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    for (int i = 0; i < 200; ++i) {
        tarry_timer *near = timer_in(r->rt, 1 + i * 1000);
        CHECK_INT(i % 2 ? tarry_timer_stop(near) : tarry_timer_reset(near, TARRY_FOREVER), 1);
        CHECK_INT(tarry_timer_free(near), 0);
    }
    int turns = 0;
    for (int64_t next = 0; s.runs == 0 && turns < 100; ++turns) {
        CHECK_INT(tarry_next_deadline(&next, r->rt, 0), 0);
        if (!CHECK(next != TARRY_FOREVER)) break;
        r->now = next > r->now ? next : r->now;
        CHECK(tarry_run_expired(r->rt, 0, r->now, 0) >= 0);
    }
    CHECK_INT(s.runs, 1);
    CHECK(turns <= 8); /* a wheel's levels, and one */
    CHECK_INT(tarry_timer_free(far), 0);
}

/* seastar 02b531312, libuv#2901, nodejs#21822, DPDK 0778cfe864: the next period counted from when
 * the last was handled, so lateness added up. A function that arms itself by points does not. */
typedef struct beat {
    rig *r;
    tarry_timer *timer;
    int64_t due, period;
    int beats;
} beat;

static void beat_on(void *argument) {
    beat *b = argument;
    ++b->beats;
    b->due += b->period;
    CHECK_INT(tarry_timer_reset_at(b->timer, b->due), 0);
}

ON_EACH_RIG(seastar_a_period_by_points_does_not_drift) {
    const int64_t start = r->now, period = 10 * TARRY_MILLISECOND;
    beat b = { .r = r, .due = start + period, .period = period };
    CHECK_INT(tarry_after_func_at(&b.timer, r->rt, b.due, beat_on, &b), 0);
    for (int i = 0; i < 300; ++i) rig_pass(r, period + period / 3);
    rig_reach(r, start + 400 * period + r->tick);
    CHECK_INT(b.beats, 400);
    CHECK_INT(b.due, start + 401 * period);
    CHECK_INT(tarry_timer_free(b.timer), 0);
}

/* golang#29471: 100,000 timers of one deadline were off by tens of percent. All are due in one
 * moment, and one turn of the crank runs each of them once. */
ON_EACH_RIG(go_a_crowd_with_one_deadline_is_run_in_one_turn) {
    enum { CROWD = 20000 };
    static tarry_handle handles[CROWD];
    atomic_uint ran = 0;
    for (int i = 0; i < CROWD; ++i) {
        CHECK_INT(tarry_handle_new(&handles[i], r->rt, 0, count_run, &ran), 0);
        CHECK_INT(tarry_arm_at(r->rt, handles[i], r->now + TARRY_SECOND), 0);
    }
    rig_pass(r, TARRY_SECOND - 1);
    CHECK_INT(ran, 0);
    rig_settle(r, 1);
    CHECK_INT(ran, CROWD);
    for (int i = 0; i < CROWD; ++i) CHECK_INT(tarry_handle_free(r->rt, handles[i]), TARRY_IDLE);
}

TEST_SUITE("fault_time", 120, CASE(libuv_a_delay_counts_from_the_arming_and_not_from_the_turn),
           CASE(libuv_a_start_between_two_ticks_is_not_cut_down),
           CASE(folly_a_delay_of_one_epoch_while_a_tick_is_unprocessed_is_not_early),
           CASE(folly_multiples_of_an_epoch_from_time_zero_are_on_time),
           CASE(tokio_age_does_not_matter),
           CASE(rpc_perf_a_delay_beyond_the_wheels_reach_keeps_its_rounds),
           CASE(timeout_nothing_is_next_after_the_only_timer_was_removed),
           CASE(redis_a_removed_timer_is_not_the_next_for_ever),
           CASE(seastar_a_period_by_points_does_not_drift),
           CASE(go_a_crowd_with_one_deadline_is_run_in_one_turn))
