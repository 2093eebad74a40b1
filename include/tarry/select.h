/* Wait on several mailboxes at once. */
#ifndef TARRY_SELECT_H
#define TARRY_SELECT_H

#include <tarry/base.h>
#include <tarry/mailbox.h>

TARRY_BEGIN_DECLS

enum { TARRY_RECV = 0, TARRY_SEND = 1 };

typedef struct tarry_case {
    tarry_mailbox *mailbox; /* NULL: never ready, as a nil channel in Go */
    int op;                 /* TARRY_RECV, TARRY_SEND */
    int status;             /* set on the chosen case: 0, or -EPIPE where its mailbox is closed */
    tarry_message message;  /* SEND: message.data goes out. RECV: what came in */
} tarry_case;

/* Wait until one of the cases can go on, do it, and tell which. Of several that are ready one is
 * chosen with equal chance, so that none starves. At most one case takes effect.
 * deadline   on the clock of the first mailbox's runtime; a point already reached polls;
 *            TARRY_FOREVER: no limit.
 * Returns    0: *chosen is the case's index, its status is set. -ETIMEDOUT: none was ready by the
 *            deadline. -EINVAL: a NULL, no case with a mailbox, more than TARRY_MAX_CASES, an
 *            unknown op. -EPERM: a send to a timer's or ticker's mailbox. -ECHILD, and
 *            in the child after the runtime is let go of, -ESHUTDOWN.
 * Threads    any number at once, on the same mailboxes too. cases must stay put until it returns.
 * Blocks     until then. Like: select, with a time limit. */
TARRY_API int tarry_select(size_t *chosen, tarry_case *cases, size_t count, int64_t deadline);

#define TARRY_MAX_CASES 64u

TARRY_END_DECLS

#endif
