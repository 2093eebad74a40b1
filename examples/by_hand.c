/* tarry inside somebody else's loop: no thread is started, the loop asks when to wake and turns the
 * crank. The idle timeouts of three connections, of which one goes quiet. */
#include <poll.h>
#include <stdio.h>
#include <tarry/tarry.h>

enum { CONNECTIONS = 3 };
static int quiet;

static void on_idle(void *name) {
    printf("%s went quiet\n", (const char *)name);
    ++quiet;
}

/* Until the deadline, in poll's milliseconds: rounded up, so as not to wake early and spin. */
static int poll_timeout(int64_t deadline, int64_t now) {
    if (deadline <= now) return 0;
    return (int)((deadline - now + TARRY_MILLISECOND - 1) / TARRY_MILLISECOND);
}

int main(void) {
    static const char *const names[CONNECTIONS] = { "one", "two", "three" };
    const tarry_options options = { .size = sizeof options, .workers = 1, .by_hand = 1 };
    tarry_runtime *rt;
    tarry_handle idle[CONNECTIONS];
    if (tarry_create(&rt, &options) != 0) return 1;
    for (int i = 0; i < CONNECTIONS; ++i)
        if (tarry_handle_new(&idle[i], rt, 0, on_idle, (void *)(uintptr_t)names[i]) != 0 ||
            tarry_arm(rt, idle[i], 50 * TARRY_MILLISECOND) != 0)
            return 1;
    while (quiet == 0) {
        int64_t now, next;
        tarry_now(&now, rt);
        tarry_next_deadline(&next, rt, 0);
        /* Two connections are busy: something comes in every 10 ms, and resets their timers. */
        poll(NULL, 0, poll_timeout(next, now) < 10 ? poll_timeout(next, now) : 10);
        tarry_arm(rt, idle[0], 50 * TARRY_MILLISECOND);
        tarry_arm(rt, idle[2], 50 * TARRY_MILLISECOND);
        tarry_now(&now, rt);
        tarry_run_expired(rt, 0, now, 0);
    }
    tarry_destroy(rt);
    return quiet == 1 ? 0 : 1;
}
