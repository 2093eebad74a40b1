/* Do one of several sends and receives, waiting for the first that can go on.
 *
 * No two mailboxes are ever locked together. First each case is tried, in random order, so that
 * none of several ready ones is preferred. Then a node is queued on each mailbox in turn; a
 * mailbox that has become ready meanwhile is taken on the spot, if our claim is still open. From
 * the first node on, whoever takes the claim decides the outcome: each message goes to exactly one
 * case of one waiter. At last the nodes are taken out again; a mailbox is not freed before its
 * visitors left.
 *
 * A timer's mailbox is looked at first, which makes the message that has come due. Who waits on some
 * sleeps until the earliest of their deadlines and of its own, then looks at all of them again. The
 * word that it sleeps on is read before it looks, so that an arming for earlier that comes between
 * the two is not missed. */
#include "dispatch/timed.h"

#include "system/futex.h"
#include "system/thread.h"

#include <errno.h>
#include <limits.h>

/* Not a good random number, only a different one each time, and no thread shares it. */
static uint32_t any_number(void) {
    static _Thread_local uint32_t state;
    if (state == 0) state = (uint32_t)(uintptr_t)&state | 1u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* The next deadline of a timer's mailbox; TRI_NEVER: there is none to wait for. */
static int64_t look_locked(tarry_mailbox *mailbox, tri_waiter **wakes) {
    tri_assert_held(mailbox->lock);
    return mailbox->is_timers ? tri_timed_look_locked((tri_timed *)mailbox, wakes) : TRI_NEVER;
}

static int perform_locked(tarry_case *chosen, tri_waiter **wakes) {
    tarry_mailbox *mailbox = chosen->mailbox;
    tri_assert_held(mailbox->lock);
    if (chosen->op == TARRY_RECV)
        return tri_mailbox_get_locked(mailbox, &chosen->message, wakes);
    /* Looked at first: a closed one's clock may be gone. */
    if (mailbox->closed) return -EPIPE;
    const int64_t now = tri_clock_now(&mailbox->bucket->shared->clock);
    const tarry_message message = { chosen->message.data, now, now };
    return tri_mailbox_put_locked(mailbox, &message, wakes);
}

static bool try_one(tarry_case *one) {
    tri_waiter *wakes = NULL;
    tri_lock_take(one->mailbox->lock);
    look_locked(one->mailbox, &wakes);
    const int status = perform_locked(one, &wakes);
    tri_lock_drop(one->mailbox->lock);
    tri_waiter_wake(wakes);
    if (status != -EAGAIN) one->status = status;
    return status != -EAGAIN;
}

/* In random order: to begin anywhere and go round would prefer a case that follows unready ones. */
static bool try_any(size_t *chosen, tarry_case *cases, size_t count) {
    uint8_t order[TARRY_MAX_CASES];
    for (size_t i = 0; i < count; ++i) order[i] = (uint8_t)i;
    for (size_t left = count; left > 0; --left) {
        const size_t pick = left == 1 ? 0 : any_number() % left;
        const size_t at = order[pick];
        order[pick] = order[left - 1];
        if (cases[at].mailbox == NULL || !try_one(&cases[at])) continue;
        *chosen = at;
        return true;
    }
    return false;
}

/* One call that waits. */
typedef struct wait {
    tri_waiter waiter;
    tarry_case *cases;
    size_t count;
    size_t queued;     /* how many of the cases were gone through */
    bool performed;    /* one was ready, and is done */
    tri_clock *clock;  /* of the call's own deadline */
    int64_t deadline;  /* TRI_TIME_END: none, or somebody else decides the outcome */
    tri_wait_node nodes[TARRY_MAX_CASES];
    int64_t due[TARRY_MAX_CASES];             /* the next deadline of each, TRI_NEVER: none */
    tri_alarm alarms[TARRY_MAX_CASES + 1];    /* for these, and the last for the call's own */
} wait;

/* Queue a node, or go on at once where the mailbox is ready. True: the outcome is decided. */
static bool queue_one(wait *w, size_t at) {
    tri_waiter *wakes = NULL;
    tarry_case *one = &w->cases[at];
    tarry_mailbox *mailbox = one->mailbox;
    tri_wait_node *node = &w->nodes[at];
    bool decided = true;
    *node = (tri_wait_node){ .waiter = &w->waiter,
                             .data = one->message.data,
                             .claim = (uint32_t)at + 1 };
    tri_lock_take(mailbox->lock);
    w->due[at] = look_locked(mailbox, &wakes);
    if (!tri_mailbox_ready_locked(mailbox, one->op)) {
        tri_mailbox_enqueue_locked(mailbox, one->op, node);
        decided = false;
    } else if (tri_waiter_claim(&w->waiter, node->claim)) {
        one->status = perform_locked(one, &wakes);
        w->performed = true;
    }
    tri_lock_drop(mailbox->lock);
    tri_waiter_wake(wakes);
    return decided;
}

/* Our own thread is awake. */
static void wake_others(tri_waiter *wakes, tri_waiter *own) {
    for (tri_waiter **at = &wakes; *at != NULL; at = &(*at)->next_wake) {
        if (*at != own) continue;
        *at = own->next_wake;
        atomic_fetch_or_explicit(&own->word, TRI_DONE, memory_order_relaxed);
        break;
    }
    tri_waiter_wake(wakes);
}

/* Look at every timer again: one that is due may be what we wait for, or what another does. */
static void look_again(wait *w) {
    for (size_t i = 0; i < w->queued; ++i) {
        tri_waiter *wakes = NULL;
        tarry_mailbox *mailbox = w->cases[i].mailbox;
        if (mailbox == NULL || !mailbox->is_timers) continue;
        tri_lock_take(mailbox->lock);
        w->due[i] = look_locked(mailbox, &wakes);
        tri_lock_drop(mailbox->lock);
        wake_others(wakes, &w->waiter);
    }
}

/* Set the alarms. The limit of the sleep; INT64_MIN: something has come due already. */
static int64_t set_alarms(wait *w) {
    int64_t first = tri_alarm_set(&w->alarms[TARRY_MAX_CASES], w->deadline);
    for (size_t i = 0; i < w->queued; ++i) {
        if (w->cases[i].mailbox == NULL || !w->cases[i].mailbox->is_timers) continue;
        const int64_t limit = tri_alarm_set(&w->alarms[i], w->due[i]);
        if (limit < first) first = limit;
    }
    return first;
}

static void init_alarms(wait *w) {
    for (size_t i = 0; i < w->queued; ++i)
        if (w->cases[i].mailbox != NULL)
            w->alarms[i] = (tri_alarm){ .clock = &w->cases[i].mailbox->bucket->shared->clock,
                                        .word = &w->waiter.word };
    w->alarms[TARRY_MAX_CASES] = (tri_alarm){ .clock = w->clock, .word = &w->waiter.word };
}

static void clear_alarms(wait *w) {
    for (size_t i = 0; i < w->queued; ++i)
        if (w->cases[i].mailbox != NULL) tri_alarm_clear(&w->alarms[i]);
    tri_alarm_clear(&w->alarms[TARRY_MAX_CASES]);
}

static void sleep_until(wait *w, uint32_t seen, int64_t limit) {
    const int slack = limit != INT64_MAX ? tri_thread_sharpen() : 0;
    tri_assert_no_lock();
    tri_futex_wait_until(&w->waiter.word, seen, limit);
    tri_thread_blunt(slack);
}

/* Block until the waiter is DONE (0), or, if nobody has claimed it by then, until the clock reaches
 * the deadline (-ETIMEDOUT; the claim is ours). */
static int park(wait *w) {
    /* As it was before the first look. */
    for (uint32_t seen = 0;;) {
        const int64_t limit = set_alarms(w);
        if (limit != INT64_MIN) sleep_until(w, seen, limit);
        seen = atomic_load_explicit(&w->waiter.word, memory_order_acquire);
        if ((seen & TRI_DONE) == 0) look_again(w);
        if ((atomic_load_explicit(&w->waiter.word, memory_order_acquire) & TRI_DONE) != 0) return 0;
        if (w->deadline >= TRI_TIME_END || tri_clock_now(w->clock) < w->deadline) continue;
        if (tri_waiter_claim(&w->waiter, TRI_CLAIM_TIMEOUT)) return -ETIMEDOUT;
        w->deadline = TRI_TIME_END; /* somebody is about to wake us: wait for that */
    }
}

/* Leave every mailbox that a node was queued on. */
static void leave(wait *w) {
    for (size_t i = 0; i < w->queued; ++i) {
        tarry_mailbox *mailbox = w->cases[i].mailbox;
        if (mailbox == NULL) continue;
        tri_lock_take(mailbox->lock);
        tri_mailbox_dequeue_locked(mailbox, w->cases[i].op, &w->nodes[i]);
        const bool last = mailbox->closed && mailbox->visitors == 0;
        if (last) atomic_fetch_add(&mailbox->left, 1);
        _Atomic uint32_t *left = &mailbox->left;
        /* The mailbox may be freed from here on. */
        tri_lock_drop(mailbox->lock);
        if (last) tri_futex_wake(left, INT_MAX);
    }
}

static int wait_any(size_t *chosen, wait *w) {
    bool decided = false;
    for (; w->queued < w->count && !decided; w->queued += !decided)
        decided = w->cases[w->queued].mailbox != NULL && queue_one(w, w->queued);
    int error = 0;
    if (!w->performed) {
        if (decided) w->deadline = TRI_TIME_END;
        init_alarms(w);
        error = park(w);
        clear_alarms(w);
    }
    leave(w);
    if (error != 0) return error;
    *chosen = atomic_load(&w->waiter.claim) - 1;
    if (w->performed) return 0;
    tarry_case *one = &w->cases[*chosen];
    one->status = w->waiter.status;
    if (one->op == TARRY_RECV && one->status == 0) one->message = w->waiter.message;
    return 0;
}

int tri_choose(size_t *chosen, tarry_case *cases, size_t count, tri_clock *clock,
               int64_t deadline) {
    tri_assert_no_lock();
    if (try_any(chosen, cases, count)) return 0;
    if (deadline < TRI_TIME_END && tri_clock_now(clock) >= deadline) return -ETIMEDOUT;
    /* The one thread that there is would wait for itself. */
    if (clock->lock.off) return -EDEADLK;
    wait w;
    w.waiter = (tri_waiter){ .status = 0 };
    w.cases = cases;
    w.count = count;
    w.queued = 0;
    w.performed = false;
    w.clock = clock;
    w.deadline = deadline < TRI_TIME_END ? deadline : TRI_TIME_END;
    return wait_any(chosen, &w);
}
