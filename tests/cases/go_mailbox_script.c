/* Shows: a timer's and a ticker's mailbox behave as Go's TestChan says for channels since Go 1.23,
 * step by step, each step on a fresh object, and then all of them in a row on one: no value of an
 * earlier setting is ever received, whoever waits is woken by the right one, and a stop takes back
 * what nobody has received. Left out: len and cap, which a mailbox does not have. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* A timer or a ticker. */
typedef struct subject {
    rig *r;
    tarry_timer *timer;
    tarry_ticker *ticker;
    tarry_mailbox *mailbox;
} subject;

static const int64_t far = 10000 * TARRY_SECOND;
static const int64_t soon = 5 * TARRY_MILLISECOND;

static int stop(subject *s) {
    return s->timer != NULL ? tarry_timer_stop(s->timer) : tarry_ticker_stop(s->ticker);
}

static int reset(subject *s, int64_t delay) {
    return s->timer != NULL ? tarry_timer_reset(s->timer, delay)
                            : tarry_ticker_reset(s->ticker, delay);
}

static void expect_nothing(subject *s) {
    CHECK_INT(take_due(s->mailbox), -EAGAIN);
}

/* Long enough for one firing of `soon`, and too short for a second. */
static void let_fire(subject *s) {
    rig_settle(s->r, soon);
}

/* A thread that receives once, from the subject or, told by its closing, from nobody. */
typedef struct receiver {
    test_thread thread;
    tarry_mailbox *mailbox, *quit;
    tarry_message message;
    int status;
    size_t chosen;
} receiver;

static void receive(void *argument) {
    receiver *self = argument;
    self->status = tarry_mailbox_recv(&self->message, self->mailbox);
}

static void receive_or_quit(void *argument) {
    receiver *self = argument;
    tarry_case cases[] = { { .mailbox = self->mailbox }, { .mailbox = self->quit } };
    self->status = tarry_select(&self->chosen, cases, 2, TARRY_FOREVER);
    self->message = cases[0].message;
}

/* A stop of what was never armed in this state, and a poll. */
static void stopped_it_holds_nothing(subject *s) {
    stop(s);
    expect_nothing(s);
}

static void reset_far_it_holds_nothing(subject *s) {
    reset(s, far);
    expect_nothing(s);
}

static void reset_soon_it_fires_once(subject *s) {
    const int64_t due = s->r->now + soon;
    reset(s, soon);
    rig_pass(s->r, soon - 1);
    expect_nothing(s);
    rig_pass(s->r, 1 + s->r->tick);
    CHECK_INT(take_due(s->mailbox), due);
    expect_nothing(s);
}

static void reset_takes_the_unreceived_value_away(subject *s) {
    reset(s, soon);
    let_fire(s);
    CHECK_INT(reset(s, far), 1);
    expect_nothing(s);
}

static void a_blocked_receiver_waits_for_the_new_deadline(subject *s) {
    reset(s, 2 * soon);
    receiver one = { .mailbox = s->mailbox, .status = -1 };
    test_thread_start(&one.thread, receive, &one);
    CHECK(test_thread_blocked(&one.thread));
    CHECK_INT(reset(s, far), 1);
    rig_settle(s->r, 4 * soon);
    CHECK(test_thread_blocked(&one.thread));

    const int64_t due = s->r->now + soon;
    CHECK_INT(reset(s, soon), 1);
    CHECK(test_thread_blocked(&one.thread));
    let_fire(s);
    test_thread_join(&one.thread);
    CHECK_INT(one.status, 0);
    CHECK_INT(one.message.due_ns, due);
}

static void stop_takes_what_a_receiver_left(subject *s) {
    reset(s, soon);
    let_fire(s);
    CHECK(take_due(s->mailbox) >= 0);
    if (s->ticker != NULL) let_fire(s);
    CHECK_INT(stop(s), s->ticker != NULL);
    expect_nothing(s);
}

static void start_two(receiver *two, subject *s, tarry_mailbox *quit) {
    for (int i = 0; i < 2; ++i) {
        two[i] = (receiver){ .mailbox = s->mailbox, .quit = quit, .status = -1 };
        test_thread_start(&two[i].thread, receive_or_quit, &two[i]);
    }
    for (int i = 0; i < 2; ++i) CHECK(test_thread_blocked(&two[i].thread));
}

/* Returns how many of the two got a value of the subject. */
static int quit_two(receiver *two, tarry_mailbox *quit) {
    int got = 0;
    CHECK_INT(tarry_mailbox_close(quit), 0);
    for (int i = 0; i < 2; ++i) {
        test_thread_join(&two[i].thread);
        CHECK_INT(two[i].status, 0);
        got += two[i].chosen == 0;
    }
    CHECK_INT(tarry_mailbox_free(quit), 0);
    return got;
}

static void of_two_selects_one_gets_the_value(subject *s) {
    reset(s, far);
    receiver two[2];
    tarry_mailbox *quit = mailbox_in(s->r->rt);
    start_two(two, s, quit);
    reset(s, soon);
    let_fire(s);
    /* The one that leaves can sleep on a lock for a moment. */
    int asleep;
    do asleep = test_thread_blocked(&two[0].thread) + test_thread_blocked(&two[1].thread);
    while (asleep == 2);
    CHECK_INT(asleep, 1);
    CHECK_INT(quit_two(two, quit), 1);
    expect_nothing(s);
    stop(s);
}

static void a_stopped_one_gives_selects_nothing(subject *s) {
    reset(s, 2 * soon);
    receiver two[2];
    tarry_mailbox *quit = mailbox_in(s->r->rt);
    start_two(two, s, quit);
    CHECK_INT(stop(s), 1);
    rig_settle(s->r, 4 * soon);
    for (int i = 0; i < 2; ++i) CHECK(test_thread_blocked(&two[i].thread));
    CHECK_INT(quit_two(two, quit), 0);
}

static void stop_and_reset_block_old_values(subject *s) {
    stop(s);
    CHECK_INT(reset(s, soon), 0);
    let_fire(s);
    CHECK_INT(stop(s), 1);
    expect_nothing(s);

    CHECK_INT(reset(s, 3600 * TARRY_SECOND), 0);
    expect_nothing(s);
    CHECK_INT(reset(s, soon), 1);
    expect_nothing(s);
    let_fire(s);
    CHECK_INT(stop(s), 1);
    expect_nothing(s);

    let_fire(s);
    CHECK_INT(stop(s), 0);
    expect_nothing(s);
}

static void (*const steps[])(subject *s) = {
    stopped_it_holds_nothing,
    reset_far_it_holds_nothing,
    reset_soon_it_fires_once,
    reset_takes_the_unreceived_value_away,
    a_blocked_receiver_waits_for_the_new_deadline,
    stop_takes_what_a_receiver_left,
    of_two_selects_one_gets_the_value,
    a_stopped_one_gives_selects_nothing,
    stop_and_reset_block_old_values,
};
enum { STEPS = sizeof steps / sizeof *steps };

static subject make(rig *r, bool ticker) {
    subject s = { .r = r };
    if (ticker) {
        s.ticker = ticker_of(r->rt, far);
        s.mailbox = tarry_ticker_mailbox(s.ticker);
    } else {
        s.timer = timer_in(r->rt, far);
        s.mailbox = tarry_timer_mailbox(s.timer);
    }
    return s;
}

static void unmake(subject *s) {
    CHECK_INT(s->timer != NULL ? tarry_timer_free(s->timer) : tarry_ticker_free(s->ticker), 0);
}

static void whole_script(rig *r, bool ticker) {
    for (int i = 0; i < STEPS; ++i) {
        subject fresh = make(r, ticker);
        steps[i](&fresh);
        unmake(&fresh);
    }
    subject same = make(r, ticker);
    for (int i = 0; i < 2 * STEPS; ++i) steps[i % STEPS](&same);
    unmake(&same);
}

/* TestChan/Timer. */
ON_EACH_RIG(a_timer_keeps_to_the_script) {
    whole_script(r, false);
}

/* TestChan/Ticker. */
ON_EACH_RIG(a_ticker_keeps_to_the_script) {
    whole_script(r, true);
}

TEST_SUITE("go_mailbox_script", 60, CASE(a_timer_keeps_to_the_script),
           CASE(a_ticker_keeps_to_the_script))
