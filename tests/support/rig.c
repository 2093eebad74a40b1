#include "rig.h"

#include "backends.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

static const test_backend table[] = {
    { "heap", 0 },
    { "tiered", 0 },
    { "tiered", TARRY_MILLISECOND },
    { "wheel", TARRY_MILLISECOND },
    { "wheel", 100 * TARRY_NANOSECOND },
};

/* Not a multiple of any tick, so that rounding shows. */
static const int64_t start_ns = 1234567890123;

static atomic_int shots;

static void make_as_it_is(rig *r, tarry_options options) {
    options.size = sizeof options;
    options.backend = r->backend;
    options.tick_ns = r->tick;
    options.by_hand = r->by_hand;
    options.allocator = &r->memory.table;
    r->workers = options.workers;
    r->rt = NULL;
    TEST_REQUIRE(tarry_create(&r->rt, &options) == 0 && r->rt != NULL);
}

void rig_make(rig *r, const tarry_options *options) {
    tarry_options virtual = *options;
    virtual.clock = TARRY_CLOCK_VIRTUAL;
    virtual.virtual_start = r->now;
    make_as_it_is(r, virtual);
}

int rig_destroy(rig *r) {
    const int result = tarry_destroy(r->rt);
    CHECK_INT(result, 0);
    r->rt = NULL;
    return result;
}

void rig_remake(rig *r, const tarry_options *options) {
    rig_destroy(r);
    rig_make(r, options);
}

void rig_use_real_clock(rig *r, unsigned workers, unsigned callbacks) {
    rig_destroy(r);
    make_as_it_is(r, (tarry_options){ .workers = workers, .callbacks = callbacks });
}

static int64_t show(void *context) {
    rig_clock *clock = context;
    ++clock->asked;
    return clock->now;
}

void rig_use_callers_clock(rig *r, rig_clock *clock) {
    rig_destroy(r);
    *clock = (rig_clock){ .now = r->now };
    make_as_it_is(r, (tarry_options){ .workers = 1, .clock = TARRY_CLOCK_CALLER, .now = show,
                                      .now_context = clock });
}

static void run_on(rig *r, rig_body *body) {
    counting_init_keeping(&r->memory);
    test_context("%s, tick %d, %s", r->backend, (int)r->tick, r->by_hand ? "by hand" : "timerproc");
    const tarry_options options = { .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE };
    rig_make(r, &options);
    body(r);
    if (r->rt != NULL) {
        rig_balances(r);
        rig_destroy(r);
    }
    counting_drain(&r->memory);
    CHECK_INT(r->memory.touched, 0);
    CHECK_INT(r->memory.blocks, 0);
    CHECK_INT(r->memory.bytes, 0);
    CHECK_INT(r->memory.wrong, 0);
    test_context("%s", "");
}

static void run_all(rig_body *body, bool by_hand) {
    test_backend backends[TEST_BACKENDS_MOST];
    const size_t count = test_backends_for(backends, table, sizeof table / sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        rig r = { .backend = backends[i].name, .tick = backends[i].tick_ns, .by_hand = by_hand,
                  .now = start_ns };
        run_on(&r, body);
    }
}

void rig_each_by_hand(rig_body *body) {
    run_all(body, true);
}

void rig_each_threaded(rig_body *body) {
    run_all(body, false);
}

void rig_each(rig_body *body) {
    run_all(body, true);
    run_all(body, false);
}

/* By hand each worker runs until nothing is due, as the timerprocs do in tarry_advance. */
void rig_reach(rig *r, int64_t to) {
    r->now = to;
    if (!r->by_hand) {
        CHECK_INT(tarry_advance(r->rt, to), 0);
        return;
    }
    for (unsigned worker = 0; worker < r->workers; ++worker) {
        int64_t ran;
        do ran = tarry_run_expired(r->rt, worker, to, 0);
        while (ran > 0);
        CHECK_INT(ran, 0);
    }
}

void rig_pass(rig *r, int64_t span) {
    rig_reach(r, r->now + span);
}

void rig_settle(rig *r, int64_t span) {
    rig_reach(r, r->now + span + r->tick);
}

tarry_stats rig_stats(const rig *r) {
    tarry_stats stats = TARRY_STATS_INIT;
    CHECK_INT(tarry_stats_read(&stats, r->rt, TARRY_ALL_WORKERS), 0);
    return stats;
}

bool rig_balances(const rig *r) {
    const tarry_stats s = rig_stats(r);
    return CHECK_INT(s.armed, s.fired + s.stopped + s.pending) && CHECK_INT(s.running, 0);
}

bool rig_unchanged(const tarry_stats *before, const tarry_stats *after) {
    tarry_stats same = *after;
    same.sleeps = before->sleeps;
    same.wakes = before->wakes;
    same.idle_wakes = before->idle_wakes;
    return memcmp(before, &same, sizeof same) == 0;
}

void shot_run(void *argument) {
    shot *s = argument;
    int64_t now = -1;
    tarry_now(&now, s->r->rt);
    atomic_store(&s->at_ns, now);
    s->number = atomic_fetch_add(&shots, 1);
    atomic_fetch_add(&s->runs, 1);
}

int rig_poll(tarry_message *out, tarry_mailbox *mailbox) {
    const int result = tarry_mailbox_try_recv(out, mailbox);
    if (result != 0) CHECK_INT(result, -EAGAIN);
    return result == 0;
}
