/* Do one of several sends and receives, waiting for the first that can go on.
 *
 * No two mailboxes are ever locked together. First each case is tried, in random order, so that
 * none of several ready ones is preferred. Then a node is queued on each mailbox in turn; a
 * mailbox that has become ready meanwhile is taken on the spot, if our claim is still open. From
 * the first node on, whoever takes the claim decides the outcome: each message goes to exactly one
 * case of one waiter. At last the nodes are taken out again; a mailbox is not freed before its
 * visitors left. */
#include "dispatch/mailbox.h"

#include "system/futex.h"

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

static int perform_locked(tarry_case *chosen, tri_waiter **wakes) {
    tarry_mailbox *mailbox = chosen->mailbox;
    tri_assert_held(&mailbox->lock);
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
    tri_lock_take(&one->mailbox->lock);
    const int status = perform_locked(one, &wakes);
    tri_lock_drop(&one->mailbox->lock);
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

/* Queue a node, or go on at once where the mailbox is ready. True: the outcome is decided. */
static bool queue_one(tarry_case *one, tri_wait_node *node, bool *performed) {
    tri_waiter *wakes = NULL;
    tarry_mailbox *mailbox = one->mailbox;
    bool decided = true;
    tri_lock_take(&mailbox->lock);
    if (!tri_mailbox_ready_locked(mailbox, one->op)) {
        tri_mailbox_enqueue_locked(mailbox, one->op, node);
        decided = false;
    } else if (tri_waiter_claim(node->waiter, node->claim)) {
        one->status = perform_locked(one, &wakes);
        *performed = true;
    }
    tri_lock_drop(&mailbox->lock);
    tri_waiter_wake(wakes);
    return decided;
}

/* Leave every mailbox that a node was queued on. */
static void leave(const tarry_case *cases, tri_wait_node *nodes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        tarry_mailbox *mailbox = cases[i].mailbox;
        if (mailbox == NULL) continue;
        tri_lock_take(&mailbox->lock);
        tri_mailbox_dequeue_locked(mailbox, cases[i].op, &nodes[i]);
        const bool last = mailbox->closed && mailbox->visitors == 0;
        if (last) atomic_fetch_add(&mailbox->left, 1);
        /* The mailbox may be freed from here on. */
        tri_lock_drop(&mailbox->lock);
        if (last) tri_futex_wake(&mailbox->left, INT_MAX);
    }
}

static int wait_any(size_t *chosen, tarry_case *cases, size_t count, tri_clock *clock,
                    int64_t deadline) {
    tri_waiter waiter = { .status = 0 };
    tri_wait_node nodes[TARRY_MAX_CASES];
    size_t queued = 0;
    bool decided = false, performed = false;
    for (; queued < count && !decided; queued += !decided) {
        if (cases[queued].mailbox == NULL) continue;
        nodes[queued] = (tri_wait_node){ .waiter = &waiter,
                                         .data = cases[queued].message.data,
                                         .claim = (uint32_t)queued + 1 };
        decided = queue_one(&cases[queued], &nodes[queued], &performed);
    }
    int error = 0;
    if (!performed) error = tri_waiter_park(&waiter, clock, decided ? TRI_TIME_END : deadline);
    leave(cases, nodes, queued);
    if (error != 0) return error;
    *chosen = atomic_load(&waiter.claim) - 1;
    if (performed) return 0;
    cases[*chosen].status = waiter.status;
    if (cases[*chosen].op == TARRY_RECV && waiter.status == 0)
        cases[*chosen].message = waiter.message;
    return 0;
}

int tri_choose(size_t *chosen, tarry_case *cases, size_t count, tri_clock *clock,
               int64_t deadline) {
    tri_assert_no_lock();
    if (try_any(chosen, cases, count)) return 0;
    if (deadline < TRI_TIME_END && tri_clock_now(clock) >= deadline) return -ETIMEDOUT;
    /* The one thread that there is would wait for itself. */
    if (clock->lock.off) return -EDEADLK;
    return wait_any(chosen, cases, count, clock, deadline);
}
