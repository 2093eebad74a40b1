/* One timer seen through one mailbox, in both of its shapes, as Go's tests run on "chan" and on
 * "func": a timer's own mailbox, and a callback that fills one. What differs is told by the kind:
 * once it has fired, stop takes a mailbox's value back (1), but a callback has run (0). */
#ifndef TEST_ALARM_H
#define TEST_ALARM_H

#include "virtual.h"

enum { ALARM_MAILBOX, ALARM_CALLBACK, ALARM_KINDS };

typedef struct test_alarm {
    tarry_timer *timer;
    tarry_mailbox *mailbox;
    tarry_mailbox *own; /* of the callback's kind: to be freed */
} test_alarm;

/* Must come to be; ends the program where it does not. Any thread. */
void alarm_set(test_alarm *alarm, tarry_runtime *rt, int kind, int64_t delay);
/* Frees the timer, waits for its callback, frees the mailbox. */
void alarm_free(test_alarm *alarm);

/* Run a test for each kind in turn: to be called in a rig's body. */
typedef void alarm_body(rig *r, int kind);
void alarm_each(rig *r, alarm_body *body);

#define ALARM_CASE(name)                       \
    static void name##_of(rig *r, int kind);   \
    ON_EACH_RIG(name) {                        \
        alarm_each(r, name##_of);              \
    }                                          \
    static void name##_of(rig *r, int kind)

#endif
