/* Shows: each clock is what its name says. Monotonic and boottime read the system's, virtual moves
 * only when it is moved, the caller's is asked and never trusted to go back. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <time.h>

static int64_t system_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return now.tv_sec * TARRY_SECOND + now.tv_nsec;
}

static tarry_runtime *make(unsigned clock, bool by_hand) {
    tarry_runtime *rt = NULL;
    const tarry_options options = { .size = sizeof options, .workers = 1, .clock = clock,
                                    .by_hand = by_hand };
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    return rt;
}

static void check_reads(unsigned clock, clockid_t id) {
    for (int by_hand = 0; by_hand <= 1; ++by_hand) {
        tarry_runtime *rt = make(clock, by_hand);
        const int64_t before = system_ns(id), now = now_of(rt), after = system_ns(id);
        CHECK(before <= now && now <= after);
        CHECK_INT(tarry_advance(rt, after + TARRY_SECOND), -EINVAL);
        CHECK_INT(tarry_destroy(rt), 0);
    }
}

static void monotonic_is_the_systems_and_the_default(void) {
    check_reads(TARRY_CLOCK_MONOTONIC, CLOCK_MONOTONIC);
    tarry_runtime *rt = NULL;
    CHECK_INT(tarry_create(&rt, NULL), 0);
    const int64_t before = system_ns(CLOCK_MONOTONIC), now = now_of(rt);
    CHECK(before <= now && now <= system_ns(CLOCK_MONOTONIC));
    CHECK_INT(tarry_destroy(rt), 0);
}

static void boottime_is_the_systems(void) {
    check_reads(TARRY_CLOCK_BOOTTIME, CLOCK_BOOTTIME);
}

/* Real time, 3 ms: a timer, a sleep and a receive wait on this clock, and never too short. */
static void a_wait_on_boottime_is_not_early(void) {
    tarry_runtime *rt = make(TARRY_CLOCK_BOOTTIME, false);
    tarry_message message;
    for (int64_t delay = TARRY_MICROSECOND; delay <= TARRY_MILLISECOND; delay *= 10) {
        const int64_t start = system_ns(CLOCK_BOOTTIME);
        tarry_timer *timer = timer_in(rt, delay);
        CHECK_INT(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)), 0);
        CHECK(system_ns(CLOCK_BOOTTIME) - start >= delay);
        CHECK_INT(tarry_timer_free(timer), 0);
        const int64_t slept_from = system_ns(CLOCK_BOOTTIME);
        CHECK_INT(tarry_sleep(rt, delay), 0);
        CHECK(system_ns(CLOCK_BOOTTIME) - slept_from >= delay);
    }
    CHECK_INT(tarry_destroy(rt), 0);
}

ON_EACH_RIG(virtual_time_moves_only_when_it_is_moved) {
    const int64_t start = r->now;
    CHECK_INT(now_of(r->rt), start);
    rig_pass(r, 0);
    CHECK_INT(now_of(r->rt), start);
    CHECK_INT(tarry_advance(r->rt, start - 1), -EINVAL);
    CHECK_INT(tarry_advance(r->rt, TARRY_FOREVER), -EINVAL);
    CHECK_INT(now_of(r->rt), start);
    rig_pass(r, 12345);
    CHECK_INT(now_of(r->rt), start + 12345);
}

BY_HAND(by_hand_advance_sets_the_clock_and_runs_nothing) {
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    r->now += 2 * TARRY_SECOND;
    CHECK_INT(tarry_advance(r->rt, r->now), 0);
    CHECK_INT(now_of(r->rt), r->now);
    CHECK_INT(s.runs, 0);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* On the way each callback sees the clock at its own deadline (a wheel: at the tick's end), not at
 * where the clock is going; what it arms on the way is part of it. */
typedef struct hop {
    rig *r;
    tarry_timer *timer;
    int64_t due;
    int hops;
} hop;

static void hop_on(void *argument) {
    hop *h = argument;
    const int64_t now = now_of(h->r->rt);
    CHECK(now >= h->due && now <= h->due + h->r->tick);
    ++h->hops;
    h->due = now + TARRY_SECOND;
    CHECK_INT(tarry_timer_reset(h->timer, TARRY_SECOND), 0);
}

THREADED(virtual_time_goes_through_each_deadline_on_the_way) {
    hop h = { .r = r, .due = r->now + TARRY_SECOND };
    h.timer = func_in(r->rt, TARRY_SECOND, hop_on, &h);
    rig_pass(r, 100 * (TARRY_SECOND + r->tick));
    CHECK(h.hops >= 100 && h.hops <= 101);
    CHECK_INT(tarry_timer_free(h.timer), 0);
}

BY_HAND(the_callers_clock_is_asked) {
    rig_clock c;
    rig_use_callers_clock(r, &c);
    shot s = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    const int asked = c.asked;
    CHECK(asked > 0);
    CHECK_INT(now_of(r->rt), r->now);
    c.now += TARRY_SECOND + r->tick;
    CHECK_INT(tarry_run_expired(r->rt, 0, c.now - r->tick - 1, 0), 0);
    CHECK_INT(tarry_run_expired(r->rt, 0, c.now, 0), 1);
    CHECK_INT(s.at_ns, c.now);
    CHECK_INT(tarry_timer_free(timer), 0);
}

/* The core surface with points reads no clock at all. */
BY_HAND(arming_at_a_point_reads_no_clock) {
    rig_clock c;
    rig_use_callers_clock(r, &c);
    shot s = { .r = r };
    tarry_handle handle;
    CHECK_INT(tarry_handle_new(&handle, r->rt, 0, shot_run, &s), 0);
    const int asked = c.asked;
    CHECK_INT(tarry_arm_at(r->rt, handle, r->now + TARRY_SECOND), 0);
    CHECK_INT(tarry_rearm_at(r->rt, handle, r->now + 2 * TARRY_SECOND), TARRY_STOPPED);
    CHECK_INT(tarry_disarm(r->rt, handle), TARRY_STOPPED);
    CHECK_INT(c.asked, asked);
    CHECK_INT(tarry_handle_free(r->rt, handle), TARRY_IDLE);
}

/* Time that goes back is held at the latest that was seen, and counted; nothing fires early,
 * nothing is lost, and time goes on from there. */
BY_HAND(time_that_goes_back_is_held_and_counted) {
    rig_clock c;
    rig_use_callers_clock(r, &c);
    shot first = { .r = r }, second = { .r = r };
    tarry_timer *a = func_in(r->rt, TARRY_SECOND, shot_run, &first);
    tarry_timer *b = func_in(r->rt, 10 * TARRY_SECOND, shot_run, &second);
    const int64_t late = r->now + 5 * TARRY_SECOND;
    c.now = late;
    CHECK_INT(tarry_run_expired(r->rt, 0, late, 0), 1);
    CHECK_INT(rig_stats(r).backsteps, 0);
    const int64_t back[] = { late - 1, r->now, 0, -TARRY_SECOND, INT64_MIN };
    for (int i = 0; i < 5; ++i) CHECK_INT(tarry_run_expired(r->rt, 0, back[i], 0), 0);
    CHECK_INT(rig_stats(r).backsteps, 5);
    /* One that is due by the latest time fires, though the caller says that it is earlier. */
    CHECK_INT(tarry_timer_reset_at(a, late - r->tick - 10), 0);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now, 0), 1);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now + 10 * TARRY_SECOND - 1, 0), 0);
    CHECK_INT(second.runs, 0);
    CHECK_INT(tarry_run_expired(r->rt, 0, r->now + 10 * TARRY_SECOND + r->tick, 0), 1);
    CHECK_INT(second.runs, 1);
    CHECK_INT(tarry_timer_free(a), 0);
    CHECK_INT(tarry_timer_free(b), 0);
}

TEST_SUITE("clocks", 60, CASE(monotonic_is_the_systems_and_the_default),
           CASE(boottime_is_the_systems), CASE(a_wait_on_boottime_is_not_early),
           CASE(virtual_time_moves_only_when_it_is_moved),
           CASE(by_hand_advance_sets_the_clock_and_runs_nothing),
           CASE(virtual_time_goes_through_each_deadline_on_the_way),
           CASE(the_callers_clock_is_asked), CASE(arming_at_a_point_reads_no_clock),
           CASE(time_that_goes_back_is_held_and_counted))
