/* Shows: whichever allocation fails, the call that needed it answers ENOMEM, writes nothing, holds
 * on to nothing and leaves every counter as it was; and all goes on when there is memory again. */
#include "suite.h"
#include "virtual.h"

#include <errno.h>

/* One kind of thing to make. What it makes is kept in `made` for the free that follows. */
typedef struct thing {
    void *object;
    tarry_handle handle;
} thing;

static tarry_function *const runs = count_run;
static atomic_uint ran;

static int make_timer(rig *r, thing *made) {
    return tarry_timer_new((tarry_timer **)&made->object, r->rt, TARRY_SECOND);
}

static int make_func(rig *r, thing *made) {
    return tarry_after_func((tarry_timer **)&made->object, r->rt, TARRY_SECOND, runs, &ran);
}

static int make_ticker(rig *r, thing *made) {
    return tarry_ticker_new((tarry_ticker **)&made->object, r->rt, TARRY_SECOND);
}

static int make_mailbox(rig *r, thing *made) {
    return tarry_mailbox_new((tarry_mailbox **)&made->object, r->rt);
}

static int make_handle(rig *r, thing *made) {
    return tarry_handle_new(&made->handle, r->rt, 0, runs, &ran);
}

static void free_timer(rig *r, const thing *made) {
    (void)r;
    CHECK_INT(tarry_timer_free(made->object), 0);
}

static void free_ticker(rig *r, const thing *made) {
    (void)r;
    CHECK_INT(tarry_ticker_free(made->object), 0);
}

static void free_mailbox(rig *r, const thing *made) {
    (void)r;
    CHECK_INT(tarry_mailbox_free(made->object), 0);
}

static void free_handle(rig *r, const thing *made) {
    CHECK_INT(tarry_handle_free(r->rt, made->handle), TARRY_IDLE);
}

static const struct {
    int (*make)(rig *r, thing *made);
    void (*free_it)(rig *r, const thing *made);
} kinds[] = {
    { make_timer, free_timer },     { make_func, free_timer },     { make_ticker, free_ticker },
    { make_mailbox, free_mailbox }, { make_handle, free_handle },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Let the first allocation fail, then the second, and so on until it is made after all. Returns how
 * often it could not be made. */
static int make_at_last(rig *r, int kind, thing *made, bool and_all_later) {
    for (int n = 0;; ++n) {
        const tarry_stats before = rig_stats(r);
        const size_t blocks = r->memory.blocks, bytes = r->memory.bytes;
        *made = (thing){ .object = NULL };
        counting_fail(&r->memory, n, and_all_later);
        const int result = kinds[kind].make(r, made);
        counting_heal(&r->memory);
        if (result == 0) return n;
        const tarry_stats after = rig_stats(r);
        CHECK_INT(result, -ENOMEM);
        CHECK(made->object == NULL && made->handle.generation == 0);
        CHECK(rig_unchanged(&before, &after));
        if (!CHECK_INT(r->memory.blocks, blocks) || !CHECK_INT(r->memory.bytes, bytes)) return -1;
    }
}

ON_EACH_RIG(any_allocation_of_a_creation_may_fail) {
    for (int kind = 0; kind < KINDS; ++kind)
        for (int all = 0; all <= 1; ++all) {
            thing made;
            rig_remake(r, &(tarry_options){ .workers = 1, .callbacks = TARRY_CALLBACKS_INLINE });
            CHECK(make_at_last(r, kind, &made, all) >= 1);
            rig_settle(r, TARRY_SECOND);
            rig_balances(r);
            kinds[kind].free_it(r, &made);
        }
}

/* Up to, and over, every point at which a table grows. */
ON_EACH_RIG(any_allocation_of_any_growth_may_fail) {
    enum { COUNT = 13000 };
    static thing made[COUNT];
    int failures = 0;
    for (int i = 0; i < COUNT; ++i) {
        failures += make_at_last(r, i % 7 == 0 ? 1 : 4, &made[i], i % 2);
        if (i % 7 != 0) CHECK_INT(tarry_arm(r->rt, made[i].handle, 1 + i), 0);
    }
    CHECK(failures > 10);
    const unsigned before = ran;
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ran - before, COUNT);
    for (int i = 0; i < COUNT; ++i) kinds[i % 7 == 0 ? 1 : 4].free_it(r, &made[i]);
}

static int create_at_last(rig *r, tarry_options options) {
    options.size = sizeof options;
    options.backend = r->backend;
    options.tick_ns = r->tick;
    options.allocator = &r->memory.table;
    tarry_runtime *const none = (tarry_runtime *)&none;
    for (int n = 0;; ++n) {
        tarry_runtime *rt = none;
        const size_t blocks = r->memory.blocks;
        counting_fail(&r->memory, n, n % 2);
        const int result = tarry_create(&rt, &options);
        counting_heal(&r->memory);
        if (result == 0) {
            CHECK_INT(tarry_destroy(rt), 0);
            return n;
        }
        CHECK_INT(result, -ENOMEM);
        CHECK(rt == none);
        if (!CHECK_INT(r->memory.blocks, blocks)) return -1;
    }
}

BY_HAND(any_allocation_of_a_runtime_may_fail) {
    CHECK(create_at_last(r, (tarry_options){ .workers = 1, .by_hand = 1 }) > 0);
    CHECK(create_at_last(r, (tarry_options){ .workers = 5 }) > 4);
    CHECK(create_at_last(r, (tarry_options){ .workers = 2, .clock = TARRY_CLOCK_BOOTTIME }) > 1);
    CHECK(create_at_last(r, (tarry_options){ .workers = 2, .clock = TARRY_CLOCK_VIRTUAL }) > 1);
}

/* Memory runs out while timers are due: firing, ticking, stopping and freeing need none. */
ON_EACH_RIG(what_exists_goes_on_without_memory) {
    ran = 0;
    tarry_timer *timer = timer_in(r->rt, TARRY_SECOND);
    tarry_timer *func = func_in(r->rt, TARRY_SECOND, runs, &ran);
    tarry_ticker *ticker = ticker_of(r->rt, TARRY_SECOND);
    tarry_mailbox *mailbox = mailbox_in(r->rt);
    counting_fail(&r->memory, 0, true);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ran, 1);
    CHECK(timer_due(timer) > 0);
    CHECK(ticker_due(ticker) > 0);
    CHECK_INT(tarry_mailbox_try_send(mailbox, r), 0);
    CHECK(take_due(mailbox) > 0);
    CHECK_INT(tarry_timer_reset(func, TARRY_SECOND), 0);
    rig_settle(r, TARRY_SECOND);
    CHECK_INT(ran, 2);
    CHECK_INT(tarry_timer_free(timer), 0);
    CHECK_INT(tarry_timer_free(func), 0);
    CHECK_INT(tarry_ticker_free(ticker), 0);
    CHECK_INT(tarry_mailbox_free(mailbox), 0);
    rig_destroy(r);
}

TEST_SUITE("allocation", 120, CASE(any_allocation_of_a_creation_may_fail),
           CASE(any_allocation_of_any_growth_may_fail), CASE(any_allocation_of_a_runtime_may_fail),
           CASE(what_exists_goes_on_without_memory))
