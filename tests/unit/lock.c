/* Shows: one at a time is in the lock; a sleeper whose mark was missed gets in all the same; giving
 * back a marked lock clears the mark; a lock that is off keeps nobody out; locks that are taken
 * against the order end the program. tests/model/lock.pml shows the same over every interleaving. */
#include "check.h"
#include "child.h"
#include "suite.h"
#include "system/lock.h"
#include "threads.h"

#include <signal.h>
#include <sys/resource.h>

enum { CROWD = 8 };

static uint32_t taken_of(tri_lock *lock) {
    return atomic_load(&lock->taken);
}

static uint32_t waited_of(tri_lock *lock) {
    return atomic_load(&lock->waited);
}

typedef struct guarded {
    tri_lock lock;
    uint64_t rounds, turns; /* turns: plain, so that the thread sanitizer watches it too */
} guarded;

static void take_turns(unsigned index, void *argument) {
    guarded *g = argument;
    (void)index;
    for (uint64_t i = 0; i < g->rounds; ++i) {
        tri_lock_take(&g->lock);
        ++g->turns;
        tri_lock_drop(&g->lock);
    }
}

static void one_at_a_time(void) {
    guarded g = { .rounds = test_rounds(20000, 1000000) };
    tri_lock_init(&g.lock, TRI_RANK_BUCKET, false);
    test_threads_run(CROWD, take_turns, &g);
    CHECK_INT(g.turns, g.rounds * CROWD);
    CHECK_INT(taken_of(&g.lock), 0);
}

static void take_one_turn(void *argument) {
    take_turns(0, argument);
}

/* What a giver does whose look at the mark came too early: the store, and nothing else. */
static void missed_mark_costs_a_nap(void) {
    guarded g = { .rounds = 1 };
    test_thread taker;
    tri_lock_init(&g.lock, TRI_RANK_BUCKET, false);
    tri_lock_take(&g.lock);
    test_thread_start(&taker, take_one_turn, &g);
    CHECK(test_thread_blocked(&taker));
    CHECK_INT(waited_of(&g.lock), 1);
    tri_rank_pop(TRI_RANK_BUCKET);
    atomic_store_explicit(&g.lock.taken, 0, memory_order_release);
    test_thread_join(&taker);
    CHECK_INT(g.turns, 1);
}

static void sleepers_are_let_in_one_by_one(void) {
    guarded g = { .rounds = 1 };
    test_thread takers[CROWD];
    tri_lock_init(&g.lock, TRI_RANK_BUCKET, false);
    tri_lock_take(&g.lock);
    for (int i = 0; i < CROWD; ++i) test_thread_start(&takers[i], take_one_turn, &g);
    for (int i = 0; i < CROWD; ++i) CHECK(test_thread_blocked(&takers[i]));
    CHECK_INT(g.turns, 0);
    tri_lock_drop(&g.lock);
    for (int i = 0; i < CROWD; ++i) test_thread_join(&takers[i]);
    CHECK_INT(g.turns, CROWD);
    CHECK_INT(taken_of(&g.lock), 0);
}

static void giving_back_clears_the_mark(void) {
    tri_lock lock = TRI_LOCK_INITIALIZER(TRI_RANK_BUCKET);
    tri_lock_take(&lock);
    atomic_store(&lock.waited, 1);
    tri_lock_drop(&lock);
    CHECK_INT(taken_of(&lock), 0);
    CHECK_INT(waited_of(&lock), 0);
    tri_lock_take(&lock);
    CHECK_INT(taken_of(&lock), 1);
    tri_lock_drop(&lock);
}

static void off_keeps_nobody_out(void) {
    tri_lock lock;
    tri_lock_init(&lock, TRI_RANK_BUCKET, true);
    atomic_store(&lock.taken, 1); /* one that is on would wait for ever here */
    tri_lock_take(&lock);
    CHECK_INT(taken_of(&lock), 1);
    tri_lock_drop(&lock);
}

static void take_downwards(void *argument) {
    tri_lock low = TRI_LOCK_INITIALIZER(TRI_RANK_BUCKET);
    tri_lock high = TRI_LOCK_INITIALIZER(TRI_RANK_MAILBOX);
    const bool upwards = *(const bool *)argument;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    tri_lock_take(upwards ? &low : &high);
    tri_lock_take(upwards ? &high : &low);
    tri_lock_drop(&low);
    tri_lock_drop(&high);
}

static void take_twice(void *argument) {
    tri_lock one = TRI_LOCK_INITIALIZER(TRI_RANK_BUCKET);
    tri_lock other = TRI_LOCK_INITIALIZER(TRI_RANK_BUCKET);
    (void)argument;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    tri_lock_take(&one);
    tri_lock_take(&other);
}

static void a_breach_of_the_order_ends_the_program(void) {
    bool upwards = true;
    CHECK_INT(test_in_child(take_downwards, &upwards), 0);
    upwards = false;
    CHECK_INT(test_in_child(take_downwards, &upwards), -SIGABRT);
    CHECK_INT(test_in_child(take_twice, NULL), -SIGABRT);
}

TEST_SUITE("lock", 120,
           { "one_at_a_time", one_at_a_time },
           { "missed_mark_costs_a_nap", missed_mark_costs_a_nap },
           { "sleepers_are_let_in_one_by_one", sleepers_are_let_in_one_by_one },
           { "giving_back_clears_the_mark", giving_back_clears_the_mark },
           { "off_keeps_nobody_out", off_keeps_nobody_out },
           { "a_breach_of_the_order_ends_the_program", a_breach_of_the_order_ends_the_program })
