/* Shows: arming a timer that exists never allocates, so it never fails; creation that cannot get
 * memory changes nothing; timers that were stopped or put off do not pile up: entries stay below
 * twice the live ones plus a constant, and memory returns to where it was. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <stdlib.h>

enum { TIMERS = 1500, SLACK = 256 };

static tarry_handle handles[TIMERS];

static void make_handles(rig *r, shot *s) {
    for (int i = 0; i < TIMERS; ++i)
        CHECK_INT(tarry_handle_new(&handles[i], r->rt, 0, shot_run, s), 0);
}

static void free_handles(rig *r) {
    for (int i = 0; i < TIMERS; ++i) CHECK(tarry_handle_free(r->rt, handles[i]) >= 0);
}

ON_EACH_RIG(arming_what_exists_needs_no_memory) {
    shot s = { .r = r };
    unsigned seed = 31;
    make_handles(r, &s);
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    rig_pass(r, 1); /* whatever is made on first use is made now */
    const uint64_t asked = r->memory.calls;
    counting_fail(&r->memory, 0, true);
    for (int i = 0; i < 20 * TIMERS; ++i) {
        const tarry_handle handle = handles[rand_r(&seed) % TIMERS];
        const int64_t delay = (int64_t)rand_r(&seed) << (i % 20);
        CHECK((i % 5 == 0 ? tarry_disarm(r->rt, handle) : tarry_rearm(r->rt, handle, delay)) >= 0);
        if (i % 100 == 0) rig_pass(r, rand_r(&seed));
        if (i % 50 == 0) CHECK(tarry_timer_reset(timer, delay) >= 0);
        if (i % 50 == 25) CHECK_INT(tarry_ticker_reset(ticker, 1 + delay), 1);
    }
    CHECK_INT(r->memory.calls, asked);
    counting_heal(&r->memory);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
    free_handles(r);
}

static bool within_bound(const rig *r) {
    const tarry_stats s = rig_stats(r);
    return CHECK(s.entries <= 2 * s.pending + SLACK);
}

/* All armed, then stopped in an order that is not that of the deadlines, near and far. */
ON_EACH_RIG(stopped_timers_do_not_pile_up) {
    shot s = { .r = r };
    make_handles(r, &s);
    for (int round = 0; round < 5; ++round) {
        const int64_t spread = round % 2 ? TARRY_SECOND : 1000;
        for (int i = 0; i < TIMERS; ++i)
            CHECK_INT(tarry_arm(r->rt, handles[i], TARRY_SECOND + i * 769 % TIMERS * spread), 0);
        for (int i = 0; i < TIMERS; ++i) {
            CHECK_INT(tarry_disarm(r->rt, handles[i * 101 % TIMERS]), TARRY_STOPPED);
            if (!within_bound(r)) return;
        }
        CHECK_INT(rig_stats(r).pending, 0);
    }
    free_handles(r);
}

ON_EACH_RIG(timers_that_are_moved_do_not_pile_up) {
    shot s = { .r = r };
    unsigned seed = 37;
    make_handles(r, &s);
    for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_arm(r->rt, handles[i], TARRY_SECOND), 0);
    for (int i = 0; i < 20 * TIMERS; ++i) {
        const int64_t delay = TARRY_SECOND + rand_r(&seed); /* earlier as often as later */
        CHECK_INT(tarry_rearm(r->rt, handles[rand_r(&seed) % TIMERS], delay), TARRY_STOPPED);
        if (i % 16 == 0 && !within_bound(r)) break;
    }
    free_handles(r);
}

/* One timer, a few beside it, and very many pairs: nothing may grow, not even slowly. */
ON_EACH_RIG(pairs_of_arm_and_stop_leave_memory_as_it_was) {
    shot s = { .r = r };
    make_handles(r, &s);
    for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_arm(r->rt, handles[i], TARRY_SECOND), 0);
    for (int i = 3; i < TIMERS; ++i) CHECK_INT(tarry_disarm(r->rt, handles[i]), TARRY_STOPPED);
    const tarry_stats before = rig_stats(r);
    const unsigned pairs = test_rounds(200000, 10000000);
    int wrong = 0;
    for (unsigned i = 0; i < pairs; ++i) {
        wrong += tarry_arm(r->rt, handles[7], TARRY_SECOND + i) != 0;
        wrong += tarry_disarm(r->rt, handles[7]) != TARRY_STOPPED;
    }
    CHECK_INT(wrong, 0);
    const tarry_stats after = rig_stats(r);
    CHECK_INT(after.memory, before.memory);
    CHECK(after.entries <= 2 * after.pending + SLACK);
    free_handles(r);
}

/* Made, armed, stopped, freed, again and again: what the first round needed is enough. */
ON_EACH_RIG(timers_that_come_and_go_need_no_more_memory_than_the_first) {
    uint64_t held = 0;
    for (int round = 0; round < 10; ++round) {
        static tarry_timer *timers[TIMERS];
        for (int i = 0; i < TIMERS; ++i) timers[i] = timer_in(r->rt, TARRY_SECOND + i);
        if (round % 2) rig_settle(r, TARRY_SECOND + TIMERS);
        for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
        const tarry_stats stats = rig_stats(r);
        CHECK_INT(stats.timers, 0);
        if (round == 0) held = stats.memory;
        CHECK(stats.memory <= held);
    }
}

/* What tarry_stats says is held is what the allocator gave: with one worker, all but the workers'
 * own array, which does not change. */
ON_EACH_RIG(the_memory_figure_is_the_allocators) {
    static tarry_timer *timers[TIMERS];
    const size_t fixed = r->memory.bytes - rig_stats(r).memory;
    for (int i = 0; i < TIMERS; ++i) timers[i] = timer_in(r->rt, TARRY_SECOND + i);
    CHECK_INT(rig_stats(r).memory, r->memory.bytes - fixed);
    for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_timer_free(timers[i]), 0);
    CHECK_INT(rig_stats(r).memory, r->memory.bytes - fixed);
}

ON_EACH_RIG(creation_without_memory_is_ENOMEM_and_changes_nothing) {
    tarry_timer *timer = NULL;
    tarry_ticker *ticker = NULL;
    tarry_mailbox *mailbox = NULL;
    tarry_handle handle = { 1, 2, 3, 4 };
    shot s = { .r = r };
    tarry_timer *other = func_in(r->rt, TARRY_SECOND, shot_run, &s);
    const tarry_stats before = rig_stats(r);
    counting_fail(&r->memory, 0, true);
    CHECK_INT(tarry_timer_new(&timer, r->rt, 0), -ENOMEM);
    CHECK_INT(tarry_timer_new_at(&timer, r->rt, 0), -ENOMEM);
    CHECK_INT(tarry_after_func(&timer, r->rt, 0, shot_run, &s), -ENOMEM);
    CHECK_INT(tarry_after_func_at(&timer, r->rt, 0, shot_run, &s), -ENOMEM);
    CHECK_INT(tarry_ticker_new(&ticker, r->rt, 1), -ENOMEM);
    CHECK_INT(tarry_mailbox_new(&mailbox, r->rt), -ENOMEM);
    CHECK(timer == NULL && ticker == NULL && mailbox == NULL);
    /* A handle needs memory only when the table of slots is full. */
    int made = 0, result;
    static tarry_handle spare[100000];
    while ((result = tarry_handle_new(&handle, r->rt, 0, shot_run, &s)) == 0)
        spare[made++] = handle;
    CHECK_INT(result, -ENOMEM);
    while (made > 0) CHECK_INT(tarry_handle_free(r->rt, spare[--made]), TARRY_IDLE);
    const tarry_stats after = rig_stats(r);
    CHECK(rig_unchanged(&before, &after));
    counting_heal(&r->memory);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(s.runs, 1);
    CHECK_INT(tarry_timer_free(other), 0);
}

TEST_SUITE("memory", 120, CASE(arming_what_exists_needs_no_memory),
           CASE(stopped_timers_do_not_pile_up), CASE(timers_that_are_moved_do_not_pile_up),
           CASE(pairs_of_arm_and_stop_leave_memory_as_it_was),
           CASE(timers_that_come_and_go_need_no_more_memory_than_the_first),
           CASE(the_memory_figure_is_the_allocators),
           CASE(creation_without_memory_is_ENOMEM_and_changes_nothing))
