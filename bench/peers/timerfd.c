/* Linux's timerfd as a peer: a file descriptor a timer, all in one epoll set, edge-triggered, so
 * that a firing needs no read: timerfd_settime clears what has expired. Each arm and each stop is a
 * system call. The memory is the kernel's. */
#include "peers/peer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define BATCH 256
#define OTHER_FILES 32 /* that this process has open, at the most */

struct object {
    int fd;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    int epoll;
} subject;

static void peer_fired(subject *s, const object *timer);

static inline void subject_stop(subject *s, uint32_t i) {
    static const struct itimerspec never;
    timerfd_settime(s->own.objects[i].fd, 0, &never, NULL);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const struct itimerspec spec = { .it_value = peer_timespec(peer_span(now, delay)) };
    timerfd_settime(s->own.objects[i].fd, 0, &spec, NULL);
}

static inline void subject_add(subject *s, uint32_t i, int64_t now, int64_t delay) {
    subject_reset(s, i, now, delay);
}

static void subject_update(subject *s) {
    (void)s;
}

static void subject_within(subject *s, peer_task *task, void *argument) {
    (void)s;
    task(argument);
}

static void subject_pass(subject *s, bool wait) {
    struct epoll_event events[BATCH];
    const int count = epoll_wait(s->epoll, events, BATCH, wait ? -1 : 0);
    for (int k = 0; k < count; ++k) peer_fired(s, events[k].data.ptr);
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i) close(s->own.objects[i].fd);
    close(s->epoll);
}

/* Opens the i-th. False: errno tells why. */
static bool open_timer(subject *s, uint32_t i) {
    object *timer = &s->own.objects[i];
    struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.ptr = timer };
    timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer->fd < 0) return false;
    s->own.count = i + 1;
    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, timer->fd, &event) == 0;
}

static bool subject_open(subject *s, const player_spec *spec) {
    const uint32_t count = (uint32_t)spec->timers + WORKLOAD_RING;
    const uint64_t files = peer_raise_limit(RLIMIT_NOFILE);
    s->own.is_elsewhere = true;
    if (count + OTHER_FILES > files)
        return peer_refuse(&s->own, "a file descriptor a timer, and a process may have %llu",
                           (unsigned long long)files);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll < 0) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (open_timer(s, i)) continue;
        peer_refuse(&s->own, "a file descriptor a timer; after %u: %s", i, strerror(errno));
        subject_close(s);
        return false;
    }
    return true;
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "no caller's time: all due, a system call for 256 of them";
    if (spec->workload == WORKLOAD_LATENESS) return "";
    return "a system call an arm and a stop; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
