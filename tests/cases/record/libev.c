/* A program on libev, for record.sh: its timer calls are known, one by one. What libev promises of
 * them has to hold under the recorder too, else it ends with 1. */
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_S 1000.

#define EXPECT(truth)                                                            \
    do {                                                                         \
        if (!(truth)) {                                                          \
            fprintf(stderr, "libev.c:%d: it does not hold: %s\n", __LINE__, #truth); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

static int calls;

/* Exported, so that the trace has their names. */
void on_single(struct ev_loop *loop, ev_timer *timer, int events);
void on_repeat(struct ev_loop *loop, ev_timer *timer, int events);
void on_either(int events, void *argument);

void on_single(struct ev_loop *loop, ev_timer *timer, int events) {
    (void)loop;
    (void)events;
    EXPECT(ev_is_active(timer) || ev_cb(timer) == on_single);
    ++calls;
}

void on_repeat(struct ev_loop *loop, ev_timer *timer, int events) {
    (void)events;
    EXPECT(ev_is_active(timer));
    if (++calls == 3) ev_timer_stop(loop, timer);
}

void on_either(int events, void *argument) {
    EXPECT((events & *(int *)argument) != 0);
    ++calls;
}

static void run_timers(struct ev_loop *loop) {
    ev_timer a, b;
    ev_timer_init(&a, on_single, LONG_S, 0.);
    errno = ENOTTY;
    ev_timer_stop(loop, &a);
    ev_timer_start(loop, &a); /* A */
    ev_timer_start(loop, &a);
    EXPECT(errno == ENOTTY);
    ev_invoke(loop, &a, EV_TIMER); /* no firing */
    EXPECT(calls == 1);
    ev_timer_stop(loop, &a); /* C */
    EXPECT(ev_cb(&a) == on_single);
    ev_timer_set(&a, 0., LONG_S);
    ev_timer_again(loop, &a); /* A */
    ev_timer_again(loop, &a); /* R */
    a.repeat = 0.;
    ev_timer_again(loop, &a); /* C */
    EXPECT(!ev_is_active(&a) && ev_cb(&a) == on_single);
    ev_timer_init(&b, on_single, 0., 0.);
    ev_timer_start(loop, &b); /* A F */
    while (ev_is_active(&b)) ev_run(loop, EVRUN_ONCE);
    EXPECT(calls == 2 && ev_cb(&b) == on_single);
    calls = 0;
    ev_timer_init(&b, on_repeat, 0.001, 0.001);
    ev_timer_start(loop, &b); /* A FA FA FA C */
    while (ev_is_active(&b)) ev_run(loop, EVRUN_ONCE);
    EXPECT(calls == 3 && ev_cb(&b) == on_repeat);
}

/* Its timers are the library's own. */
static void run_once(struct ev_loop *loop) {
    int ends[2], events = EV_TIMER;
    calls = 0;
    ev_once(loop, -1, 0, 0.001, on_either, &events); /* A F */
    while (calls < 1) ev_run(loop, EVRUN_ONCE);
    events = EV_READ;
    EXPECT(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    ev_once(loop, ends[0], EV_READ, LONG_S, on_either, &events); /* A C */
    while (calls < 2) ev_run(loop, EVRUN_ONCE);
}

int main(void) {
    struct ev_loop *loop = ev_loop_new(0);
    EXPECT(loop != NULL);
    run_timers(loop);
    run_once(loop);
    ev_loop_destroy(loop);
    return 0;
}
