#include <tarry/select.h>

#include "api/runtime.h"
#include "dispatch/mailbox.h"

/* 0, or what is wrong with a case. */
static int check_case(const tarry_case *one) {
    if (one->op != TARRY_RECV && one->op != TARRY_SEND) return -EINVAL;
    if (one->mailbox == NULL) return 0;
    const tri_shared *shared = one->mailbox->bucket->shared;
    if (shared->foreign) return tri_shared_state(shared);
    return one->op == TARRY_SEND && one->mailbox->is_timers ? -EPERM : 0;
}

int tarry_select(size_t *chosen, tarry_case *cases, size_t count, int64_t deadline) {
    if (chosen == NULL || cases == NULL || count > TARRY_MAX_CASES) return -EINVAL;
    const tarry_mailbox *first = NULL;
    for (size_t i = 0; i < count; ++i) {
        const int error = check_case(&cases[i]);
        if (error != 0) return error;
        if (first == NULL) first = cases[i].mailbox;
    }
    if (first == NULL) return -EINVAL;
    return tri_choose(chosen, cases, count, &first->bucket->shared->clock, deadline);
}
