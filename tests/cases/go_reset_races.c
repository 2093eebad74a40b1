/* Shows: stops and resets of one timer by many threads, while it fires and others receive, are one
 * order of the calls: each arming is received, or run, or ended by exactly one call that says so,
 * and what is received belongs to the last reset. Go's tests of concurrent deadlines only ask that
 * nothing hangs or crashes; here the answers are added up. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <sched.h>

/* TestConcurrentSetDeadline: eight threads reset ten timers, two receive from all of them. */
enum { TIMERS = 10, SETTERS = 8, TAKERS = 2 };
typedef struct crowd {
    tarry_timer *timers[TIMERS];
    tarry_mailbox *quit;
    unsigned tries;
    atomic_uint setting, ended, received;
} crowd;

static void set_all(crowd *c, unsigned index) {
    for (unsigned i = 0; i < c->tries; ++i)
        for (unsigned j = 0; j < TIMERS; ++j) {
            const int answer = tarry_timer_reset(c->timers[(index + j) % TIMERS], (i + j) % 3);
            TEST_REQUIRE(answer == 0 || answer == 1);
            atomic_fetch_add(&c->ended, (unsigned)answer);
        }
    if (atomic_fetch_sub(&c->setting, 1) == 1) TEST_REQUIRE(tarry_mailbox_close(c->quit) == 0);
}

static void take_from_all(crowd *c) {
    for (;;) {
        tarry_case cases[TIMERS + 1] = { 0 };
        for (int i = 0; i < TIMERS; ++i) cases[i].mailbox = tarry_timer_mailbox(c->timers[i]);
        cases[TIMERS].mailbox = c->quit;
        size_t chosen = 0;
        TEST_REQUIRE(tarry_select(&chosen, cases, TIMERS + 1, TARRY_FOREVER) == 0);
        if (chosen == TIMERS) return;
        atomic_fetch_add(&c->received, 1);
    }
}

static void set_or_take(unsigned index, void *argument) {
    if (index < SETTERS)
        set_all(argument, index);
    else
        take_from_all(argument);
}

RACE(each_arming_is_received_or_ended_by_one_call, 2) {
    crowd c = { .tries = test_rounds(150, 1000), .setting = SETTERS, .quit = mailbox_in(rt) };
    for (int i = 0; i < TIMERS; ++i) c.timers[i] = timer_in(rt, 0);
    test_threads_run(SETTERS + TAKERS, set_or_take, &c);
    unsigned at_the_end = 0;
    for (int i = 0; i < TIMERS; ++i) {
        at_the_end += (unsigned)tarry_timer_stop(c.timers[i]);
        CHECK_INT(timer_due(c.timers[i]), -EAGAIN);
        CHECK_INT(tarry_timer_free(c.timers[i]), 0);
    }
    CHECK_INT(tarry_mailbox_free(c.quit), 0);
    CHECK_INT(c.received + c.ended + at_the_end, TIMERS + SETTERS * TIMERS * c.tries);
}

/* The same of callbacks, by resets and stops; in addition no two runs of one timer overlap. */
typedef struct func {
    tarry_timer *timer;
    atomic_uint inside, runs, overlaps;
} func;

typedef struct func_crowd {
    func funcs[TIMERS];
    unsigned tries;
    atomic_uint armed, ended;
} func_crowd;

static void run_func(void *argument) {
    func *f = argument;
    if (atomic_fetch_add(&f->inside, 1) != 0) atomic_fetch_add(&f->overlaps, 1);
    atomic_fetch_add(&f->runs, 1);
    atomic_fetch_sub(&f->inside, 1);
}

static void set_or_stop(unsigned index, void *argument) {
    func_crowd *c = argument;
    for (unsigned i = 0; i < c->tries; ++i)
        for (unsigned j = 0; j < TIMERS; ++j) {
            tarry_timer *timer = c->funcs[(index + j) % TIMERS].timer;
            const bool stop = (i + index) % 4 == 3;
            const int answer = stop ? tarry_timer_stop(timer)
                                    : tarry_timer_reset(timer, (i + j) % 3);
            TEST_REQUIRE(answer == 0 || answer == 1);
            atomic_fetch_add(&c->armed, !stop);
            atomic_fetch_add(&c->ended, (unsigned)answer);
        }
}

RACE(each_arming_runs_or_is_ended_by_one_call, 2) {
    func_crowd c = { .tries = test_rounds(80, 500), .armed = TIMERS };
    for (int i = 0; i < TIMERS; ++i) c.funcs[i].timer = func_in(rt, 0, run_func, &c.funcs[i]);
    test_threads_run(SETTERS, set_or_stop, &c);
    unsigned runs = 0, at_the_end = 0;
    for (int i = 0; i < TIMERS; ++i) {
        func *f = &c.funcs[i];
        at_the_end += (unsigned)tarry_timer_stop_wait(f->timer);
        runs += f->runs;
        CHECK_INT(f->overlaps, 0);
        CHECK_INT(tarry_timer_free(f->timer), 0);
    }
    CHECK_INT(runs + c.ended + at_the_end, c.armed);
}

/* TestReadWriteDeadlineRace: one thread moves two deadlines 2 us ahead, over and over, while one
 * sends and one receives under them. */
typedef struct connection {
    tarry_mailbox *data;
    tarry_timer *read_limit, *write_limit;
    unsigned tries;
    atomic_uint ended, timed_out;
} connection;

static void set_both(connection *c) {
    for (unsigned i = 0; i < c->tries; ++i) {
        const int answer = tarry_timer_reset(c->read_limit, 2 * TARRY_MICROSECOND) +
                           tarry_timer_reset(c->write_limit, 2 * TARRY_MICROSECOND);
        atomic_fetch_add(&c->ended, (unsigned)answer);
        if (i % 16 == 0) TEST_REQUIRE(tarry_mailbox_try_send(c->data, NULL) != -EPIPE);
    }
    TEST_REQUIRE(tarry_mailbox_close(c->data) == 0);
}

static void transfer(connection *c, int op, tarry_timer *limit) {
    for (;;) {
        tarry_case cases[] = { { .mailbox = c->data, .op = op },
                               { .mailbox = tarry_timer_mailbox(limit) } };
        size_t chosen = 77;
        TEST_REQUIRE(tarry_select(&chosen, cases, 2, TARRY_FOREVER) == 0);
        if (cases[chosen].status == -EPIPE) return;
        atomic_fetch_add(&c->timed_out, chosen == 1);
    }
}

static void part_in_connection(unsigned index, void *argument) {
    connection *c = argument;
    if (index == 0)
        set_both(c);
    else if (index == 1)
        transfer(c, TARRY_RECV, c->read_limit);
    else
        transfer(c, TARRY_SEND, c->write_limit);
}

RACE(deadlines_moved_under_a_transfer_are_seen_or_ended_once, 2) {
    connection c = { .data = mailbox_in(rt), .tries = test_rounds(2500, 20000) };
    c.read_limit = timer_in(rt, 0);
    c.write_limit = timer_in(rt, 0);
    test_threads_run(3, part_in_connection, &c);
    const int at_the_end = tarry_timer_stop(c.read_limit) + tarry_timer_stop(c.write_limit);
    CHECK_INT(c.timed_out + c.ended + (unsigned)at_the_end, 2 + 2 * c.tries);
    CHECK_INT(tarry_timer_free(c.read_limit), 0);
    CHECK_INT(tarry_timer_free(c.write_limit), 0);
    CHECK_INT(tarry_mailbox_free(c.data), 0);
}

/* Issues 11513, 14038, 37196: each reset names a later deadline than the one before; whoever begins
 * to receive after a reset has returned gets nothing older, and nothing twice. */
enum { READERS = 3 };
typedef struct stale_hunt {
    tarry_runtime *rt;
    tarry_timer *timer;
    unsigned resets;
    _Atomic int64_t floor;
    atomic_bool done;
    atomic_uint stale, received, ended;
} stale_hunt;

static void reset_ever_later(stale_hunt *s) {
    int64_t deadline = now_of(s->rt);
    for (unsigned i = 0; i < s->resets; ++i) {
        const int64_t now = now_of(s->rt);
        deadline = (now > deadline ? now : deadline) + 1;
        atomic_fetch_add(&s->ended, (unsigned)tarry_timer_reset_at(s->timer, deadline));
        atomic_store(&s->floor, deadline);
        while (i % 8 == 0 && now_of(s->rt) < deadline + 100) sched_yield();
    }
    atomic_store(&s->done, true);
}

static void receive_nothing_older(stale_hunt *s) {
    int64_t last = -1;
    while (!atomic_load(&s->done)) {
        const int64_t floor = atomic_load(&s->floor);
        const int64_t due = timer_due(s->timer);
        if (due == -EAGAIN) {
            sched_yield();
            continue;
        }
        atomic_fetch_add(&s->stale, due < floor || due <= last);
        atomic_fetch_add(&s->received, 1);
        last = due;
    }
}

static void part_in_hunt(unsigned index, void *argument) {
    if (index == 0)
        reset_ever_later(argument);
    else
        receive_nothing_older(argument);
}

RACE(no_value_from_before_a_reset_is_received_after_it, 1) {
    stale_hunt s = { .rt = rt, .resets = test_rounds(5000, 30000) };
    s.timer = timer_in(rt, 3600 * TARRY_SECOND);
    test_threads_run(1 + READERS, part_in_hunt, &s);
    CHECK_INT(s.stale, 0);
    CHECK_INT(s.received + s.ended + (unsigned)tarry_timer_stop(s.timer), 1 + s.resets);
    CHECK_INT(tarry_timer_free(s.timer), 0);
}

/* Of several that stop one timer, pending, firing or fired, exactly one is told 1. */
enum { STOPPERS = 4 };
typedef struct one_stop {
    tarry_timer *timer;
    pthread_barrier_t barrier;
    unsigned rounds;
    atomic_uint told_1, wrong;
} one_stop;

static void stop_together(unsigned index, void *argument) {
    one_stop *o = argument;
    for (unsigned i = 0; i < o->rounds; ++i) {
        if (index == 0) {
            atomic_fetch_add(&o->wrong, tarry_timer_reset(o->timer, i % 11) != 0);
            atomic_store(&o->told_1, 0);
        }
        pthread_barrier_wait(&o->barrier);
        atomic_fetch_add(&o->told_1, (unsigned)tarry_timer_stop(o->timer));
        pthread_barrier_wait(&o->barrier);
        if (index == 0) atomic_fetch_add(&o->wrong, atomic_load(&o->told_1) != 1);
    }
}

RACE(of_several_stops_one_is_told_so, 1) {
    one_stop o = { .timer = timer_in(rt, 0), .rounds = test_rounds(1500, 20000) };
    CHECK_INT(tarry_timer_stop(o.timer), 1);
    TEST_REQUIRE(pthread_barrier_init(&o.barrier, NULL, STOPPERS) == 0);
    test_threads_run(STOPPERS, stop_together, &o);
    pthread_barrier_destroy(&o.barrier);
    CHECK_INT(o.wrong, 0);
    CHECK_INT(tarry_timer_free(o.timer), 0);
}

TEST_SUITE("go_reset_races", 240, CASE(each_arming_is_received_or_ended_by_one_call),
           CASE(each_arming_runs_or_is_ended_by_one_call),
           CASE(deadlines_moved_under_a_transfer_are_seen_or_ended_once),
           CASE(no_value_from_before_a_reset_is_received_after_it),
           CASE(of_several_stops_one_is_told_so))
