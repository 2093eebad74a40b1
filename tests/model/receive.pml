/* A timer's mailbox that no heap holds: receivers that sleep until its deadline by themselves, and
 * an owner that arms it anew meanwhile. Shows, over every interleaving: nobody sleeps on past the
 * deadline (time moves only when nothing else can, so whoever was not woken for an arming for earlier
 * still waits when time moves on); no message is made early; each is received once, or stopped.
 *
 * The steps are those of runtime/dispatch/choose.c (queue_one, park, look_again) and of
 * runtime/dispatch/timed.c (tri_timed_look_locked, arm_locked). A hold of the lock is one step. With
 * each switch the model must fail:
 *
 *   NO_ROUSE        an arming for earlier leaves the sleepers alone
 *   NO_CHANGE       it wakes them without a change of the word: lost if it comes before the wait
 *   READ_LATE       the word is read after the hold in which the deadline was
 *   ALMOST_EARLIER  an arming that is earlier by one does not wake
 *   NO_SECOND_LOOK  who was woken sleeps again until the deadline that it knew
 *   ONE_ROUSED      of several sleepers only the first is woken */

#define RECEIVERS 2
#define CALLS 3 /* of the owner */
#define END 3   /* time goes from 0 to here; deadlines are 1 .. END */
#define NEVER (END + 1)

byte now;
byte deadline = NEVER;
bool lying; /* a message is in the slot */
byte armed, fired, stopped, received;
bool owner_done;

bool waiting[RECEIVERS]; /* in the queue of receivers, its claim open */
bool done[RECEIVERS];    /* the message was handed to it */
byte word[RECEIVERS];
bool blocked[RECEIVERS], kicked[RECEIVERS]; /* the futex */

/* Within a hold. Who is done is marked in its word, and woken. */
inline look() {
    if
    :: deadline <= now ->
       deadline = NEVER;
       fired++;
       if
       :: waiting[0] -> waiting[0] = false; done[0] = true; word[0]++; kicked[0] = true
       :: !waiting[0] && waiting[1] ->
          waiting[1] = false; done[1] = true; word[1]++; kicked[1] = true
       :: else -> lying = true
       fi
    :: else
    fi
}

inline rouse(i) {
    if
    :: waiting[i] ->
#ifndef NO_CHANGE
       word[i]++;
#endif
       kicked[i] = true
    :: else
    fi
}

active [RECEIVERS] proctype receiver() {
    byte seen, until;
    bool got;
    atomic { /* queue_one: the word is still 0 */
        look();
        if
        :: lying -> lying = false; got = true; received++
        :: else -> waiting[_pid] = true; until = deadline
        fi
    }
    do
    :: got -> break
    :: else ->
       atomic { /* futex(FUTEX_WAIT_BITSET, word, seen, until) */
           if
           :: word[_pid] == seen -> blocked[_pid] = true; kicked[_pid] = false
           :: else
           fi
       }
end_asleep:
       atomic { !blocked[_pid] || kicked[_pid] || now >= until -> blocked[_pid] = false }
#ifndef READ_LATE
       seen = word[_pid];
#endif
#ifndef NO_SECOND_LOOK
       atomic { look(); until = deadline }
#endif
#ifdef READ_LATE
       seen = word[_pid];
#endif
       if
       :: done[_pid] -> got = true; received++
       :: else
       fi
    od
}

active proctype owner() {
    byte calls, next, before, since;
    do
    :: calls < CALLS ->
       calls++;
       if
       :: true
       :: since = now; (now > since || now == END) /* or later, when time has moved */
       fi;
       if
       :: next = 1
       :: next = 2
       :: next = END
       :: next = NEVER /* stop */
       fi;
       atomic {
           before = deadline;
           if
           :: before != NEVER || lying -> stopped++
           :: else
           fi;
           if
           :: lying -> lying = false; fired--
           :: else
           fi;
           deadline = next;
           if
           :: next != NEVER -> armed++
           :: else
           fi;
           if
#ifndef NO_ROUSE
#ifdef ALMOST_EARLIER
           :: next + 1 < before ->
#else
           :: next < before ->
#endif
              rouse(0);
#ifndef ONE_ROUSED
              rouse(1)
#endif
#endif
           :: else
           fi
       }
    :: else -> break
    od;
    owner_done = true
}

/* Time moves when nothing else can. */
active proctype clock() {
    do
    :: timeout && now < END ->
       assert(!(deadline <= now && (waiting[0] || waiting[1])));
       now++
    :: now == END -> break
    od;
    timeout;
    assert(owner_done && !(deadline <= now && (waiting[0] || waiting[1])));
    assert(armed == fired + stopped + (deadline != NEVER));
    assert(fired == received + lying)
}
