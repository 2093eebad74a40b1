/* Shows: deadlines on waits, and timers that end work, keep what Go's context and net tests ask:
 * each wait ends at its deadline with the right answer, not before; a cancelled one leaves no
 * timer; nested ones end together; a cleared one does not return. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>
#include <stdlib.h>

/* A thread that waits for a message that only a close or its deadline can bring to an end. */
typedef struct waiter {
    test_thread thread;
    tarry_mailbox *mailbox;
    tarry_timer *timer; /* or NULL */
    int64_t deadline;
    int status;
    size_t chosen;
} waiter;

static void wait_until_deadline(void *argument) {
    waiter *self = argument;
    tarry_message message;
    self->status = tarry_mailbox_recv_until(&message, self->mailbox, self->deadline);
}

static void select_until_deadline(void *argument) {
    waiter *self = argument;
    tarry_case cases[] = { { .mailbox = self->mailbox },
                           { .mailbox = tarry_timer_mailbox(self->timer) } };
    self->status = tarry_select(&self->chosen, cases, 2, self->deadline);
}

static void start(waiter *w, void (*run)(void *)) {
    w->status = 1;
    w->chosen = 77;
    test_thread_start(&w->thread, run, w);
    test_thread_settle(&w->thread);
}

/* TestVariousDeadlines: 1 ns to 1 s, three times each, one wait at a time. */
THREADED(waits_of_every_length_end_at_their_deadline) {
    static const int64_t lengths[] = {
        1,     2,     5,      10,      20,       50,        100,       200,        500, 1000,
        2000,  5000,  10000,  100000,  1000000,  10000000,  100000000, 500000000,  1000000000,
    };
    tarry_mailbox *silent = mailbox_in(r->rt);
    for (size_t i = 0; i < 3 * sizeof lengths / sizeof *lengths; ++i) {
        waiter w = { .mailbox = silent, .deadline = r->now + lengths[i / 3] };
        start(&w, wait_until_deadline);
        rig_reach(r, w.deadline - 1);
        CHECK(test_thread_blocked(&w.thread));
        rig_reach(r, w.deadline + r->tick);
        test_thread_join(&w.thread);
        CHECK_INT(w.status, -ETIMEDOUT);
    }
    CHECK_INT(tarry_mailbox_free(silent), 0);
}

/* context's TestDeadline, TestTimeout: past, now, zero and negative points have been reached; what
 * is there is received all the same. */
ON_EACH_RIG(a_deadline_already_reached_only_polls) {
    const int64_t deadlines[] = { r->now, r->now - 1, 0, -1, INT64_MIN };
    tarry_mailbox *mailbox = mailbox_in(r->rt);
    for (size_t i = 0; i < sizeof deadlines / sizeof *deadlines; ++i) {
        tarry_message message;
        size_t chosen = 77;
        tarry_case one = { .mailbox = mailbox };
        CHECK_INT(tarry_mailbox_recv_until(&message, mailbox, deadlines[i]), -ETIMEDOUT);
        CHECK_INT(tarry_select(&chosen, &one, 1, deadlines[i]), -ETIMEDOUT);
        CHECK_INT(chosen, 77);
        CHECK_INT(tarry_mailbox_try_send(mailbox, &one), 0);
        CHECK_INT(tarry_mailbox_recv_until(&message, mailbox, deadlines[i]), 0);
        CHECK(message.data == &one);
        CHECK_INT(tarry_mailbox_try_send(mailbox, &one), 0);
        CHECK_INT(tarry_select(&chosen, &one, 1, deadlines[i]), 0);
        CHECK_INT(chosen, 0);
    }
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
}

/* context's nested deadlines: the nearer one ends the wait, whichever is the outer. */
THREADED(of_two_deadlines_the_nearer_ends_the_wait) {
    static const int64_t outer[] = { 10 * TARRY_SECOND, INT64_MAX, TARRY_SECOND };
    for (int i = 0; i < 3; ++i) {
        const int64_t inner = 2 * TARRY_SECOND, nearer = outer[i] < inner ? outer[i] : inner;
        waiter w = { .mailbox = mailbox_in(r->rt), .timer = timer_in(r->rt, outer[i]) };
        w.deadline = r->now + inner;
        const int64_t due = r->now + nearer;
        start(&w, select_until_deadline);
        rig_reach(r, due - 1);
        CHECK(test_thread_blocked(&w.thread));
        rig_reach(r, due + r->tick);
        test_thread_join(&w.thread);
        CHECK_INT(w.status, nearer == inner ? -ETIMEDOUT : 0);
        CHECK_INT(w.chosen, nearer == inner ? 77 : 1);
        CHECK_INT(tarry_timer_free(w.timer), 0);
        CHECK_INT(tarry_mailbox_free(w.mailbox), 0);
    }
}

/* context's TestCanceledTimeout: cancelled before its time, the wait ends at once, the timer is
 * stopped, and the timeout is never seen. */
THREADED(a_wait_that_is_cancelled_ends_at_once_and_its_timer_is_stopped) {
    waiter w = { .mailbox = mailbox_in(r->rt), .timer = timer_in(r->rt, TARRY_SECOND),
                 .deadline = r->now + 2 * TARRY_SECOND };
    start(&w, select_until_deadline);
    CHECK(test_thread_blocked(&w.thread));
    CHECK_INT(tarry_mailbox_close(w.mailbox), 0);
    test_thread_join(&w.thread);
    CHECK_INT(w.status, 0);
    CHECK_INT(w.chosen, 0);
    CHECK_INT(tarry_timer_stop(w.timer), 1);
    CHECK_INT(rig_stats(r).pending, 0);
    rig_settle(r, 5 * TARRY_SECOND);
    CHECK_INT(timer_due(w.timer), -EAGAIN);
    CHECK_INT(tarry_timer_free(w.timer), 0);
    CHECK_INT(tarry_mailbox_free(w.mailbox), 0);
}

/* Layers, each with a timer that ends it and all that are nested in it. */
enum { LAYERS = 40 };
typedef struct layer {
    rig *r;
    tarry_timer *timer;
    int parent; /* < 0: none */
    int64_t due, ended_at;
    int ends;
} layer;
static layer layers[LAYERS];

static void end_layer(layer *which) {
    if (which->ends++ > 0) return;
    which->ended_at = now_of(which->r->rt);
    tarry_timer_stop(which->timer);
    for (int i = 0; i < LAYERS; ++i)
        if (layers[i].parent >= 0 && &layers[layers[i].parent] == which) end_layer(&layers[i]);
}

static void end_of_time_for(void *argument) {
    end_layer(argument);
}

static void nest_layers(rig *r, unsigned seed) {
    for (int i = 0; i < LAYERS; ++i) {
        const int64_t delay = (1 + rand_r(&seed) % 20) * 10 * TARRY_MILLISECOND;
        const int parent = rand_r(&seed) % 4 == 0 ? i - 1 : rand_r(&seed) % (i + 1) - 1;
        layers[i] = (layer){ .r = r, .parent = parent, .due = r->now + delay };
        layers[i].timer = func_in(r->rt, delay, end_of_time_for, &layers[i]);
    }
}

/* A layer ends at its own or an outer layer's deadline, whichever is first. */
static int64_t end_of(int i) {
    int64_t end = layers[i].due;
    for (int up = layers[i].parent; up >= 0; up = layers[up].parent)
        if (layers[up].due < end) end = layers[up].due;
    return end;
}

static void free_layers(rig *r) {
    CHECK_INT(rig_stats(r).pending, 0);
    for (int i = 0; i < LAYERS; ++i) CHECK_INT(tarry_timer_free(layers[i].timer), 0);
}

/* context's TestLayersTimeout: every layer ends at its time, and no timer is left. */
ON_EACH_RIG(nested_layers_end_with_the_first_deadline_above_them) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        nest_layers(r, seed);
        for (int step = 0; step < 20; ++step) rig_pass(r, 10 * TARRY_MILLISECOND);
        rig_settle(r, 0);
        for (int i = 0; i < LAYERS; ++i) {
            CHECK(layers[i].ends > 0);
            CHECK(layers[i].ended_at >= end_of(i));
            CHECK(layers[i].ended_at <= end_of(i) + r->tick + 10 * TARRY_MILLISECOND * r->by_hand);
        }
        free_layers(r);
    }
}

/* context's TestLayersCancel: a cancelled layer takes those inside it along; none ends again. */
ON_EACH_RIG(a_cancelled_layer_takes_the_inner_ones_along) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        nest_layers(r, seed);
        for (int i = 0; i < LAYERS; ++i)
            if (layers[i].parent < 0) end_layer(&layers[i]);
        for (int i = 0; i < LAYERS; ++i) CHECK_INT(layers[i].ends, 1);
        rig_settle(r, TARRY_SECOND);
        for (int i = 0; i < LAYERS; ++i) CHECK_INT(layers[i].ends, 1);
        free_layers(r);
    }
}

/* net's ReadTimeoutMustNotReturn and its like: a wait whose timer is cleared, or moved far away,
 * stays blocked when the old time has come. */
THREADED(a_cleared_deadline_does_not_return) {
    for (int far_instead = 0; far_instead < 2; ++far_instead) {
        waiter w = { .mailbox = mailbox_in(r->rt), .timer = timer_in(r->rt, TARRY_SECOND),
                     .deadline = TARRY_FOREVER };
        start(&w, select_until_deadline);
        if (far_instead)
            CHECK_INT(tarry_timer_reset(w.timer, 1000 * TARRY_SECOND), 1);
        else
            CHECK_INT(tarry_timer_stop(w.timer), 1);
        rig_settle(r, 100 * TARRY_SECOND);
        CHECK(test_thread_blocked(&w.thread));
        CHECK_INT(tarry_mailbox_close(w.mailbox), 0);
        test_thread_join(&w.thread);
        CHECK_INT(w.status, 0);
        CHECK_INT(w.chosen, 0);
        CHECK_INT(tarry_timer_free(w.timer), 0);
        CHECK_INT(tarry_mailbox_free(w.mailbox), 0);
    }
}

TEST_SUITE("go_deadlines", 60, CASE(waits_of_every_length_end_at_their_deadline),
           CASE(a_deadline_already_reached_only_polls),
           CASE(of_two_deadlines_the_nearer_ends_the_wait),
           CASE(a_wait_that_is_cancelled_ends_at_once_and_its_timer_is_stopped),
           CASE(nested_layers_end_with_the_first_deadline_above_them),
           CASE(a_cancelled_layer_takes_the_inner_ones_along),
           CASE(a_cleared_deadline_does_not_return))
