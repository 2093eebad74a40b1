/* A timer's mailbox: who makes the message (the crank, or whoever looks), the owner that arms, resets
 * and stops, and a receiver beside it. Shows, over every interleaving: after reset or stop has returned no message of
 * an earlier arming is received; each arming is received, or one call said that it stopped it, and
 * never both; no message is lost.
 *
 * The steps are those of runtime/bucket/bucket.c (tri_bucket_take_due_locked, arm_locked,
 * stop_locked) and runtime/dispatch/mailbox.c: the message is put into the slot under the bucket's
 * lock, and stop and reset empty the slot under it. With each switch the model must fail:
 *
 *   DELIVER_OUTSIDE   the message is put after the bucket's lock was dropped
 *   TAG_OUTSIDE       the same, but only if the timer's generation is still the one that fired,
 *                     looked at before the slot is written
 *   NO_DRAIN          stop and reset leave the slot as it is
 *   TAG_NO_DRAIN      they leave it, and receivers throw away what has an old generation (which
 *                     counts as stopped here): the fresh message finds the slot full and is lost
 *   DRAIN_SILENTLY    the slot is emptied, but the call does not say that it took a message back */

#define CALLS 3 /* of the owner, the first one arms */

bool bucket_lock, mailbox_lock;
#define take(l) atomic { !l -> l = true }
#define drop(l) l = false

byte generation;      /* of the arming that is, or was last, in force; 0: none was */
bool armed;
byte slot;            /* the generation whose message it holds; 0: empty */
byte armings, received, stopped;
bool owner_done;

inline put(message) {
    take(mailbox_lock);
    if
    :: slot == 0 -> slot = message
    :: else /* full: dropped, as a tick would be */
    fi;
    drop(mailbox_lock)
}

/* The timer is due at any time after it was armed. */
active proctype timerproc() {
    byte fired;
    do
    :: armed ->
       take(bucket_lock);
       if
       :: armed -> armed = false; fired = generation
       :: else
       fi;
#if !defined DELIVER_OUTSIDE && !defined TAG_OUTSIDE
       if
       :: fired != 0 -> put(fired)
       :: else
       fi;
#endif
       drop(bucket_lock);
#ifdef DELIVER_OUTSIDE
       if
       :: fired != 0 -> put(fired)
       :: else
       fi;
#endif
#ifdef TAG_OUTSIDE
       if
       :: fired != 0 && fired == generation -> put(fired)
       :: else
       fi;
#endif
       fired = 0
    :: owner_done && !armed -> break
    od
}

/* Stop, with the bucket's lock held: whether it kept the arming from being received. */
inline undo(took) {
    took = armed;
    armed = false;
#if !defined NO_DRAIN && !defined TAG_NO_DRAIN
    take(mailbox_lock);
    if
    :: slot != 0 -> slot = 0;
#ifndef DRAIN_SILENTLY
       took = true
#endif
    :: else
    fi;
    drop(mailbox_lock);
#endif
    stopped = stopped + took
}

inline receive_into(message) {
    take(mailbox_lock);
    message = slot;
    slot = 0;
    drop(mailbox_lock)
}

/* Receives, before and after its own calls: what it gets then must be of the arming in force. */
inline owner_receives() {
    receive_into(message);
#ifdef TAG_NO_DRAIN
    if
    :: message != 0 && message != generation -> stopped++; message = 0
    :: else
    fi;
#endif
    if
    :: message != 0 ->
       assert(may_receive && message == generation);
       received++;
       message = 0
    :: else
    fi
}

active proctype owner() {
    byte calls, message;
    bool took, may_receive;
    do
    :: calls < CALLS ->
       calls++;
       take(bucket_lock);
       undo(took);
       if
       :: true -> /* reset */
          generation++;
          armings++;
          armed = true;
          may_receive = true
       :: calls > 1 -> /* stop */
          may_receive = false
       fi;
       drop(bucket_lock);
       took = false;
       if
       :: owner_receives()
       :: true
       fi
    :: else -> break
    od;
    owner_done = true;
    (!armed && _nr_pr == 1) || timeout; /* all others have come to rest */
    owner_receives();
    assert(armings == received + stopped)
}

/* Somebody else who receives: one message goes to one of the two. */
active proctype receiver() {
    byte message;
    if
    :: receive_into(message);
       if
#ifdef TAG_NO_DRAIN
       :: message != 0 && message != generation -> stopped++
       :: message != 0 && message == generation -> received++
#else
       :: message != 0 -> received++
#endif
       :: else
       fi
    :: true
    fi
}
