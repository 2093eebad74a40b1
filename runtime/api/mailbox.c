#include <tarry/mailbox.h>

#include "api/runtime.h"
#include "dispatch/mailbox.h"

int tarry_mailbox_new(tarry_mailbox **out, tarry_runtime *rt) {
    int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    if (error != 0) return error;
    tri_bucket *bucket = &tri_runtime_worker(rt)->bucket;
    void *block;
    tri_lock_take(&bucket->lock);
    error = tri_resident_take_locked(&block, bucket, sizeof **out);
    if (error == 0) {
        tarry_mailbox *mailbox = block;
        tri_mailbox_init(mailbox, bucket, false);
        tri_resident_enter_locked(bucket, &mailbox->resident);
        *out = mailbox;
    }
    tri_lock_drop(&bucket->lock);
    return error;
}

/* A destroyed runtime does not matter here: its mailboxes are closed. A foreign one's were not. */
static int usable(const tarry_mailbox *mailbox) {
    if (mailbox == NULL) return -EINVAL;
    const tri_shared *shared = mailbox->bucket->shared;
    if (!shared->foreign) return 0;
    return tri_shared_state(shared) == -ECHILD ? -ECHILD : -EPIPE;
}

/* For the calls that a timer's own mailbox refuses. */
static int users_own(const tarry_mailbox *mailbox) {
    const int error = usable(mailbox);
    return error == 0 && mailbox->is_timers ? -EPERM : error;
}

int tarry_mailbox_free(tarry_mailbox *mailbox) {
    const int error = users_own(mailbox);
    if (error == -EPIPE) return 0;
    if (error != 0) return error;
    tri_bucket *bucket = mailbox->bucket;
    tri_lock_take(mailbox->lock);
    tri_mailbox_fini_locked(mailbox);
    tri_lock_drop(mailbox->lock);
    tri_lock_take(&bucket->lock);
    tri_runtime_leave_locked(bucket, &mailbox->resident, sizeof *mailbox);
    return 0;
}

int tarry_mailbox_close(tarry_mailbox *mailbox) {
    const int error = users_own(mailbox);
    if (error != 0) return error;
    tri_waiter *wakes = NULL;
    tri_lock_take(mailbox->lock);
    const bool was_open = tri_mailbox_close_locked(mailbox, &wakes);
    tri_lock_drop(mailbox->lock);
    tri_waiter_wake(wakes);
    return was_open ? 0 : -EPIPE;
}

/* A choice of one. -ETIMEDOUT at the deadline; the clock is not read before it has to be. */
static int choose_one(tarry_case *one, int64_t deadline) {
    size_t chosen;
    tri_clock *clock = &one->mailbox->bucket->shared->clock;
    const int error = tri_choose(&chosen, one, 1, clock, deadline);
    return error != 0 ? error : one->status;
}

static int send_until(tarry_mailbox *mailbox, void *data, int64_t deadline) {
    const int error = users_own(mailbox);
    if (error != 0) return error;
    tarry_case one = { .mailbox = mailbox, .op = TARRY_SEND, .message.data = data };
    return choose_one(&one, deadline);
}

/* A deadline that has always been reached: only look. */
#define AT_ONCE INT64_MIN

static int or_again(int error) {
    return error == -ETIMEDOUT ? -EAGAIN : error;
}

int tarry_mailbox_send(tarry_mailbox *mailbox, void *data) {
    return send_until(mailbox, data, TARRY_FOREVER);
}

int tarry_mailbox_try_send(tarry_mailbox *mailbox, void *data) {
    return or_again(send_until(mailbox, data, AT_ONCE));
}

int tarry_mailbox_recv_until(tarry_message *out, tarry_mailbox *mailbox, int64_t deadline) {
    int error = out == NULL ? -EINVAL : usable(mailbox);
    if (error != 0) return error;
    tarry_case one = { .mailbox = mailbox, .op = TARRY_RECV };
    error = choose_one(&one, deadline);
    if (error == 0) *out = one.message;
    return error;
}

int tarry_mailbox_recv(tarry_message *out, tarry_mailbox *mailbox) {
    return tarry_mailbox_recv_until(out, mailbox, TARRY_FOREVER);
}

int tarry_mailbox_try_recv(tarry_message *out, tarry_mailbox *mailbox) {
    return or_again(tarry_mailbox_recv_until(out, mailbox, AT_ONCE));
}
