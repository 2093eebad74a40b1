/* Shows: an exact backend fires by deadline, to the nanosecond; one with a tick is out of order by
 * less than its tick; timers of one deadline fire in the same order whenever the same calls made
 * them. */
#include "rig.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD = 3000 };

typedef struct line {
    int numbers[CROWD];
    int count;
} line;

typedef struct member {
    line *in;
    int64_t deadline;
    int number;
    tarry_timer *timer;
} member;

static member members[CROWD];

static void join_line(void *argument) {
    member *m = argument;
    m->in->numbers[m->in->count++] = m->number;
}

static void add(rig *r, line *in, int number, int64_t deadline) {
    members[number] = (member){ .in = in, .number = number, .deadline = deadline };
    CHECK_INT(tarry_after_func_at(&members[number].timer, r->rt, deadline, join_line,
                                  &members[number]), 0);
}

static void reset(member *m, int64_t deadline) {
    m->deadline = deadline;
    CHECK_INT(tarry_timer_reset_at(m->timer, deadline), 1);
}

static void free_all(void) {
    for (int i = 0; i < CROWD; ++i) CHECK_INT(tarry_timer_free(members[i].timer), 0);
}

/* No timer comes after one that was due more than a tick (exact: at all) later. */
static void check_line(const rig *r, const line *in) {
    int64_t latest = 0;
    CHECK_INT(in->count, CROWD);
    for (int i = 0; i < in->count; ++i) {
        const int64_t deadline = members[in->numbers[i]].deadline;
        if (r->tick == 0 ? !CHECK(deadline >= latest) : !CHECK(deadline > latest - r->tick)) return;
        latest = deadline > latest ? deadline : latest;
    }
}

ON_EACH_RIG(timers_fire_by_deadline) {
    static line in;
    unsigned seed = 11;
    in.count = 0;
    for (int i = 0; i < CROWD; ++i)
        add(r, &in, i, r->now + 1 + ((int64_t)rand_r(&seed) << (i % 12)));
    rig_settle(r, (int64_t)RAND_MAX << 12);
    check_line(r, &in);
    free_all();
}

ON_EACH_RIG(neighbours_one_nanosecond_apart_keep_their_order) {
    static line in;
    in.count = 0;
    for (int i = 0; i < CROWD; ++i) add(r, &in, i, r->now + TARRY_SECOND + i * 1009 % CROWD);
    rig_settle(r, TARRY_SECOND + CROWD);
    check_line(r, &in);
    free_all();
}

/* Lazy resets leave old entries behind: none of them may decide the order. */
ON_EACH_RIG(resets_to_earlier_and_later_keep_the_order) {
    static line in;
    unsigned seed = 13;
    in.count = 0;
    for (int i = 0; i < CROWD; ++i) add(r, &in, i, r->now + TARRY_SECOND + rand_r(&seed));
    for (int round = 0; round < 3 * CROWD; ++round)
        reset(&members[rand_r(&seed) % CROWD], r->now + TARRY_SECOND + rand_r(&seed));
    rig_settle(r, TARRY_SECOND + RAND_MAX);
    check_line(r, &in);
    free_all();
}

/* A few deadlines, each shared by many, a third of them moved. */
static void run_ties(rig *r, line *in) {
    unsigned seed = 17;
    in->count = 0;
    for (int i = 0; i < CROWD; ++i) add(r, in, i, r->now + (1 + i % 3) * TARRY_SECOND);
    for (int i = 0; i < CROWD; ++i)
        reset(&members[rand_r(&seed) % CROWD], r->now + (1 + i % 2) * TARRY_SECOND);
    rig_settle(r, 3 * TARRY_SECOND);
    free_all();
}

/* By hand, where the calls are all that happens: a timerproc's turns come in between. */
BY_HAND(equal_deadlines_fire_in_the_same_order_for_the_same_calls) {
    static line first, second;
    const int64_t start = r->now;
    run_ties(r, &first);
    r->now = start;
    rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
    run_ties(r, &second);
    CHECK_INT(first.count, CROWD);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
}

TEST_SUITE("order", 60, CASE(timers_fire_by_deadline),
           CASE(neighbours_one_nanosecond_apart_keep_their_order),
           CASE(resets_to_earlier_and_later_keep_the_order),
           CASE(equal_deadlines_fire_in_the_same_order_for_the_same_calls))
