/* Shows: what people met who used tarry for the first time stays mended. */
#include "check.h"
#include "suite.h"

#include <stdlib.h>
#include <tarry/tarry.h>

typedef struct request {
    tarry_timer *timer;
    _Atomic int *freed;
} request;

/* All that it has is the pointer that tarry_after_func was asked to write; then that is gone too. */
static void free_request(void *argument) {
    request *r = argument;
    _Atomic int *freed = r->freed;
    const int error = tarry_timer_free(r->timer);
    free(r);
    if (error == 0) ++*freed;
}

static void a_callback_finds_its_timer_however_early_it_runs(void) {
    enum { ROUNDS = 2000 };
    for (unsigned callbacks = 0; callbacks <= TARRY_CALLBACKS_INLINE; ++callbacks) {
        const tarry_options options = { .size = sizeof options, .workers = 1,
                                        .callbacks = callbacks };
        _Atomic int freed = 0;
        tarry_runtime *rt;
        if (!CHECK_INT(tarry_create(&rt, &options), 0)) return;
        for (int i = 0; i < ROUNDS; ++i) {
            request *r = calloc(1, sizeof *r);
            if (!CHECK(r != NULL)) return;
            r->freed = &freed;
            CHECK_INT(tarry_after_func(&r->timer, rt, i % 3 * 1000, free_request, r), 0);
        }
        while (freed < ROUNDS) CHECK_INT(tarry_sleep(rt, TARRY_MILLISECOND), 0);
        CHECK_INT(tarry_destroy(rt), 0);
    }
}

static void a_single_thread_is_told_that_it_would_wait_for_itself(void) {
    const tarry_options options = { .size = sizeof options, .workers = 1, .by_hand = 1,
                                    .single_threaded = 1, .clock = TARRY_CLOCK_VIRTUAL };
    tarry_runtime *rt;
    tarry_timer *timer;
    tarry_message message;
    size_t chosen;
    if (!CHECK_INT(tarry_create(&rt, &options), 0)) return;
    CHECK_INT(tarry_timer_new(&timer, rt, 10), 0);
    tarry_mailbox *mailbox = tarry_timer_mailbox(timer);
    tarry_case cases[] = { { .mailbox = mailbox } };
    CHECK_INT(tarry_mailbox_recv(&message, mailbox), -EDEADLK);
    CHECK_INT(tarry_mailbox_recv_until(&message, mailbox, 1000), -EDEADLK);
    CHECK_INT(tarry_select(&chosen, cases, 1, TARRY_FOREVER), -EDEADLK);
    CHECK_INT(tarry_mailbox_try_recv(&message, mailbox), -EAGAIN);
    CHECK_INT(tarry_run_expired(rt, 0, 10, 0), 1);
    CHECK_INT(tarry_mailbox_recv(&message, mailbox), 0);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

static void what_never_fires_has_for_ever_left(void) {
    const tarry_options options = { .size = sizeof options, .workers = 1, .by_hand = 1 };
    tarry_runtime *rt;
    tarry_timer *timer;
    int64_t left = 0;
    if (!CHECK_INT(tarry_create(&rt, &options), 0)) return;
    CHECK_INT(tarry_timer_new(&timer, rt, TARRY_FOREVER), 0);
    CHECK_INT(tarry_timer_remaining(&left, timer), 0);
    CHECK(left == TARRY_FOREVER);
    CHECK_INT(tarry_timer_stop(timer), 1);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_destroy(rt), 0);
}

TEST_SUITE("newcomers", 120,
           { "a_callback_finds_its_timer_however_early_it_runs",
             a_callback_finds_its_timer_however_early_it_runs },
           { "a_single_thread_is_told_that_it_would_wait_for_itself",
             a_single_thread_is_told_that_it_would_wait_for_itself },
           { "what_never_fires_has_for_ever_left", what_never_fires_has_for_ever_left })
