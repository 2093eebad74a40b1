/* POSIX timers as a peer: timer_create with a signal that is blocked and read from a signalfd, many
 * at a time, so that no handler interrupts the program. Each arm and each stop is a system call. A
 * timer takes one of the signals that a user may have pending (RLIMIT_SIGPENDING), from its making
 * on. The memory is the kernel's. */
#include "peers/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define BATCH 64

struct object {
    timer_t id;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    int signals;
} subject;

static void peer_fired(subject *s, const object *timer);

static inline void subject_stop(subject *s, uint32_t i) {
    static const struct itimerspec never;
    timer_settime(s->own.objects[i].id, 0, &never, NULL);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const struct itimerspec spec = { .it_value = peer_timespec(peer_span(now, delay)) };
    timer_settime(s->own.objects[i].id, 0, &spec, NULL);
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
    struct signalfd_siginfo got[BATCH];
    struct pollfd one = { .fd = s->signals, .events = POLLIN };
    if (wait) poll(&one, 1, -1);
    const ssize_t size = read(s->signals, got, sizeof got);
    for (size_t k = 0; size > 0 && k < (size_t)size / sizeof *got; ++k)
        peer_fired(s, (object *)(uintptr_t)got[k].ssi_ptr);
}

static void subject_close(subject *s) {
    struct signalfd_siginfo left[BATCH];
    for (uint32_t i = 0; i < s->own.count; ++i) timer_delete(s->own.objects[i].id);
    while (read(s->signals, left, sizeof left) > 0) continue;
    close(s->signals);
}

static bool open_signals(subject *s) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return s->signals >= 0;
}

static bool subject_open(subject *s, const player_spec *spec) {
    const uint32_t count = (uint32_t)spec->timers + WORKLOAD_RING;
    const uint64_t most = peer_raise_limit(RLIMIT_SIGPENDING);
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
    s->own.is_elsewhere = true;
    if (count > most)
        return peer_refuse(&s->own, "a pending signal a timer, and a user may have %llu",
                           (unsigned long long)most);
    if (!open_signals(s)) return false;
    for (; s->own.count < count; ++s->own.count) {
        event.sigev_value.sival_ptr = &s->own.objects[s->own.count];
        if (timer_create(CLOCK_MONOTONIC, &event, &s->own.objects[s->own.count].id) == 0) continue;
        peer_refuse(&s->own, "a pending signal a timer; after %u: %s", s->own.count,
                    strerror(errno));
        subject_close(s);
        return false;
    }
    return true;
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE)
        return "no caller's time: all due, a system call for 64 of them";
    if (spec->workload == WORKLOAD_LATENESS) return "";
    return "a system call an arm and a stop; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
