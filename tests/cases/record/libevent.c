/* A program on libevent, for record.sh: its timeouts are known, one by one. What libevent promises
 * of them has to hold under the recorder too, else it ends with 1. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define EXPECT(truth)                                                               \
    do {                                                                            \
        if (!(truth)) {                                                             \
            fprintf(stderr, "libevent.c:%d: it does not hold: %s\n", __LINE__, #truth); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

static const struct timeval long_time = { 1000, 0 }, short_time = { 0, 1000 };
static struct event_base *base;
static int calls, last;

/* Exported, so that the trace has their names. */
void on_single(evutil_socket_t file, short what, void *argument);
void on_repeat(evutil_socket_t file, short what, void *argument);
void on_data(evutil_socket_t file, short what, void *argument);

void on_single(evutil_socket_t file, short what, void *argument) {
    (void)file;
    (void)argument;
    last = what;
    ++calls;
}

void on_repeat(evutil_socket_t file, short what, void *argument) {
    (void)file;
    EXPECT(what == EV_TIMEOUT);
    if (++calls == 3) event_del(argument);
}

void on_data(evutil_socket_t file, short what, void *argument) {
    char byte;
    (void)argument;
    EXPECT(what == EV_READ && read(file, &byte, 1) == 1);
    ++calls;
}

static void run_until(int wanted) {
    while (calls < wanted) event_base_loop(base, EVLOOP_ONCE);
    EXPECT(calls == wanted);
    calls = 0;
}

static void run_timers(void) {
    struct event *a = evtimer_new(base, on_single, NULL), *b;
    event_callback_fn callback;
    errno = ENOTTY;
    EXPECT(evtimer_del(a) == 0);
    EXPECT(evtimer_add(a, &long_time) == 0); /* A */
    EXPECT(evtimer_add(a, &long_time) == 0); /* R */
    EXPECT(event_get_callback(a) == on_single);
    event_get_assignment(a, NULL, NULL, NULL, &callback, NULL);
    EXPECT(callback == on_single && errno == ENOTTY);
    EXPECT(evtimer_del(a) == 0 && evtimer_del(a) == 0); /* C */
    EXPECT(a->ev_evcallback.evcb_cb_union.evcb_callback == on_single);
    EXPECT(evtimer_add(a, &short_time) == 0); /* A F */
    run_until(1);
    EXPECT(last == EV_TIMEOUT && a->ev_evcallback.evcb_cb_union.evcb_callback == on_single);
    EXPECT(evtimer_add(a, &long_time) == 0); /* A C: by hand is no firing */
    event_active(a, EV_TIMEOUT, 1);
    run_until(1);
    EXPECT(evtimer_add(a, event_base_init_common_timeout(base, &long_time)) == 0); /* A */
    EXPECT(event_remove_timer(a) == 0);                                            /* C */
    EXPECT(evtimer_add(a, &long_time) == 0);                                       /* A */
    event_free(a);                                                                 /* C */
    b = event_new(base, -1, EV_PERSIST, on_repeat, event_self_cbarg());
    EXPECT(event_add(b, &short_time) == 0); /* A FA FA FA C */
    run_until(3);
    event_free(b);
}

static void run_files(void) {
    struct event once, each;
    int ends[2];
    EXPECT(pipe(ends) == 0);
    EXPECT(event_assign(&once, base, ends[0], EV_READ, on_data, NULL) == 0);
    EXPECT(event_add(&once, &long_time) == 0 && write(ends[1], "x", 1) == 1); /* A C */
    run_until(1);
    EXPECT(event_assign(&each, base, ends[0], EV_READ | EV_PERSIST, on_data, NULL) == 0);
    EXPECT(event_add(&each, &long_time) == 0 && write(ends[1], "xx", 2) == 2); /* A R R */
    run_until(2);
    EXPECT(event_del(&each) == 0); /* C */
    EXPECT(event_add(&each, NULL) == 0 && write(ends[1], "x", 1) == 1);
    run_until(1);
    EXPECT(event_del(&each) == 0);
    EXPECT(write(ends[1], "x", 1) == 1);
    EXPECT(event_base_once(base, ends[0], EV_READ, on_data, NULL, &long_time) == 0); /* A C */
    run_until(1);
    EXPECT(event_base_once(base, -1, EV_TIMEOUT, on_single, NULL, &short_time) == 0); /* A F */
    run_until(1);
    EXPECT(event_base_once(base, -1, EV_SIGNAL, on_single, NULL, &long_time) == -1); /* A C */
}

static void on_read(struct bufferevent *buffer, void *argument) {
    (void)argument;
    evbuffer_drain(bufferevent_get_input(buffer), 1);
    ++calls;
}

/* The library's own events. */
static void run_buffers(void) {
    evutil_socket_t ends[2];
    EXPECT(evutil_socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    struct bufferevent *buffer = bufferevent_socket_new(base, ends[0], 0);
    bufferevent_setcb(buffer, on_read, NULL, NULL, NULL);
    bufferevent_set_timeouts(buffer, &long_time, NULL);
    EXPECT(bufferevent_disable(buffer, EV_WRITE) == 0);
    EXPECT(bufferevent_enable(buffer, EV_READ) == 0); /* A */
    EXPECT(write(ends[1], "x", 1) == 1);              /* R */
    run_until(1);
    bufferevent_free(buffer); /* C */
    event_base_loop(base, EVLOOP_NONBLOCK);
}

int main(void) {
    base = event_base_new();
    EXPECT(base != NULL);
    run_timers();
    run_files();
    run_buffers();
    event_base_free(base);
    return 0;
}
