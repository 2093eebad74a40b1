/* Shows: a turn of the crank before anything is due takes no lock; whatever becomes due earlier
 * than that turn had seen fires in its time all the same, whoever armed it and in whichever way; and
 * time that goes back against an empty turn is held and counted as against any other. */
#include "api/runtime.h"
#include "suite.h"
#include "threads.h"
#include "virtual.h"

#include <sched.h>

static int turn(rig *r, int64_t to) {
    r->now = to;
    return (int)tarry_run_expired(r->rt, 0, to, 0);
}

static tarry_timer *shoot_at(rig *r, shot *s, int64_t deadline) {
    tarry_timer *timer = NULL;
    s->r = r;
    TEST_REQUIRE(tarry_after_func_at(&timer, r->rt, deadline, shot_run, s) == 0);
    return timer;
}

BY_HAND(an_empty_turn_takes_no_lock) {
    shot s = { 0 };
    const int64_t start = r->now;
    tarry_timer *timer = shoot_at(r, &s, start + 10 * TARRY_SECOND);
    CHECK_INT(turn(r, start), 0);
    tri_lock *lock = &r->rt->workers[0].bucket.lock;
    tri_lock_take(lock);
    CHECK_INT(turn(r, start + TARRY_SECOND), 0); /* else it would wait for itself */
    tri_lock_drop(lock);
    CHECK_INT(turn(r, start + 10 * TARRY_SECOND + r->tick), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
}

BY_HAND(what_is_armed_after_an_empty_turn_fires_in_its_time) {
    shot far = { 0 }, near = { 0 };
    const int64_t start = r->now;
    tarry_timer *late = shoot_at(r, &far, start + 10 * TARRY_SECOND);
    CHECK_INT(turn(r, start + TARRY_SECOND), 0);
    tarry_timer *early = shoot_at(r, &near, start + 2 * TARRY_SECOND);
    CHECK_INT(turn(r, start + 2 * TARRY_SECOND + r->tick), 1);
    CHECK_INT(near.runs, 1);
    CHECK_INT(tarry_timer_free(early), 0);
    CHECK_INT(tarry_timer_free(late), 0);
    /* With nothing left to wait for, no turn ever sees anything, until there is something again. */
    CHECK_INT(turn(r, start + 20 * TARRY_SECOND), 0);
    early = shoot_at(r, &near, start + 21 * TARRY_SECOND);
    CHECK_INT(turn(r, start + 21 * TARRY_SECOND + r->tick), 1);
    CHECK_INT(near.runs, 2);
    CHECK_INT(tarry_timer_free(early), 0);
}

BY_HAND(stops_and_resets_between_empty_turns) {
    shot first = { 0 }, second = { 0 };
    const int64_t start = r->now;
    tarry_timer *a = shoot_at(r, &first, start + 5 * TARRY_SECOND);
    tarry_timer *b = shoot_at(r, &second, start + 10 * TARRY_SECOND);
    CHECK_INT(turn(r, start + TARRY_SECOND), 0);
    CHECK_INT(tarry_timer_stop(a), 1);
    CHECK_INT(turn(r, start + 6 * TARRY_SECOND), 0);
    CHECK_INT(tarry_timer_reset_at(b, start + 20 * TARRY_SECOND), 1);
    CHECK_INT(turn(r, start + 11 * TARRY_SECOND), 0);
    CHECK_INT(tarry_timer_reset_at(a, start + 15 * TARRY_SECOND), 0);
    CHECK_INT(tarry_timer_reset_at(b, start + 12 * TARRY_SECOND), 1);
    CHECK_INT(turn(r, start + 12 * TARRY_SECOND + r->tick), 1);
    CHECK_INT(turn(r, start + 15 * TARRY_SECOND + r->tick), 1);
    CHECK_INT(first.runs, 1);
    CHECK_INT(second.runs, 1);
    CHECK_INT(tarry_timer_free(a), 0);
    CHECK_INT(tarry_timer_free(b), 0);
}

/* Each arming comes before the turn that must see it, and empty turns run beside all of them. */
enum { ARMINGS = 2000 };

typedef struct armer {
    tarry_timer *timer;
    int64_t start;
    atomic_int told;  /* the arming that was made last */
    atomic_int fired; /* the one that has run last */
} armer;

static void note_firing(void *argument) {
    armer *a = argument;
    atomic_fetch_add(&a->fired, 1);
}

static void arm_again_and_again(void *argument) {
    armer *a = argument;
    for (int i = 1; i <= ARMINGS; ++i) {
        TEST_REQUIRE(tarry_timer_reset_at(a->timer, a->start + i * TARRY_MILLISECOND) == 0);
        atomic_store(&a->told, i);
        while (atomic_load(&a->fired) != i) sched_yield();
    }
}

BY_HAND(another_thread_arms_while_empty_turns_run) {
    armer a = { .start = r->now };
    TEST_REQUIRE(tarry_after_func_at(&a.timer, r->rt, TARRY_FOREVER, note_firing, &a) == 0);
    CHECK_INT(tarry_timer_stop(a.timer), 1);
    test_thread other;
    test_thread_start(&other, arm_again_and_again, &a);
    while (atomic_load(&a.fired) < ARMINGS) {
        const int told = atomic_load(&a.told), fired = atomic_load(&a.fired);
        const int ran = turn(r, a.start + told * TARRY_MILLISECOND + r->tick);
        if (told > fired && !CHECK_INT(ran, 1)) TEST_REQUIRE(false);
        if (told == fired) sched_yield();
    }
    test_thread_join(&other);
    CHECK_INT(tarry_timer_free(a.timer), 0);
}

BY_HAND(time_that_goes_back_behind_an_empty_turn) {
    shot s = { 0 };
    const int64_t start = r->now;
    tarry_timer *far = shoot_at(r, &s, start + 10 * TARRY_SECOND);
    CHECK_INT(turn(r, start), 0);
    CHECK_INT(turn(r, start + 5 * TARRY_SECOND), 0);
    CHECK_INT(turn(r, start + 3 * TARRY_SECOND), 0);
    CHECK_INT(rig_stats(r).backsteps, 1);
    tarry_timer *due = shoot_at(r, &s, start + 4 * TARRY_SECOND);
    CHECK_INT(turn(r, start + 2 * TARRY_SECOND), 1); /* held at five */
    CHECK_INT(rig_stats(r).backsteps, 2);
    r->now = start + 5 * TARRY_SECOND;
    CHECK_INT(tarry_timer_free(far), 0);
    CHECK_INT(tarry_timer_free(due), 0);
}

TEST_SUITE("empty_turns", 60, CASE(an_empty_turn_takes_no_lock),
           CASE(what_is_armed_after_an_empty_turn_fires_in_its_time),
           CASE(stops_and_resets_between_empty_turns),
           CASE(another_thread_arms_while_empty_turns_run),
           CASE(time_that_goes_back_behind_an_empty_turn))
