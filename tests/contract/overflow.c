/* Shows: now + delay saturates at the far end of time, which is never reached; a saturated timer is
 * armed like any other, and stops like any other. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* The last point that a clock can be moved to: the two behind it are the end and never. */
static const int64_t last_ns = INT64_MAX - 2;

static const int64_t start_ns = 1234567890123;

/* The end of time leaves no way back: each case that has been there starts anew. */
static void start_again(rig *r) {
    r->now = start_ns;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
}

ON_EACH_RIG(a_delay_past_the_end_of_time_never_fires) {
    const int64_t delays[] = { INT64_MAX, INT64_MAX - 1, INT64_MAX - start_ns + 1,
                               INT64_MAX - start_ns, INT64_MAX - start_ns - 1 };
    for (size_t i = 0; i < sizeof delays / sizeof *delays; ++i) {
        start_again(r);
        shot s = { .r = r };
        tarry_timer *timer = func_in(r->rt, delays[i], shot_run, &s);
        tarry_timer *moved = func_in(r->rt, TARRY_SECOND, shot_run, &s);
        CHECK_INT(tarry_timer_reset(moved, delays[i]), 1);
        CHECK_INT(rig_stats(r).pending, 2);
        rig_pass(r, 1000 * TARRY_SECOND);
        rig_reach(r, last_ns);
        CHECK_INT(s.runs, 0);
        CHECK_INT(rig_stats(r).pending, 2);
        CHECK_INT(tarry_timer_stop(timer), 1);
        CHECK_INT(tarry_timer_stop(timer), 0);
        CHECK_INT(tarry_timer_free(timer), 0);
        CHECK_INT(tarry_timer_free(moved), 0);
        CHECK_INT(rig_stats(r).stopped, 3);
    }
}

ON_EACH_RIG(forever_as_a_point_never_comes) {
    start_again(r);
    tarry_timer *timer;
    tarry_handle handle;
    shot s = { .r = r };
    CHECK_INT(tarry_timer_new_at(&timer, r->rt, TARRY_FOREVER), 0);
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    CHECK_INT(tarry_arm(r->rt, handle, TARRY_FOREVER), 0);
    CHECK_INT(tarry_rearm_at(r->rt, handle, TARRY_FOREVER), TARRY_STOPPED);
    rig_reach(r, last_ns);
    CHECK_INT(timer_due(timer), -EAGAIN);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_STOPPED);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* A wheel's tick ends after it, where no clock goes. */
ON_EACH_RIG(the_last_point_before_the_end_is_reached) {
    start_again(r);
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, last_ns - start_ns, shot_run, &s);
    rig_reach(r, last_ns - 1);
    CHECK_INT(s.runs, 0);
    rig_reach(r, last_ns);
    if (r->tick == 0) CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(a_saturated_timer_hides_no_other) {
    start_again(r);
    shot never = { .r = r }, soon = { .r = r };
    tarry_timer *first = func_in(r->rt, INT64_MAX, shot_run, &never);
    tarry_timer *second = func_in(r->rt, TARRY_SECOND, shot_run, &soon);
    tarry_timer *third = func_in(r->rt, INT64_MAX, shot_run, &never);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(soon.runs, 1);
    CHECK_INT(tarry_timer_reset(first, TARRY_SECOND), 1);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(never.runs, 1);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
    CHECK_INT(tarry_timer_free(third), 0);
}

ON_EACH_RIG(a_timer_armed_near_the_end_saturates) {
    r->now = last_ns - 10 * TARRY_SECOND;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
    shot in_time = { .r = r }, never = { .r = r };
    tarry_timer *first = func_in(r->rt, 9 * TARRY_SECOND, shot_run, &in_time);
    tarry_timer *second = func_in(r->rt, 11 * TARRY_SECOND, shot_run, &never);
    rig_pass(r, 9 * TARRY_SECOND - 1);
    CHECK_INT(in_time.runs, 0);
    rig_settle(r, 1);
    CHECK_INT(in_time.runs, 1);
    rig_reach(r, last_ns);
    CHECK_INT(never.runs, 0);
    CHECK_INT(tarry_timer_free(first), 0);
    CHECK_INT(tarry_timer_free(second), 0);
}

ON_EACH_RIG(a_period_past_the_end_of_time_never_ticks) {
    start_again(r);
    tarry_ticker *ticker = ticker_of(r->rt, INT64_MAX);
    rig_reach(r, last_ns);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* next = deadline + period * (1 + late / period), where the product itself does not fit. */
ON_EACH_RIG(the_next_tick_after_a_huge_stall_saturates) {
    start_again(r);
    const int64_t period = (int64_t)1 << 62;
    tarry_ticker *ticker = ticker_of(r->rt, period);
    rig_reach(r, start_ns + period + period / 2);
    CHECK_INT(ticker_due(ticker), start_ns + period);
    rig_reach(r, last_ns);
    CHECK_INT(ticker_due(ticker), -EAGAIN);
    CHECK_INT(rig_stats(r).pending, 1);
    CHECK_INT(tarry_ticker_stop(ticker), 1);
    CHECK_INT(tarry_ticker_free(ticker), 0);
}

/* A wheel may want to be turned on the way there, to move it to a finer slot. */
BY_HAND(a_saturated_timer_does_not_have_to_be_driven_for_a_century) {
    const int64_t century = 100 * INT64_C(31557600) * TARRY_SECOND;
    int64_t next = 0;
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, INT64_MAX, shot_run, &s);
    CHECK_INT(tarry_next_deadline(&next, r->rt, 0), 0);
    CHECK(next >= r->now + century);
    if (r->tick == 0) CHECK_INT(next, TARRY_FOREVER);
    CHECK_INT(tarry_timer_free(timer), 0);
}

TEST_SUITE("overflow", 60, CASE(a_delay_past_the_end_of_time_never_fires),
           CASE(forever_as_a_point_never_comes), CASE(the_last_point_before_the_end_is_reached),
           CASE(a_saturated_timer_hides_no_other), CASE(a_timer_armed_near_the_end_saturates),
           CASE(a_period_past_the_end_of_time_never_ticks),
           CASE(the_next_tick_after_a_huge_stall_saturates),
           CASE(a_saturated_timer_does_not_have_to_be_driven_for_a_century))
