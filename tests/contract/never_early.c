/* Shows: nothing fires before its deadline, at any delay, around every boundary of a wheel, and
 * nothing that is due is held back for more than one tick. */
#include "rig.h"
#include "suite.h"

#include <stdlib.h>
#include <time.h>

/* One timer: silent up to the last ns, then runs once, at most one tick late. */
static void fires_on_the_dot(rig *r, int64_t delay) {
    shot s = { .r = r };
    tarry_timer *timer;
    const int64_t deadline = r->now + delay;
    CHECK_INT(tarry_after_func(&timer, r->rt, delay, shot_run, &s), 0);
    rig_reach(r, deadline - 1);
    CHECK_INT(s.runs, 0);
    rig_reach(r, deadline + r->tick);
    CHECK_INT(s.runs, 1);
    CHECK(s.at_ns >= deadline && s.at_ns <= deadline + r->tick);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(no_delay_fires_early_around_any_power_of_two) {
    const int64_t unit = r->tick != 0 ? r->tick : 1;
    for (int power = 0; power <= 40; ++power) {
        const int64_t ticks = (int64_t)1 << power;
        if (ticks > (INT64_MAX - r->now) / unit / 16) break;
        for (int64_t off = -1; off <= 1; ++off) {
            fires_on_the_dot(r, (ticks + off) * unit + 1);
            fires_on_the_dot(r, ticks * unit + off + 1);
        }
    }
}

ON_EACH_RIG(no_start_of_the_clock_makes_a_timer_early) {
    for (int power = 8; power <= 61; ++power)
        for (int64_t off = -3; off <= 0; ++off) {
            r->now = ((int64_t)1 << power) + off * (r->tick + 1);
            if (r->now < 0) continue;
            rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
            fires_on_the_dot(r, 2 * r->tick + 1);
            fires_on_the_dot(r, 1000 * (r->tick + 1));
        }
}

enum { CROWD = 2000 };

/* Deadlines over eight orders of magnitude, time in steps of as many. */
static int64_t random_span(unsigned *seed) {
    const int shift = rand_r(seed) % 28;
    return 1 + (((int64_t)rand_r(seed) << 8) ^ rand_r(seed)) % ((int64_t)256 << shift);
}

ON_EACH_RIG(no_timer_of_a_crowd_is_early_or_left_behind) {
    static shot shots[CROWD];
    static int64_t deadlines[CROWD];
    static tarry_timer *timers[CROWD];
    unsigned seed = 7;
    int64_t last = 0;
    for (int i = 0; i < CROWD; ++i) {
        const int64_t delay = random_span(&seed);
        shots[i] = (shot){ .r = r };
        deadlines[i] = r->now + delay;
        last = deadlines[i] > last ? deadlines[i] : last;
        CHECK_INT(tarry_after_func(&timers[i], r->rt, delay, shot_run, &shots[i]), 0);
    }
    while (r->now <= last + r->tick) {
        rig_pass(r, random_span(&seed));
        for (int i = 0; i < CROWD; ++i) {
            if (r->now < deadlines[i] && !CHECK_INT(shots[i].runs, 0)) return;
            if (r->now >= deadlines[i] + r->tick && !CHECK_INT(shots[i].runs, 1)) return;
            if (shots[i].runs != 0 && !CHECK(shots[i].at_ns >= deadlines[i])) return;
        }
    }
    for (int i = 0; i < CROWD; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
}

ON_EACH_RIG(a_timer_moved_to_later_is_silent_at_its_first_deadline) {
    shot s = { .r = r };
    tarry_timer *timer;
    CHECK_INT(tarry_after_func(&timer, r->rt, TARRY_SECOND, shot_run, &s), 0);
    CHECK_INT(tarry_timer_reset(timer, 5 * TARRY_SECOND), 1);
    rig_pass(r, 5 * TARRY_SECOND - 1);
    CHECK_INT(s.runs, 0);
    rig_settle(r, 1);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

ON_EACH_RIG(a_message_is_never_there_early) {
    tarry_timer *timer;
    tarry_message message = { 0 };
    const int64_t deadline = r->now + TARRY_SECOND;
    CHECK_INT(tarry_timer_new(&timer, r->rt, TARRY_SECOND), 0);
    rig_pass(r, TARRY_SECOND - 1);
    CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 0);
    rig_settle(r, 1);
    CHECK_INT(rig_poll(&message, tarry_timer_mailbox(timer)), 1);
    CHECK_INT(message.due_ns, deadline);
    CHECK(message.sent_ns >= deadline);
    CHECK(message.data == NULL);
    CHECK_INT(tarry_timer_free(timer), 0);
}

enum { REAL = 400 };

static int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * TARRY_SECOND + now.tv_nsec;
}

static void note_time(void *argument) {
    *(int64_t *)argument = monotonic_ns();
}

/* The real clock and a real sleep, since virtual time cannot show a wait that the system ends too
 * soon. Waits 20 ms in all; only "never early" is checked. */
static void no_timer_of_the_real_clock_is_early(void) {
    static int64_t ran_at[REAL], deadlines[REAL];
    static tarry_timer *timers[REAL];
    tarry_options options = TARRY_OPTIONS_INIT;
    tarry_runtime *rt = NULL;
    options.callbacks = TARRY_CALLBACKS_INLINE;
    CHECK_INT(tarry_create(&rt, &options), 0);
    for (int i = 0; i < REAL; ++i) {
        const int64_t delay = 50 * TARRY_MICROSECOND * (i * 7 % REAL);
        deadlines[i] = monotonic_ns() + delay;
        CHECK_INT(tarry_after_func(&timers[i], rt, delay, note_time, &ran_at[i]), 0);
    }
    CHECK_INT(tarry_sleep(rt, 51 * TARRY_MICROSECOND * REAL), 0);
    for (int i = 0; i < REAL; ++i) {
        const int stopped = tarry_timer_stop_wait(timers[i]);
        if (stopped == 0) CHECK(ran_at[i] >= deadlines[i]);
        CHECK_INT(tarry_timer_free(timers[i]), 0);
    }
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("never_early", 120, CASE(no_delay_fires_early_around_any_power_of_two),
           CASE(no_start_of_the_clock_makes_a_timer_early),
           CASE(no_timer_of_a_crowd_is_early_or_left_behind),
           CASE(a_timer_moved_to_later_is_silent_at_its_first_deadline),
           CASE(a_message_is_never_there_early), CASE(no_timer_of_the_real_clock_is_early))
