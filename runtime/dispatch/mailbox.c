#include "dispatch/mailbox.h"

#include "system/futex.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void close_resident(tri_resident *resident, tri_waiter **wakes) {
    tarry_mailbox *mailbox = (tarry_mailbox *)resident;
    tri_lock_take(mailbox->lock);
    tri_mailbox_close_locked(mailbox, wakes);
    tri_lock_drop(mailbox->lock);
}

void tri_mailbox_init(tarry_mailbox *mailbox, tri_bucket *bucket, bool is_timers) {
    memset(mailbox, 0, sizeof *mailbox);
    mailbox->resident.close = close_resident;
    mailbox->bucket = bucket;
    mailbox->is_timers = is_timers;
    mailbox->lock = is_timers ? &bucket->lock : &mailbox->own_lock;
    tri_lock_init(&mailbox->own_lock, TRI_RANK_MAILBOX, bucket->shared->no_locks);
}

void tri_mailbox_fini_locked(tarry_mailbox *mailbox) {
    tri_assert_held(mailbox->lock);
    tri_waiter *wakes = NULL;
    tri_mailbox_close_locked(mailbox, &wakes);
    while (mailbox->visitors != 0) {
        const uint32_t seen = atomic_load_explicit(&mailbox->left, memory_order_relaxed);
        tri_lock_drop(mailbox->lock);
        tri_waiter_wake(wakes);
        wakes = NULL;
        tri_futex_wait_until(&mailbox->left, seen, INT64_MAX);
        tri_lock_take(mailbox->lock);
    }
}

static void unlink_node(tri_wait_queue *queue, tri_wait_node *node) {
    *(node->previous != NULL ? &node->previous->next : &queue->first) = node->next;
    *(node->next != NULL ? &node->next->previous : &queue->last) = node->previous;
    node->queued = false;
}

/* The first in the queue whose wait is still open, claimed for its case; others are done by
 * somebody else and only have to leave. */
static tri_wait_node *claim_first(tri_wait_queue *queue) {
    while (queue->first != NULL) {
        tri_wait_node *node = queue->first;
        unlink_node(queue, node);
        if (tri_waiter_claim(node->waiter, node->claim)) return node;
    }
    return NULL;
}

int tri_mailbox_put_locked(tarry_mailbox *mailbox, const tarry_message *message,
                           tri_waiter **wakes) {
    tri_assert_held(mailbox->lock);
    if (mailbox->closed) return -EPIPE;
    if (mailbox->full) return -EAGAIN;
    tri_wait_node *receiver = claim_first(&mailbox->receivers);
    if (receiver != NULL) {
        receiver->waiter->message = *message;
        tri_waiter_push(wakes, receiver->waiter);
        return 0;
    }
    mailbox->message = *message;
    mailbox->full = true;
    return 0;
}

/* Room was made: the sender that waits longest fills it. */
static void admit_sender(tarry_mailbox *mailbox, tri_waiter **wakes) {
    tri_wait_node *sender = claim_first(&mailbox->senders);
    if (sender == NULL) return;
    const int64_t now = tri_clock_now(&mailbox->bucket->shared->clock);
    mailbox->message = (tarry_message){ sender->data, now, now };
    mailbox->full = true;
    tri_waiter_push(wakes, sender->waiter);
}

int tri_mailbox_get_locked(tarry_mailbox *mailbox, tarry_message *message, tri_waiter **wakes) {
    tri_assert_held(mailbox->lock);
    if (!mailbox->full) return mailbox->closed ? -EPIPE : -EAGAIN;
    *message = mailbox->message;
    mailbox->full = false;
    admit_sender(mailbox, wakes);
    return 0;
}

bool tri_mailbox_ready_locked(const tarry_mailbox *mailbox, int op) {
    tri_assert_held(mailbox->lock);
    return mailbox->closed || mailbox->full == (op == TARRY_RECV);
}

static tri_wait_queue *queue_of(tarry_mailbox *mailbox, int op) {
    return op == TARRY_RECV ? &mailbox->receivers : &mailbox->senders;
}

void tri_mailbox_enqueue_locked(tarry_mailbox *mailbox, int op, tri_wait_node *node) {
    tri_assert_held(mailbox->lock);
    tri_wait_queue *queue = queue_of(mailbox, op);
    node->next = NULL;
    node->previous = queue->last;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = node;
    queue->last = node;
    node->queued = true;
    ++mailbox->visitors;
}

void tri_mailbox_dequeue_locked(tarry_mailbox *mailbox, int op, tri_wait_node *node) {
    tri_assert_held(mailbox->lock);
    if (node->queued) unlink_node(queue_of(mailbox, op), node);
    --mailbox->visitors;
}

static void close_queue(tri_wait_queue *queue, tri_waiter **wakes) {
    for (tri_wait_node *node; (node = claim_first(queue)) != NULL;) {
        node->waiter->status = -EPIPE;
        tri_waiter_push(wakes, node->waiter);
    }
}

bool tri_mailbox_close_locked(tarry_mailbox *mailbox, tri_waiter **wakes) {
    tri_assert_held(mailbox->lock);
    const bool was_open = !mailbox->closed;
    mailbox->closed = true;
    close_queue(&mailbox->receivers, wakes);
    close_queue(&mailbox->senders, wakes);
    return was_open;
}

bool tri_mailbox_take_back_locked(tarry_mailbox *mailbox) {
    tri_assert_held(mailbox->lock);
    const bool had = mailbox->full;
    mailbox->full = false;
    return had;
}

void tri_mailbox_rouse_locked(tarry_mailbox *mailbox) {
    tri_assert_held(mailbox->lock);
    for (tri_wait_node *node = mailbox->receivers.first; node != NULL; node = node->next) {
        atomic_fetch_add_explicit(&node->waiter->word, 4, memory_order_release);
        /* Under the lock: while the node is queued the waiter does not leave. */
        tri_futex_wake(&node->waiter->word, 1);
    }
}
