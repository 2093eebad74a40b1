/* DPDK's rte_timer as a peer: a skip list for each logical core. The EAL is started without huge
 * pages, devices or files; it would pin the thread to a core, which is undone. The library polls:
 * it has no call that waits for the next timer. */
#include "peers/peer.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_timer.h>
#include <sched.h>

struct object {
    struct rte_timer timer;
    int64_t deadline;
};

typedef struct subject {
    peer_common own;
    double ticks_per_ns;
    unsigned core;
} subject;

static void peer_fired(subject *s, const object *timer);

static void on_timer(struct rte_timer *timer, void *argument) {
    peer_fired(argument, (object *)(void *)timer);
}

static inline void subject_stop(subject *s, uint32_t i) {
    rte_timer_stop(&s->own.objects[i].timer);
}

static inline void subject_reset(subject *s, uint32_t i, int64_t now, int64_t delay) {
    const double ticks = (double)peer_span(now, delay) * s->ticks_per_ns + 1;
    rte_timer_reset(&s->own.objects[i].timer, (uint64_t)ticks, SINGLE, s->core, on_timer, s);
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
    (void)s;
    (void)wait;
    rte_timer_manage();
}

/* Once a process. */
static bool start(void) {
    static int started = -1;
    char *arguments[] = { "tarry-peer-dpdk", "--no-huge", "--no-shconf", "--no-pci",
                          "--no-telemetry", "--log-level=1", "-m", "64", NULL };
    cpu_set_t cores;
    if (started >= 0) return started;
    sched_getaffinity(0, sizeof cores, &cores);
    started = rte_eal_init(8, arguments) >= 0 && rte_timer_subsystem_init() == 0;
    sched_setaffinity(0, sizeof cores, &cores);
    return started;
}

static bool subject_open(subject *s, const player_spec *spec) {
    s->own.is_elsewhere = true; /* the EAL's memory would count as that of the timers */
    if (!start()) return peer_refuse(&s->own, "the EAL does not start here");
    s->ticks_per_ns = (double)rte_get_timer_hz() * 1e-9;
    s->core = rte_lcore_id();
    s->own.count = (uint32_t)spec->timers + WORKLOAD_RING;
    for (uint32_t i = 0; i < s->own.count; ++i) rte_timer_init(&s->own.objects[i].timer);
    return true;
}

static void subject_close(subject *s) {
    for (uint32_t i = 0; i < s->own.count; ++i) rte_timer_stop(&s->own.objects[i].timer);
}

static const char *subject_note(const player_spec *spec) {
    if (spec->workload == WORKLOAD_EXPIRE) return "a lock; no caller's time: all due, one call";
    if (spec->workload == WORKLOAD_LATENESS) return "polls all the time";
    return "a lock; reads the clock for each arm; no caller's time, so nothing expires meanwhile";
}

#include "peers/play.h"
