/* Shows: a fork while other threads are in the middle of anything, with any lock of the runtime
 * held, leaves a child in which no call hangs: all answer ECHILD, destroy and free work, a new
 * runtime works. The parent does not notice. */
#include "child.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <stdlib.h>

enum { THREADS = 3, TIMERS = 8 };

typedef struct load {
    rig *r;
    tarry_timer *timers[TIMERS];
    tarry_mailbox *mailbox;
    atomic_bool stop;
    atomic_uint ran;
} load;

static void hammer(void *argument) {
    load *l = argument;
    unsigned seed = 43;
    while (!atomic_load(&l->stop)) {
        tarry_timer *timer = l->timers[rand_r(&seed) % TIMERS];
        TEST_REQUIRE(tarry_timer_reset(timer, rand_r(&seed) % 3) >= 0);
        TEST_REQUIRE(tarry_timer_stop(timer) >= 0);
        (void)tarry_mailbox_try_send(l->mailbox, l);
        (void)take_due(l->mailbox);
        TEST_REQUIRE(tarry_timer_free(timer_in(l->r->rt, rand_r(&seed) % 5)) == 0);
    }
}

static void use_and_leave(void *argument) {
    load *l = argument;
    tarry_runtime *rt = NULL;
    tarry_message message;
    TEST_REQUIRE(tarry_timer_reset(l->timers[0], 0) == -ECHILD);
    TEST_REQUIRE(tarry_timer_stop_wait(l->timers[1]) == -ECHILD);
    TEST_REQUIRE(tarry_mailbox_try_recv(&message, l->mailbox) == -ECHILD);
    TEST_REQUIRE(tarry_timer_new(&l->timers[0], l->r->rt, 0) == -ECHILD);
    TEST_REQUIRE(tarry_timer_free(l->timers[2]) == -ECHILD); /* not before the runtime's end */
    TEST_REQUIRE(tarry_destroy(l->r->rt) == 0);
    for (int i = 0; i < TIMERS; ++i) TEST_REQUIRE(tarry_timer_free(l->timers[i]) == 0);
    TEST_REQUIRE(tarry_mailbox_free(l->mailbox) == 0);
    const tarry_options options = { .size = sizeof options, .workers = 1,
                                    .by_hand = !test_child_may_start_threads() };
    TEST_REQUIRE(tarry_create(&rt, &options) == 0);
    tarry_timer *timer = timer_in(rt, 1);
    if (options.by_hand) TEST_REQUIRE(tarry_run_expired(rt, 0, TARRY_FOREVER - 2, 0) == 1);
    TEST_REQUIRE(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)) == 0);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    TEST_REQUIRE(tarry_destroy(rt) == 0);
}

/* The clock is real here, so that timers fire all the time. */
THREADED(a_fork_under_load_leaves_a_child_that_works) {
    /* The load allocates, even where the runtime would not: its checks do. */
    if (!test_others_may_allocate_at_fork()) return;
    load l = { .r = r };
    rig_use_real_clock(r, 1, TARRY_CALLBACKS_THREADS);
    for (int i = 0; i < TIMERS; ++i) l.timers[i] = func_in(r->rt, 1, count_run, &l.ran);
    l.mailbox = mailbox_in(r->rt);
    test_thread threads[THREADS];
    for (int i = 0; i < THREADS; ++i) test_thread_start(&threads[i], hammer, &l);
    const unsigned forks = test_rounds(20, 200);
    for (unsigned i = 0; i < forks; ++i)
        if (!CHECK_INT(test_in_child(use_and_leave, &l), 0)) break;
    atomic_store(&l.stop, true);
    for (int i = 0; i < THREADS; ++i) test_thread_join(&threads[i]);
    for (int i = 0; i < TIMERS; ++i) {
        CHECK(tarry_timer_stop_wait(l.timers[i]) >= 0);
        CHECK_INT(tarry_timer_free(l.timers[i]), 0);
    }
    CHECK_INT(tarry_mailbox_free(l.mailbox), 0);
}

/* No luck needed: an allocator may be asked with the bucket's lock held, and this one stands still
 * then, until the fork is over. */
typedef struct gate {
    tarry_allocator table;
    counting *below;
    atomic_bool closed;
    test_count waiting, open;
} gate;

static void *gate_allocate(void *context, size_t size, size_t alignment) {
    gate *g = context;
    if (atomic_exchange(&g->closed, false)) {
        test_count_add(&g->waiting);
        test_count_await(&g->open, 1);
    }
    return g->below->table.allocate(g->below, size, alignment);
}

static void gate_release(void *context, void *memory, size_t size, size_t alignment) {
    gate *g = context;
    g->below->table.release(g->below, memory, size, alignment);
}

static void make_one(void *argument) {
    load *l = argument;
    l->timers[TIMERS - 1] = timer_in(l->r->rt, TARRY_SECOND);
}

static void fork_with_a_lock_held(rig *r, gate *g) {
    load l = { .r = r };
    test_thread thread;
    for (int i = 0; i < TIMERS; ++i) l.timers[i] = timer_in(r->rt, TARRY_SECOND);
    l.mailbox = mailbox_in(r->rt);
    tarry_timer *last = l.timers[TIMERS - 1];
    atomic_store(&g->closed, true);
    test_thread_start(&thread, make_one, &l);
    test_count_await(&g->waiting, 1);
    CHECK_INT(test_in_child(use_and_leave, &l), 0);
    test_count_add(&g->open);
    test_thread_join(&thread);
    for (int i = 0; i < TIMERS; ++i) CHECK_INT(tarry_timer_free(l.timers[i]), 0);
    CHECK_INT(tarry_timer_free(last), 0);
    CHECK_INT(tarry_mailbox_free(l.mailbox), 0);
}

ON_EACH_RIG(a_fork_with_the_buckets_lock_held_leaves_a_child_that_works) {
    gate g = { .below = &r->memory, .waiting = TEST_COUNT_INIT, .open = TEST_COUNT_INIT };
    g.table = (tarry_allocator){ gate_allocate, gate_release, &g };
    rig_destroy(r);
    const tarry_options options = { .size = sizeof options, .backend = r->backend,
                                    .tick_ns = r->tick, .workers = 1, .by_hand = r->by_hand,
                                    .clock = TARRY_CLOCK_VIRTUAL, .allocator = &g.table };
    TEST_REQUIRE(tarry_create(&r->rt, &options) == 0);
    fork_with_a_lock_held(r, &g);
    rig_balances(r);
    rig_destroy(r); /* before its allocator goes */
}

TEST_SUITE("fork_under_load", 240, CASE(a_fork_under_load_leaves_a_child_that_works),
           CASE(a_fork_with_the_buckets_lock_held_leaves_a_child_that_works))
