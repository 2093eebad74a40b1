/* Shows: in the child of a fork the runtime answers ECHILD until it is destroyed there; nothing
 * hangs; a new runtime works in the child, and the old one goes on in the parent. */
#include "child.h"
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <unistd.h>

/* One of each, made before the fork. */
typedef struct estate {
    rig *r;
    tarry_timer *timer, *func;
    tarry_ticker *ticker;
    tarry_mailbox *full, *empty;
    tarry_handle handle;
    shot fired;
} estate;

static void make_estate(estate *e, rig *r) {
    *e = (estate){ .r = r, .fired.r = r };
    e->timer = timer_in(r->rt, TARRY_SECOND);
    e->func = func_in(r->rt, TARRY_SECOND, shot_run, &e->fired);
    e->ticker = ticker_of(r->rt, TARRY_SECOND);
    e->full = mailbox_in(r->rt);
    e->empty = mailbox_in(r->rt);
    CHECK_INT(tarry_mailbox_try_send(e->full, r), 0);
    CHECK_INT(tarry_handle_new(&e->handle, r->rt, 0, shot_run, &e->fired), 0);
    CHECK_INT(tarry_arm(r->rt, e->handle, TARRY_SECOND), 0);
}

static void free_estate(estate *e) {
    CHECK_INT(tarry_timer_free(e->timer), 0);
    CHECK_INT(tarry_timer_free(e->func), 0);
    CHECK_INT(tarry_ticker_free(e->ticker), 0);
    CHECK_INT(tarry_mailbox_free(e->full), 0);
    CHECK_INT(tarry_mailbox_free(e->empty), 0);
    CHECK(tarry_handle_free(e->r->rt, e->handle) >= 0);
}

#define REQUIRE_ECHILD(call) TEST_REQUIRE((call) == -ECHILD)

static void runtime_calls_answer_ECHILD(tarry_runtime *rt) {
    tarry_timer *timer = NULL;
    tarry_ticker *ticker = NULL;
    tarry_mailbox *mailbox = NULL;
    tarry_handle handle = { 0 };
    tarry_stats stats = TARRY_STATS_INIT;
    int64_t point = 0;
    REQUIRE_ECHILD(tarry_timer_new(&timer, rt, 0));
    REQUIRE_ECHILD(tarry_timer_new_at(&timer, rt, 0));
    REQUIRE_ECHILD(tarry_after_func(&timer, rt, 0, shot_run, NULL));
    REQUIRE_ECHILD(tarry_after_func_at(&timer, rt, 0, shot_run, NULL));
    REQUIRE_ECHILD(tarry_ticker_new(&ticker, rt, 1));
    REQUIRE_ECHILD(tarry_mailbox_new(&mailbox, rt));
    REQUIRE_ECHILD(tarry_handle_new(&handle, rt, 0, shot_run, NULL));
    REQUIRE_ECHILD(tarry_bind(rt, 0));
    REQUIRE_ECHILD(tarry_workers(rt));
    REQUIRE_ECHILD(tarry_now(&point, rt));
    REQUIRE_ECHILD(tarry_advance(rt, 2000000000000));
    REQUIRE_ECHILD(tarry_stats_read(&stats, rt, TARRY_ALL_WORKERS));
    REQUIRE_ECHILD(tarry_sleep(rt, 1));
    REQUIRE_ECHILD(tarry_sleep_until(rt, 1));
    REQUIRE_ECHILD(tarry_next_deadline(&point, rt, 0));
    REQUIRE_ECHILD(tarry_run_expired(rt, 0, 2000000000000, 0));
    TEST_REQUIRE(timer == NULL && ticker == NULL && mailbox == NULL && point == 0);
}

static void object_calls_answer_ECHILD(estate *e) {
    tarry_runtime *rt = e->r->rt;
    tarry_message message = { 0 };
    int64_t left = 0;
    uint64_t count = 0;
    size_t chosen = 0;
    tarry_case one = { .mailbox = e->full, .op = TARRY_RECV };
    REQUIRE_ECHILD(tarry_timer_stop(e->timer));
    REQUIRE_ECHILD(tarry_timer_stop_wait(e->func));
    REQUIRE_ECHILD(tarry_timer_shutdown(e->func));
    REQUIRE_ECHILD(tarry_timer_reset(e->timer, 0));
    REQUIRE_ECHILD(tarry_timer_reset_at(e->timer, 0));
    REQUIRE_ECHILD(tarry_timer_remaining(&left, e->timer));
    REQUIRE_ECHILD(tarry_ticker_stop(e->ticker));
    REQUIRE_ECHILD(tarry_ticker_reset(e->ticker, 1));
    REQUIRE_ECHILD(tarry_arm(rt, e->handle, 0));
    REQUIRE_ECHILD(tarry_arm_at(rt, e->handle, 0));
    REQUIRE_ECHILD(tarry_rearm(rt, e->handle, 0));
    REQUIRE_ECHILD(tarry_rearm_at(rt, e->handle, 0));
    REQUIRE_ECHILD(tarry_disarm(rt, e->handle));
    REQUIRE_ECHILD(tarry_mailbox_try_recv(&message, tarry_timer_mailbox(e->timer)));
    REQUIRE_ECHILD(tarry_mailbox_recv(&message, e->empty));
    REQUIRE_ECHILD(tarry_mailbox_recv_until(&message, e->full, TARRY_FOREVER));
    REQUIRE_ECHILD(tarry_mailbox_send(e->full, NULL));
    REQUIRE_ECHILD(tarry_mailbox_try_send(e->empty, NULL));
    REQUIRE_ECHILD(tarry_mailbox_close(e->empty));
    REQUIRE_ECHILD(tarry_select(&chosen, &one, 1, TARRY_FOREVER));
    REQUIRE_ECHILD(tarry_ticker_dropped(&count, e->ticker));
    REQUIRE_ECHILD(tarry_timer_free(e->timer));
    REQUIRE_ECHILD(tarry_ticker_free(e->ticker));
    REQUIRE_ECHILD(tarry_mailbox_free(e->full));
    REQUIRE_ECHILD(tarry_handle_free(rt, e->handle));
}

static void child_asks_everything(void *argument) {
    estate *e = argument;
    runtime_calls_answer_ECHILD(e->r->rt);
    object_calls_answer_ECHILD(e);
}

/* The parent's timers are the parent's: all go on as if nothing had been. */
static void check_parent(estate *e) {
    rig_settle(e->r, TARRY_SECOND);
    CHECK_INT(e->fired.runs, 2);
    CHECK(timer_due(e->timer) > 0);
    CHECK(ticker_due(e->ticker) > 0);
    CHECK(take_due(e->full) > 0);
    free_estate(e);
}

ON_EACH_RIG(every_call_answers_ECHILD_in_the_child) {
    estate e;
    make_estate(&e, r);
    CHECK_INT(test_in_child(child_asks_everything, &e), 0);
    check_parent(&e);
}

/* A runtime of each drive, from nothing to nothing. */
static void use_a_new_runtime(void) {
    for (unsigned by_hand = !test_child_may_start_threads(); by_hand <= 1; ++by_hand) {
        tarry_runtime *rt = NULL;
        const tarry_options options = { .size = sizeof options, .workers = 2, .by_hand = by_hand,
                                        .clock = TARRY_CLOCK_VIRTUAL };
        TEST_REQUIRE(tarry_create(&rt, &options) == 0);
        tarry_timer *timer = timer_in(rt, TARRY_SECOND);
        tarry_message message;
        TEST_REQUIRE(tarry_advance(rt, TARRY_SECOND) == 0);
        if (by_hand)
            for (unsigned worker = 0; worker < 2; ++worker)
                TEST_REQUIRE(tarry_run_expired(rt, worker, TARRY_SECOND, 0) >= 0);
        TEST_REQUIRE(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)) == 0);
        TEST_REQUIRE(tarry_timer_free(timer) == 0);
        TEST_REQUIRE(tarry_destroy(rt) == 0);
    }
}

static void child_destroys_and_makes_anew(void *argument) {
    estate *e = argument;
    tarry_runtime *rt = e->r->rt;
    use_a_new_runtime(); /* the old one is not in its way */
    TEST_REQUIRE(tarry_destroy(rt) == 0);
    TEST_REQUIRE(tarry_destroy(rt) == -ESHUTDOWN);
    TEST_REQUIRE(tarry_timer_stop(e->timer) == -ESHUTDOWN);
    TEST_REQUIRE(tarry_timer_free(e->timer) == 0);
    TEST_REQUIRE(tarry_timer_free(e->func) == 0);
    TEST_REQUIRE(tarry_ticker_free(e->ticker) == 0);
    TEST_REQUIRE(tarry_mailbox_free(e->full) == 0);
    TEST_REQUIRE(tarry_mailbox_free(e->empty) == 0);
    use_a_new_runtime();
    TEST_REQUIRE(e->fired.runs == 0);
}

ON_EACH_RIG(the_child_may_destroy_it_and_make_a_new_one) {
    estate e;
    make_estate(&e, r);
    CHECK_INT(test_in_child(child_destroys_and_makes_anew, &e), 0);
    check_parent(&e);
}

/* From a callback: the child's only thread is in the middle of a run that never ends there. */
typedef struct forker {
    rig *r;
    atomic_int runs, status;
} forker;

static void child_in_a_callback(void *argument) {
    forker *f = argument;
    int64_t now;
    REQUIRE_ECHILD(tarry_now(&now, f->r->rt));
    TEST_REQUIRE(tarry_destroy(f->r->rt) == 0);
    use_a_new_runtime();
}

static void fork_in_a_callback(void *argument) {
    forker *f = argument;
    f->status = test_in_child(child_in_a_callback, f);
    ++f->runs;
}

ON_EACH_RIG(a_callback_may_fork) {
    forker f = { .r = r };
    tarry_timer *timer = func_in(r->rt, TARRY_SECOND, fork_in_a_callback, &f);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(f.runs, 1);
    CHECK_INT(f.status, 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

static void grandchild(void *argument) {
    tarry_runtime *const *runtimes = argument;
    int64_t now;
    for (int i = 0; i < 2; ++i) REQUIRE_ECHILD(tarry_now(&now, runtimes[i]));
    for (int i = 0; i < 2; ++i) TEST_REQUIRE(tarry_destroy(runtimes[i]) == 0);
    use_a_new_runtime();
}

static void child_with_a_child(void *argument) {
    tarry_runtime *runtimes[2] = { argument, NULL };
    const tarry_options by_hand = { .size = sizeof by_hand, .workers = 1, .by_hand = 1 };
    TEST_REQUIRE(tarry_create(&runtimes[1], &by_hand) == 0);
    tarry_timer *timer = timer_in(runtimes[1], 0);
    TEST_REQUIRE(test_in_child(grandchild, runtimes) == 0);
    TEST_REQUIRE(tarry_run_expired(runtimes[1], 0, TARRY_FOREVER - 2, 0) == 1);
    TEST_REQUIRE(timer_due(timer) > 0);
    TEST_REQUIRE(tarry_timer_free(timer) == 0);
    TEST_REQUIRE(tarry_destroy(runtimes[1]) == 0);
}

ON_EACH_RIG(a_child_may_fork_again) {
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    CHECK_INT(test_in_child(child_with_a_child, r->rt), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK(timer_due(timer) > 0);
    CHECK_INT(tarry_timer_free(timer), 0);
}

static void child_of_the_default(void *argument) {
    int64_t now;
    TEST_REQUIRE(tarry_default() == argument);
    REQUIRE_ECHILD(tarry_now(&now, tarry_default()));
    TEST_REQUIRE(tarry_destroy(tarry_default()) == 0);
    TEST_REQUIRE(tarry_now(&now, tarry_default()) == 0);
    if (test_child_may_start_threads()) TEST_REQUIRE(tarry_sleep(tarry_default(), 1) == 0);
    TEST_REQUIRE(tarry_destroy(tarry_default()) == 0);
}

static void the_default_runtime_can_be_made_anew_in_the_child(void) {
    tarry_runtime *rt = tarry_default();
    tarry_timer *timer = timer_in(rt, TARRY_MILLISECOND);
    tarry_message message;
    CHECK_INT(test_in_child(child_of_the_default, rt), 0);
    CHECK_INT(tarry_mailbox_recv(&message, tarry_timer_mailbox(timer)), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("fork", 120, CASE(every_call_answers_ECHILD_in_the_child),
           CASE(the_child_may_destroy_it_and_make_a_new_one), CASE(a_callback_may_fork),
           CASE(a_child_may_fork_again), CASE(the_default_runtime_can_be_made_anew_in_the_child))
