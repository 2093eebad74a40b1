/* Wait for an answer, but not for ever. */
#include <stdio.h>
#include <tarry/tarry.h>

static void answer(void *mailbox) {
    tarry_mailbox_send(mailbox, "42");
}

int main(void) {
    tarry_runtime *rt = tarry_default();
    tarry_mailbox *answers;
    tarry_timer *work, *timeout;
    if (tarry_mailbox_new(&answers, rt) != 0) return 1;
    tarry_after_func(&work, rt, 20 * TARRY_MILLISECOND, answer, answers);
    tarry_timer_new(&timeout, rt, TARRY_SECOND);

    tarry_case cases[] = { { .mailbox = answers }, { .mailbox = tarry_timer_mailbox(timeout) } };
    size_t chosen;
    tarry_select(&chosen, cases, 2, TARRY_FOREVER);
    printf("%s\n", chosen == 0 ? (char *)cases[0].message.data : "too late");

    tarry_timer_free(timeout);
    tarry_timer_free(work);
    tarry_mailbox_free(answers);
    return chosen == 0 ? 0 : 1;
}
