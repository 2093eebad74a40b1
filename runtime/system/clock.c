#include "system/clock.h"

#include "system/futex.h"
#include "system/thread.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id) {
    struct timespec at;
    clock_gettime(id, &at);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* A realtime timer that is cancelled when the wall clock is set or the machine resumes: the one
 * notice of a suspend that the kernel gives. */
static void *watch_for_resume(void *argument) {
    tri_clock *clock = argument;
    tri_thread_name("tarry-clock");
    struct pollfd polled[2] = { { clock->watcher_fd, POLLIN, 0 }, { clock->quit_fd, POLLIN, 0 } };
    while ((polled[1].revents & POLLIN) == 0) {
        const struct itimerspec far = { .it_value = { .tv_sec = INT_MAX } };
        timerfd_settime(clock->watcher_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, NULL);
        /* One that came before the timer was set is not told. */
        tri_clock_recheck(clock);
        poll(polled, 2, -1);
        uint64_t expired;
        ssize_t size = read(clock->watcher_fd, &expired, sizeof expired);
        (void)size; /* ECANCELED is what we wait for; what follows is the same for any answer */
    }
    return NULL;
}

static void close_fds(tri_clock *clock) {
    if (clock->watcher_fd >= 0) close(clock->watcher_fd);
    if (clock->quit_fd >= 0) close(clock->quit_fd);
    clock->watcher_fd = clock->quit_fd = -1;
}

static int start_watcher(tri_clock *clock) {
    clock->watcher_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    clock->quit_fd = eventfd(0, EFD_CLOEXEC);
    int error = clock->watcher_fd < 0 || clock->quit_fd < 0 ? errno : 0;
    if (error == 0)
        error = tri_thread_start(&clock->watcher, watch_for_resume, clock);
    if (error != 0) close_fds(clock);
    return -error;
}

int tri_clock_init(tri_clock *clock, const tri_clock_config *config) {
    memset(clock, 0, sizeof *clock);
    clock->kind = config->kind;
    clock->caller = config->caller;
    clock->caller_context = config->caller_context;
    clock->watcher_fd = clock->quit_fd = -1;
    atomic_init(&clock->virtual_ns, config->virtual_start);
    tri_lock_init(&clock->lock, TRI_RANK_CLOCK, config->no_locks);
    if (config->kind != TARRY_CLOCK_BOOTTIME || !config->threads) return 0;
    return start_watcher(clock);
}

void tri_clock_stop(tri_clock *clock) {
    if (clock->watcher_fd >= 0) {
        const uint64_t one = 1;
        ssize_t size = write(clock->quit_fd, &one, sizeof one);
        (void)size;
        pthread_join(clock->watcher, NULL);
    }
    close_fds(clock);
}

int64_t tri_clock_now(const tri_clock *clock) {
    switch (clock->kind) {
    case TARRY_CLOCK_VIRTUAL:
        return atomic_load_explicit(&clock->virtual_ns, memory_order_acquire);
    case TARRY_CLOCK_CALLER:
        return clock->caller(clock->caller_context);
    case TARRY_CLOCK_BOOTTIME:
        return read_clock(CLOCK_BOOTTIME);
    default:
        return read_clock(CLOCK_MONOTONIC);
    }
}

/* The kernel's timeout that stands for a deadline. */
static int64_t monotonic_limit(const tri_clock *clock, int64_t deadline) {
    if (deadline >= TRI_TIME_END || tri_clock_is_moved(clock)) return INT64_MAX;
    if (clock->kind == TARRY_CLOCK_MONOTONIC) return deadline;
    /* Read in this order, a suspend in between makes it too early, never too late. */
    const int64_t monotonic = read_clock(CLOCK_MONOTONIC);
    return tri_time_after(monotonic, tri_time_until(deadline, read_clock(CLOCK_BOOTTIME)));
}

static void tell_settled_locked(tri_clock *clock) {
    tri_assert_held(&clock->lock);
    if (clock->settled_waiters == 0) return;
    atomic_fetch_add(&clock->settled_word, 1);
    /* Under the lock: the clock may be gone afterwards. Only tarry_advance waits for it. */
    tri_futex_wake(&clock->settled_word, INT_MAX);
}

void tri_alarm_clear(tri_alarm *alarm) {
    if (!alarm->is_listed) return;
    alarm->is_listed = false;
    tri_lock_take(&alarm->clock->lock);
    tri_list_remove(&alarm->listed);
    tell_settled_locked(alarm->clock);
    tri_lock_drop(&alarm->clock->lock);
}

int64_t tri_alarm_set(tri_alarm *alarm, int64_t deadline) {
    tri_clock *clock = alarm->clock;
    if (deadline >= TRI_TIME_END) {
        tri_alarm_clear(alarm);
        return INT64_MAX;
    }
    if (clock->kind == TARRY_CLOCK_MONOTONIC) return deadline;
    tri_lock_take(&clock->lock);
    alarm->deadline = deadline;
    if (!alarm->is_listed) tri_list_add(&clock->alarms, &alarm->listed);
    alarm->is_listed = true;
    tell_settled_locked(clock);
    /* Looked at under the lock: whoever moves the clock afterwards finds it in the list. */
    const bool reached = tri_clock_now(clock) >= deadline;
    tri_lock_drop(&clock->lock);
    return reached ? INT64_MIN : monotonic_limit(clock, deadline);
}

void tri_clock_wait(tri_clock *clock, _Atomic uint32_t *word, uint32_t seen, int64_t deadline) {
    tri_assert_no_lock();
    tri_alarm alarm = { .clock = clock, .word = word };
    const int64_t limit = tri_alarm_set(&alarm, deadline);
    if (limit != INT64_MIN) tri_futex_wait_until(word, seen, limit);
    tri_alarm_clear(&alarm);
}

/* Who waits may leave, and the word vanish, as soon as the lock is dropped: so the wake is sent
 * under it. Only clocks that somebody moves come here. */
static void bump_until(tri_clock *clock, int64_t now) {
    tri_assert_held(&clock->lock);
    for (tri_listed *listed = clock->alarms; listed != NULL; listed = listed->next) {
        const tri_alarm *alarm = (tri_alarm *)listed;
        if (alarm->deadline > now) continue;
        atomic_fetch_add(alarm->word, 4);
        tri_futex_wake(alarm->word, INT_MAX);
    }
}

static int64_t first_alarm_locked(const tri_clock *clock) {
    tri_assert_held(&clock->lock);
    int64_t first = INT64_MAX;
    for (const tri_listed *listed = clock->alarms; listed != NULL; listed = listed->next) {
        const tri_alarm *alarm = (const tri_alarm *)listed;
        if (alarm->deadline < first) first = alarm->deadline;
    }
    return first;
}

int64_t tri_clock_settle(tri_clock *clock) {
    int64_t first;
    tri_lock_take(&clock->lock);
    ++clock->settled_waiters;
    while ((first = first_alarm_locked(clock)) <= tri_clock_now(clock)) {
        const uint32_t seen = atomic_load(&clock->settled_word);
        tri_lock_drop(&clock->lock);
        tri_futex_wait_until(&clock->settled_word, seen, INT64_MAX);
        tri_lock_take(&clock->lock);
    }
    --clock->settled_waiters;
    tri_lock_drop(&clock->lock);
    return first;
}

void tri_clock_reach(tri_clock *clock, int64_t now) {
    tri_lock_take(&clock->lock);
    if (clock->kind == TARRY_CLOCK_VIRTUAL && atomic_load(&clock->virtual_ns) < now)
        atomic_store_explicit(&clock->virtual_ns, now, memory_order_release);
    bump_until(clock, now);
    tri_lock_drop(&clock->lock);
}

void tri_clock_recheck(tri_clock *clock) {
    tri_lock_take(&clock->lock);
    bump_until(clock, INT64_MAX);
    tri_lock_drop(&clock->lock);
}

int64_t tri_time_after(int64_t now, int64_t delay) {
    int64_t deadline;
    if (delay <= 0) return now;
    if (__builtin_add_overflow(now, delay, &deadline)) return TRI_TIME_END;
    return tri_time_deadline(deadline);
}

int64_t tri_time_until(int64_t deadline, int64_t now) {
    int64_t left;
    if (deadline <= now) return 0;
    return __builtin_sub_overflow(deadline, now, &left) ? INT64_MAX : left;
}

int64_t tri_time_next_tick(int64_t deadline, int64_t period, int64_t now, uint64_t *skipped) {
    const uint64_t late = (uint64_t)now - (uint64_t)deadline;
    *skipped = late / (uint64_t)period;
    /* To the last point of the series that is not after now, then one more. */
    const int64_t last = (int64_t)((uint64_t)deadline + *skipped * (uint64_t)period);
    return tri_time_after(last, period);
}
