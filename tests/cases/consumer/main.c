/* A user's program: one timer of a runtime driven by hand fires at its deadline and not before. */
#include <tarry/tarry.h>

static void count(void *argument) {
    ++*(int *)argument;
}

int main(void) {
    tarry_options options = TARRY_OPTIONS_INIT;
    options.workers = 1;
    options.clock = TARRY_CLOCK_VIRTUAL;
    options.by_hand = 1;

    tarry_runtime *rt;
    tarry_timer *timer;
    int fired = 0;
    if (tarry_version() != TARRY_VERSION) return 1;
    if (tarry_create(&rt, &options) != 0) return 2;
    if (tarry_after_func(&timer, rt, TARRY_SECOND, count, &fired) != 0) return 3;
    if (tarry_run_expired(rt, 0, TARRY_SECOND - 1, 0) != 0 || fired != 0) return 4;
    if (tarry_run_expired(rt, 0, TARRY_SECOND, 0) != 1 || fired != 1) return 5;
    if (tarry_timer_free(timer) != 0) return 6;
    return tarry_destroy(rt) == 0 ? 0 : 7;
}
