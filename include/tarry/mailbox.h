/* Mailboxes: channels with one slot, as Go's `make(chan T, 1)`. A timer's own mailbox is one that
 * only the timer sends to. */
#ifndef TARRY_MAILBOX_H
#define TARRY_MAILBOX_H

#include <tarry/base.h>
#include <tarry/runtime.h>

TARRY_BEGIN_DECLS

typedef struct tarry_mailbox tarry_mailbox;

typedef struct tarry_message {
    void *data;      /* what the sender gave; NULL from a timer */
    int64_t due_ns;  /* a timer's deadline; of a send, the time of the send */
    int64_t sent_ns; /* when it was sent; of a timer that nobody waited for, its deadline */
} tarry_message;

/* Make a mailbox.
 * Returns    0. -EINVAL: a NULL. -ENOMEM. -ESHUTDOWN, -ECHILD.
 * Ownership  the caller's, until tarry_mailbox_free.
 * Threads    any. In a callback: allowed. Like: make(chan T, 1). */
TARRY_API int tarry_mailbox_new(tarry_mailbox **out, tarry_runtime *rt);

/* Close and free a mailbox. Those who wait on it wake with -EPIPE; the call returns when each of
 * them has left. A message in the slot is dropped, its data stays the sender's.
 * Returns    as tarry_timer_free. -EPERM: it belongs to a timer or ticker.
 * Threads    any, while no other thread starts a new call on it. */
TARRY_API int tarry_mailbox_free(tarry_mailbox *mailbox);

/* Send, waiting for room.
 * Returns    0. -EINVAL: mailbox is NULL. -EPERM: it belongs to a timer or ticker. -EPIPE: it is
 *            closed, or was closed while waiting. -ECHILD.
 * Ownership  data passes to the receiver; it is never looked at. NULL is allowed.
 * Threads    any number at once; they are served in order of arrival.
 * Blocks     until there is room. Not in an inline callback. Like: c <- v. */
TARRY_API int tarry_mailbox_send(tarry_mailbox *mailbox, void *data);

/* As tarry_mailbox_send, but -EAGAIN where it would wait. Never blocks.
 * Like: select { case c <- v: default: }. */
TARRY_API int tarry_mailbox_try_send(tarry_mailbox *mailbox, void *data);

/* Receive, waiting for a message.
 * Returns    0. -EINVAL: a NULL. -EPIPE: closed and empty, or closed while waiting. -ECHILD.
 * Threads    any number at once; one message goes to one of them, in order of arrival.
 * Blocks     until there is a message. Like: v, ok := <-c. */
TARRY_API int tarry_mailbox_recv(tarry_message *out, tarry_mailbox *mailbox);

/* As tarry_mailbox_recv, but -EAGAIN where it would wait. Never blocks.
 * Like: select { case v = <-c: default: }. */
TARRY_API int tarry_mailbox_try_recv(tarry_message *out, tarry_mailbox *mailbox);

/* As tarry_mailbox_recv, but -ETIMEDOUT once the runtime's clock has reached the deadline. A
 * message that is there is received even when the deadline has passed. TARRY_FOREVER: no limit. */
TARRY_API int tarry_mailbox_recv_until(tarry_message *out, tarry_mailbox *mailbox,
                                       int64_t deadline);

/* Close: later sends answer -EPIPE; receives take what is in the slot, then answer -EPIPE.
 * Returns    0. -EINVAL: mailbox is NULL. -EPERM: it belongs to a timer or ticker. -EPIPE: it was
 *            closed before. -ECHILD.
 * Threads    any. In a callback: allowed. Like: close(c), without the panics. */
TARRY_API int tarry_mailbox_close(tarry_mailbox *mailbox);

TARRY_END_DECLS

#endif
