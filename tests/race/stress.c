/* Shows: with threads arming, stopping, resetting, freeing, receiving and firing all at once, on
 * several buckets, each arming ends exactly once, as the results of the calls and the callbacks
 * say, and tarry_stats has counted the same. Real clock with delays of no more than a tick or so,
 * and a virtual clock that a thread moves all the time (support/virtual.h). */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, WORKERS = 3, SHARED = 24 };

/* What is known about the armings of one timer, from results and callbacks alone. */
typedef struct account {
    atomic_uint armed, stopped, ended; /* ended: its function ran, or its message was received */
} account;

static int64_t little(unsigned *seed) {
    return rand_r(seed) % 4 == 0 ? 0 : rand_r(seed) % 300;
}

static void note(account *a, int result) {
    TEST_REQUIRE(result == 0 || result == 1);
    if (result == 1) atomic_fetch_add(&a->stopped, 1);
}

static void ran(void *argument) {
    account *a = argument;
    atomic_fetch_add(&a->ended, 1);
}

/* Somebody reads the counters all the time: they may be torn over buckets, but must not be wild. */
static void read_stats(tarry_runtime *rt) {
    tarry_stats s = TARRY_STATS_INIT;
    TEST_REQUIRE(tarry_stats_read(&s, rt, TARRY_ALL_WORKERS) == 0);
    for (unsigned worker = 0; worker < WORKERS; ++worker) {
        TEST_REQUIRE(tarry_stats_read(&s, rt, worker) == 0);
        TEST_REQUIRE(s.armed == s.fired + s.stopped + s.pending); /* one bucket is one snapshot */
    }
}

/* The sum of all accounts is what the runtime has counted. */
static void check_books(tarry_runtime *rt, const account *accounts, unsigned count) {
    uint64_t armed = 0, stopped = 0, ended = 0;
    for (unsigned i = 0; i < count; ++i) {
        const account *a = &accounts[i];
        CHECK_INT(a->armed, a->stopped + a->ended);
        armed += a->armed;
        stopped += a->stopped;
        ended += a->ended;
    }
    tarry_stats s = TARRY_STATS_INIT;
    CHECK_INT(tarry_stats_read(&s, rt, TARRY_ALL_WORKERS), 0);
    CHECK_INT(s.armed, armed);
    CHECK_INT(s.fired, ended);
    CHECK_INT(s.stopped, stopped);
    CHECK_INT(s.pending, 0);
    CHECK(ended > 0 && stopped > 0); /* both sides were seen */
}

/* On a busy machine four threads that arm and stop can keep everything from firing. So they all
 * stand still now and then, until one timer that the first thread has armed has fired. */
enum { CALLS_BETWEEN_PAUSES = 1500 };

static pthread_barrier_t pause_barrier;

static bool pause_begins(unsigned index, unsigned call) {
    if (call % CALLS_BETWEEN_PAUSES != CALLS_BETWEEN_PAUSES - 1) return false;
    pthread_barrier_wait(&pause_barrier);
    return index == 0;
}

static void pause_ends(unsigned call) {
    if (call % CALLS_BETWEEN_PAUSES == CALLS_BETWEEN_PAUSES - 1)
        pthread_barrier_wait(&pause_barrier);
}

static void wait_until_grown(const atomic_uint *count, unsigned seen) {
    while (atomic_load(count) == seen) sched_yield();
}

static void run_with_pauses(void (*run)(unsigned index, void *argument), void *argument) {
    TEST_REQUIRE(pthread_barrier_init(&pause_barrier, NULL, THREADS) == 0);
    test_threads_run(THREADS, run, argument);
    pthread_barrier_destroy(&pause_barrier);
}

/* Timers that all threads use: half of them with a function, half with a mailbox. */
typedef struct shared_timers {
    tarry_runtime *rt;
    tarry_timer *timers[SHARED];
    account accounts[SHARED];
    unsigned rounds;
} shared_timers;

static void receive(tarry_timer *timer, account *a, int64_t deadline) {
    tarry_message message;
    tarry_mailbox *mailbox = tarry_timer_mailbox(timer);
    const int result = tarry_mailbox_recv_until(&message, mailbox, deadline);
    TEST_REQUIRE(result == 0 || result == -ETIMEDOUT);
    if (result != 0) return;
    TEST_REQUIRE(message.sent_ns >= message.due_ns);
    atomic_fetch_add(&a->ended, 1);
}

static void fire_one_timer(shared_timers *s) {
    account *a = &s->accounts[0];
    const unsigned seen = a->ended;
    atomic_fetch_add(&a->armed, 1);
    note(a, tarry_timer_reset(s->timers[0], 0));
    wait_until_grown(&a->ended, seen);
}

static void use_shared(unsigned index, void *argument) {
    shared_timers *s = argument;
    unsigned seed = 1000 + index;
    for (unsigned i = 0; i < s->rounds; ++i) {
        if (pause_begins(index, i)) fire_one_timer(s);
        pause_ends(i);
        const unsigned which = (unsigned)rand_r(&seed) % SHARED;
        tarry_timer *timer = s->timers[which];
        account *a = &s->accounts[which];
        switch (rand_r(&seed) % 8) {
        case 0: note(a, tarry_timer_stop(timer)); break;
        case 1: note(a, tarry_timer_stop_wait(timer)); break;
        case 2:
        case 3:
            if (which % 2) receive(timer, a, now_of(s->rt) + little(&seed));
            break;
        case 4: if (i % 16 == 0) read_stats(s->rt); break;
        case 5: if (i % 8 == 0) sched_yield(); break;
        default:
            atomic_fetch_add(&a->armed, 1);
            note(a, tarry_timer_reset(timer, little(&seed)));
            break;
        }
    }
}

RACE(each_arming_of_a_timer_that_all_threads_use_ends_once, WORKERS) {
    static shared_timers s;
    memset(&s, 0, sizeof s);
    s.rt = rt;
    s.rounds = test_rounds(6000, 100000);
    for (unsigned i = 0; i < SHARED; ++i) {
        CHECK_INT(tarry_bind(rt, i % WORKERS), 0);
        s.timers[i] = i % 2 ? timer_in(rt, 0) : func_in(rt, 0, ran, &s.accounts[i]);
        s.accounts[i].armed = 1;
    }
    run_with_pauses(use_shared, &s);
    for (unsigned i = 0; i < SHARED; ++i) {
        note(&s.accounts[i], tarry_timer_stop_wait(s.timers[i]));
        CHECK_INT(tarry_timer_free(s.timers[i]), 0);
    }
    check_books(rt, s.accounts, SHARED);
}

/* Handles that any thread may free at any time; the others then find them stale. A cell holds the
 * number of the handle that is in it now; a handle is written before its number is shown. */
enum { CELLS = 16, HANDLES = 20000 };

typedef struct shared_handles {
    tarry_runtime *rt;
    tarry_handle handles[HANDLES];
    account accounts[HANDLES];
    atomic_uint made;
    atomic_uint cells[CELLS];
    unsigned rounds;
} shared_handles;

/* Returns the number, or UINT32_MAX where the table is full. */
static unsigned make_handle(shared_handles *s, unsigned worker) {
    if (atomic_load(&s->made) >= HANDLES) return UINT32_MAX;
    const unsigned number = atomic_fetch_add(&s->made, 1);
    if (number >= HANDLES) return UINT32_MAX;
    TEST_REQUIRE(tarry_handle_new(&s->handles[number], s->rt, worker, ran,
                                  &s->accounts[number]) == 0);
    return number;
}

/* What a call on a handle found; a stale one has done nothing. */
static void note_found(account *a, int found, bool arms) {
    TEST_REQUIRE(found >= TARRY_IDLE || found == -ESTALE);
    if (found == TARRY_STOPPED) atomic_fetch_add(&a->stopped, 1);
    if (arms && found >= 0) atomic_fetch_add(&a->armed, 1);
}

static void replace(shared_handles *s, atomic_uint *cell, unsigned worker) {
    const unsigned fresh = make_handle(s, worker);
    if (fresh == UINT32_MAX) return;
    const unsigned old = atomic_exchange(cell, fresh);
    const int found = tarry_handle_free(s->rt, s->handles[old]);
    TEST_REQUIRE(found >= 0); /* it was ours to free */
    note_found(&s->accounts[old], found, false);
    TEST_REQUIRE(tarry_disarm(s->rt, s->handles[old]) == -ESTALE);
}

static void fire_one_handle(shared_handles *s) {
    const unsigned number = atomic_load(&s->cells[0]);
    account *a = &s->accounts[number];
    const unsigned seen = a->ended;
    note_found(a, tarry_rearm(s->rt, s->handles[number], 0), true);
    wait_until_grown(&a->ended, seen);
}

static void use_handles(unsigned index, void *argument) {
    shared_handles *s = argument;
    unsigned seed = 2000 + index;
    for (unsigned i = 0; i < s->rounds; ++i) {
        if (pause_begins(index, i)) fire_one_handle(s);
        pause_ends(i);
        atomic_uint *cell = &s->cells[rand_r(&seed) % CELLS];
        const unsigned number = atomic_load(cell);
        const tarry_handle handle = s->handles[number];
        account *a = &s->accounts[number];
        switch (rand_r(&seed) % 8) {
        case 0:
        case 1: note_found(a, tarry_disarm(s->rt, handle), false); break;
        case 2: replace(s, cell, (unsigned)rand_r(&seed) % WORKERS); break;
        case 3: if (i % 16 == 0) read_stats(s->rt); break;
        default: note_found(a, tarry_rearm(s->rt, handle, little(&seed)), true); break;
        }
    }
}

/* A function that began before its handle was freed may still run. */
static void wait_until_nothing_runs(tarry_runtime *rt) {
    tarry_stats s = TARRY_STATS_INIT;
    do TEST_REQUIRE(tarry_stats_read(&s, rt, TARRY_ALL_WORKERS) == 0);
    while (s.running != 0 || s.pending != 0);
}

RACE(each_arming_of_a_handle_that_any_thread_may_free_ends_once, WORKERS) {
    static shared_handles s;
    memset(&s, 0, sizeof s);
    s.rt = rt;
    s.rounds = test_rounds(8000, 30000);
    for (unsigned i = 0; i < CELLS; ++i) s.cells[i] = make_handle(&s, i % WORKERS);
    run_with_pauses(use_handles, &s);
    for (unsigned i = 0; i < CELLS; ++i) {
        const unsigned number = s.cells[i];
        note_found(&s.accounts[number], tarry_handle_free(rt, s.handles[number]), false);
    }
    wait_until_nothing_runs(rt);
    const unsigned made = s.made < HANDLES ? s.made : HANDLES;
    CHECK(made > 2 * CELLS); /* some were replaced */
    check_books(rt, s.accounts, made);
}

/* Timers that one thread makes and frees in any state, and that arm, stop and free themselves in
 * their function; each with an account that outlives it. */
enum { OWNED = 4000 };

typedef struct owned {
    account account;
    tarry_timer *timer;
    atomic_bool ready; /* the maker has stored the timer, and leaves it to the function */
    unsigned seed;
    bool frees_itself;
} owned;

typedef struct owners {
    tarry_runtime *rt;
    owned (*all)[OWNED];
    unsigned rounds;
} owners;

static void act_on_itself(void *argument) {
    owned *o = argument;
    atomic_fetch_add(&o->account.ended, 1);
    if (!o->frees_itself) return;
    while (!atomic_load(&o->ready)) sched_yield();
    if (rand_r(&o->seed) % 3 != 0) {
        atomic_fetch_add(&o->account.armed, 1);
        note(&o->account, tarry_timer_reset(o->timer, little(&o->seed)));
        if (rand_r(&o->seed) % 3 != 0) return;
        note(&o->account, tarry_timer_stop(o->timer));
    }
    TEST_REQUIRE(tarry_timer_stop_wait(o->timer) == -EDEADLK);
    TEST_REQUIRE(tarry_timer_free(o->timer) == 0);
}

static void make_and_free(unsigned index, void *argument) {
    const owners *s = argument;
    unsigned seed = 3000 + index;
    TEST_REQUIRE(tarry_bind(s->rt, index % WORKERS) == 0);
    for (unsigned i = 0; i < s->rounds; ++i) {
        owned *o = &s->all[index][i];
        o->seed = (unsigned)rand_r(&seed);
        o->frees_itself = i % 3 == 0;
        o->account.armed = 1;
        o->timer = func_in(s->rt, little(&seed), act_on_itself, o);
        atomic_store(&o->ready, true);
        if (o->frees_itself) continue;
        if (rand_r(&seed) % 2) {
            atomic_fetch_add(&o->account.armed, 1);
            note(&o->account, tarry_timer_reset(o->timer, little(&seed)));
        }
        if (rand_r(&seed) % 2) sched_yield();
        note(&o->account, tarry_timer_shutdown(o->timer));
        if (rand_r(&seed) % 2) note(&o->account, tarry_timer_stop_wait(o->timer));
        TEST_REQUIRE(tarry_timer_reset(o->timer, 0) == -ESHUTDOWN);
        TEST_REQUIRE(tarry_timer_free(o->timer) == 0);
    }
}

RACE(each_arming_of_a_timer_that_is_freed_in_any_state_ends_once, WORKERS) {
    static owned all[THREADS][OWNED];
    memset(all, 0, sizeof all);
    owners s = { .rt = rt, .all = all, .rounds = test_rounds(OWNED / 4, OWNED) };
    test_threads_run(THREADS, make_and_free, &s);
    wait_until_nothing_runs(rt);
    static account accounts[THREADS * OWNED];
    unsigned count = 0;
    for (unsigned i = 0; i < THREADS; ++i)
        for (unsigned j = 0; j < s.rounds; ++j)
            memcpy(&accounts[count++], &all[i][j].account, sizeof(account));
    check_books(rt, accounts, count);
}

/* Tickers that all threads reset, stop and receive from: each still ticks when it is reset at last,
 * and nothing comes after its last stop. */
typedef struct shared_tickers {
    tarry_runtime *rt;
    tarry_ticker *tickers[4];
    unsigned rounds;
} shared_tickers;

static void use_tickers(unsigned index, void *argument) {
    shared_tickers *s = argument;
    unsigned seed = 4000 + index;
    for (unsigned i = 0; i < s->rounds; ++i) {
        tarry_ticker *ticker = s->tickers[rand_r(&seed) % 4];
        tarry_message message;
        switch (rand_r(&seed) % 4) {
        case 0: TEST_REQUIRE(tarry_ticker_stop(ticker) >= 0); break;
        case 1: TEST_REQUIRE(tarry_ticker_reset(ticker, 1 + little(&seed)) >= 0); break;
        default:
            if (tarry_mailbox_recv_until(&message, tarry_ticker_mailbox(ticker),
                                         now_of(s->rt) + little(&seed)) != 0)
                break;
            TEST_REQUIRE(message.sent_ns >= message.due_ns);
            break;
        }
    }
}

RACE(a_ticker_that_all_threads_use_is_silent_after_its_last_stop, WORKERS) {
    shared_tickers s = { .rt = rt, .rounds = test_rounds(4000, 50000) };
    for (unsigned i = 0; i < 4; ++i) {
        CHECK_INT(tarry_bind(rt, i % WORKERS), 0);
        s.tickers[i] = ticker_of(rt, 1 + i);
    }
    test_threads_run(THREADS, use_tickers, &s);
    for (unsigned i = 0; i < 4; ++i) {
        tarry_message message;
        CHECK(tarry_ticker_reset(s.tickers[i], 1) >= 0);
        CHECK_INT(tarry_mailbox_recv(&message, tarry_ticker_mailbox(s.tickers[i])), 0);
        CHECK_INT(tarry_ticker_stop(s.tickers[i]), 1);
        CHECK_INT(ticker_due(s.tickers[i]), -EAGAIN);
        CHECK_INT(tarry_ticker_stop(s.tickers[i]), 0);
        CHECK_INT(tarry_ticker_free(s.tickers[i]), 0);
    }
}

TEST_SUITE("stress", 240, CASE(each_arming_of_a_timer_that_all_threads_use_ends_once),
           CASE(each_arming_of_a_handle_that_any_thread_may_free_ends_once),
           CASE(each_arming_of_a_timer_that_is_freed_in_any_state_ends_once),
           CASE(a_ticker_that_all_threads_use_is_silent_after_its_last_stop))
