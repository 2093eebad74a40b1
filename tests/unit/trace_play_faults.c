/* Shows: the check of a replay finds each fault that a backend could have. play.c is built here
 * against the calls below, which are the library's but for the one fault that a case asks for. */
#include "backends.h"
#include "check.h"
#include "suite.h"
#include "trace/play.h"

#include <tarry/tarry.h>

enum { FINE, LOSES, FIRES_EARLY, FIRES_LATE, FIRES_STOPPED, MISCOUNTS, SLEEPS_TOO_LONG };

#define MS INT64_C(1000000)

static int fault;
static int64_t asked; /* how often the call at fault was made */

/* Every third time; the deadline, which is asked for after each operation, always. */
static bool goes_wrong(int which) {
    return fault == which && (++asked % 3 == 0 || which == SLEEPS_TOO_LONG);
}

int faulty_arm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline);
int faulty_rearm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline);
int faulty_disarm(tarry_runtime *rt, tarry_handle handle);
int faulty_next_deadline(int64_t *out, tarry_runtime *rt, unsigned worker);

int faulty_arm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline) {
    return tarry_arm_at(rt, handle, deadline);
}

int faulty_rearm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline) {
    if (goes_wrong(FIRES_EARLY)) deadline -= 2 * MS;
    if (goes_wrong(FIRES_LATE)) deadline += 2 * MS;
    const int result = tarry_rearm_at(rt, handle, deadline);
    if (goes_wrong(LOSES)) tarry_disarm(rt, handle);
    return result;
}

int faulty_disarm(tarry_runtime *rt, tarry_handle handle) {
    if (goes_wrong(FIRES_STOPPED)) return TARRY_STOPPED;
    const int result = tarry_disarm(rt, handle);
    return goes_wrong(MISCOUNTS) ? TARRY_IDLE : result;
}

int faulty_next_deadline(int64_t *out, tarry_runtime *rt, unsigned worker) {
    const int result = tarry_next_deadline(out, rt, worker);
    if (goes_wrong(SLEEPS_TOO_LONG) && *out != TARRY_FOREVER) *out += 5 * MS;
    return result;
}

/* Timers that fire, are armed again, are stopped; gaps of 1 ms. */
enum { OPS = 300 };
static plan_op ops[OPS];
static plan p = { .name = "made", .ops = ops, .count = OPS, .ids = 10 };

static void make_plan(void) {
    for (uint32_t i = 0; i < OPS; ++i) {
        const int64_t t = i * MS;
        ops[i] = (plan_op){ .t_ns = t, .id = i % 10, .op = i / 10 % 3 == 2 ? 'C' : 'A',
                            .first = i < 10, .last = i >= OPS - 10 };
        ops[i].deadline = t + (i / 10 % 3 == 0 ? 4 * MS : 17 * MS) + 300000;
    }
    p.length_ns = ops[OPS - 1].t_ns;
}

static play_check play_with(int which, const char *backend, int64_t tick_ns) {
    play_check check = { 0 };
    const char *why;
    const test_backend on = test_backend_for(backend, tick_ns);
    const play_spec spec = { .plan = &p, .backend = on.name, .tick_ns = on.tick_ns,
                             .replicate = 1, .speed = 1 };
    make_plan();
    fault = which;
    asked = 0;
    test_context("fault %d, %s", which, backend);
    CHECK(play_check_all(&check, &spec, &why));
    return check;
}

static const test_backend backends[] = { { "heap", 0 }, { "tiered", 0 }, { "tiered", MS },
                                         { "wheel", MS } };

enum { BACKENDS = sizeof backends / sizeof *backends };

static void without_a_fault_it_finds_none(void) {
    for (size_t i = 0; i < BACKENDS; ++i) {
        const play_check c = play_with(FINE, backends[i].name, backends[i].tick_ns);
        CHECK(play_is_right(&c));
        CHECK_INT(c.fired, 100);
    }
}

static void each_fault_is_found(void) {
    for (int which = LOSES; which <= SLEEPS_TOO_LONG; ++which) {
        for (size_t i = 0; i < BACKENDS; ++i) {
            const play_check c = play_with(which, backends[i].name, backends[i].tick_ns);
            CHECK(asked > 0);
            CHECK(!play_is_right(&c));
            if (which == LOSES) CHECK(c.missed > 0);
            if (which == FIRES_EARLY) CHECK(c.early > 0);
            if (which == FIRES_LATE) CHECK(c.late > 0);
            if (which == FIRES_STOPPED) CHECK(c.wrong > 0);
            if (which == MISCOUNTS) CHECK(c.wrong > 0);
            if (which == SLEEPS_TOO_LONG) CHECK(c.late > 0);
        }
    }
}

TEST_SUITE("trace play faults", 60,
           { "without_a_fault_it_finds_none", without_a_fault_it_finds_none },
           { "each_fault_is_found", each_fault_is_found })
