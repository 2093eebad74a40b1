#include "locks/crowd.h"

#include "workload/clock.h"
#include "workload/cores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct crowd {
    const scene *scene;
    enum lock_kind kind;
    int64_t held_steps;
    guarded *locks;
    pthread_barrier_t start;
    _Alignas(128) atomic_bool stop;
} crowd;

typedef struct member {
    crowd *crowd;
    guarded *lock;
    histogram *waits; /* NULL: not timed */
    int64_t index;
    uint64_t turns;
    pthread_t thread;
} member;

/* Each step needs the result of the one before. */
static inline uint64_t work(uint64_t seed, int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(seed));
    }
    return seed;
}

#define PROBE_STEPS 100000
#define PROBES 20

static double step_ns;

void crowd_calibrate(void) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < PROBES; ++i) {
        const int64_t before = clock_ns();
        work(1, PROBE_STEPS);
        const int64_t took = clock_ns() - before;
        if (took < best) best = took;
    }
    step_ns = (double)best / PROBE_STEPS;
}

LOCK_INLINE void take(member *m, enum lock_kind kind) {
    if (m->waits == NULL) {
        lock_take(m->lock, kind);
        return;
    }
    const int64_t before = clock_ns();
    lock_take(m->lock, kind);
    histogram_add(m->waits, clock_ns() - before);
}

LOCK_INLINE void take_turns(member *m, enum lock_kind kind) {
    crowd *c = m->crowd;
    const int64_t steps = c->held_steps;
    uint64_t turns = 0;
    do {
        take(m, kind);
        ++m->lock->turns;
        work(turns, steps);
        lock_drop(m->lock, kind);
        work(turns, steps);
        ++turns;
    } while (!atomic_load_explicit(&c->stop, memory_order_relaxed));
    m->turns = turns;
}

LOCK_INLINE void stall(member *m, enum lock_kind kind) {
    while (!atomic_load_explicit(&m->crowd->stop, memory_order_relaxed)) {
        lock_take(m->lock, kind);
        clock_sleep(SCENE_STALL_NS);
        lock_drop(m->lock, kind);
        clock_sleep(SCENE_CALM_NS);
    }
}

LOCK_INLINE void play(member *m, enum lock_kind kind) {
    if (m->index < m->crowd->scene->threads) take_turns(m, kind);
    else stall(m, kind);
}

static void *run_member(void *argument) {
    member *m = argument;
    cores_bind(m->index);
    pthread_barrier_wait(&m->crowd->start);
    switch (m->crowd->kind) {
    case LOCK_MUTEX: play(m, LOCK_MUTEX); break;
    case LOCK_ADAPTIVE: play(m, LOCK_ADAPTIVE); break;
    case LOCK_TARRY: play(m, LOCK_TARRY); break;
    case LOCK_KINDS: break;
    }
    return NULL;
}

static void init_lock(guarded *g, enum lock_kind kind) {
    pthread_mutexattr_t how;
    *g = (guarded){ 0 };
    if (kind == LOCK_TARRY) {
        tri_lock_init(&g->lock.tarry, TRI_RANK_BUCKET, false);
        return;
    }
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, kind == LOCK_ADAPTIVE ? PTHREAD_MUTEX_ADAPTIVE_NP
                                                          : PTHREAD_MUTEX_DEFAULT);
    pthread_mutex_init(&g->lock.mutex, &how);
    pthread_mutexattr_destroy(&how);
}

/* Those at the barrier would wait for ever for one that is missing. */
static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "tarry-locks: no more %s\n", what);
    exit(3);
}

static void start(crowd *c, member *members, int64_t count, bool timed) {
    pthread_barrier_init(&c->start, NULL, (unsigned)count + 1);
    for (int64_t i = 0; i < count; ++i) {
        member *m = &members[i];
        *m = (member){ .crowd = c, .lock = &c->locks[c->scene->shared ? 0 : i], .index = i };
        if (timed) {
            m->waits = calloc(1, sizeof *m->waits);
            need(m->waits != NULL && histogram_init(m->waits) == 0, "memory");
        }
        need(pthread_create(&m->thread, NULL, run_member, m) == 0, "threads");
    }
}

/* How many turns there were. False: the locks let two in at once. */
static bool finish(crowd *c, member *members, int64_t count, uint64_t *turns, histogram *waits) {
    uint64_t counted = 0;
    *turns = 0;
    for (int64_t i = 0; i < count; ++i) {
        member *m = &members[i];
        pthread_join(m->thread, NULL);
        *turns += m->turns;
        if (m->waits == NULL) continue;
        histogram_merge(waits, m->waits);
        histogram_free(m->waits);
        free(m->waits);
    }
    for (int64_t i = 0; i < count; ++i) {
        counted += c->locks[i].turns;
        if (c->kind != LOCK_TARRY) pthread_mutex_destroy(&c->locks[i].lock.mutex);
    }
    pthread_barrier_destroy(&c->start);
    return counted == *turns;
}

double crowd_run(const scene *s, enum lock_kind kind, int64_t span_ns, histogram *waits) {
    const int64_t count = s->threads + s->stalls;
    crowd c = { .scene = s, .kind = kind, .held_steps = llround((double)s->held_ns / step_ns) };
    member *members = calloc((size_t)count, sizeof *members);
    uint64_t turns;
    c.locks = aligned_alloc(_Alignof(guarded), (size_t)count * sizeof *c.locks);
    need(members != NULL && c.locks != NULL, "memory");
    for (int64_t i = 0; i < count; ++i) init_lock(&c.locks[i], kind);
    start(&c, members, count, waits != NULL);
    pthread_barrier_wait(&c.start);
    const int64_t began = clock_ns();
    clock_sleep(span_ns);
    atomic_store(&c.stop, true);
    const int64_t took = clock_ns() - began;
    const bool good = finish(&c, members, count, &turns, waits);
    free(c.locks);
    free(members);
    if (good) return (double)took / (double)turns;
    fprintf(stderr, "tarry-locks: %s: check failed: the turns do not add up\n", s->name);
    return NAN;
}
