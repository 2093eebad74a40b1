/* Sleep and wake of one bucket: the timerproc on its way to sleep, against threads that arm, stop
 * and interrupt. Shows, over every interleaving: no timer fires early; none fires late (time moves
 * only when nothing else can, so a lost wake is a timer that fires after its deadline); every one
 * fires or was stopped; one sleep gets at most one wake.
 *
 * The steps are those of runtime/proc/timerproc.c (take_turn, prepare_sleep_locked) and of
 * runtime/bucket/bucket.c (notice_earlier_locked, and the wake behind it). A hold of the bucket's
 * lock is one step here: of what it touches, all but the futex word is touched under the lock alone,
 * and a hold touches the word once. A switch takes one step away or puts it in the wrong place; with
 * each of them the model must fail:
 *
 *   NO_WAKE          the word is changed, but nobody is woken
 *   NO_CHANGE        a wake without a change of the word: lost if it comes before the wait
 *   NO_COMPARE       the wait does not compare the word
 *   READ_LATE        the word is read after the lock was dropped
 *   PUBLISH_LATE     `sleeping` is set after the lock was dropped
 *   ALMOST_EARLIER   an arming that is earlier by one does not wake
 *   KEEP_SLEEPING    the arming that wakes does not clear `sleeping`
 *   TRUST_THE_WAKE   whoever wakes takes the head without a look at the clock */

#define CLIENTS 2
#define CALLS 2 /* of each client */
#define END 3   /* time goes from 0 to here; deadlines are 1 .. END */
#define NEVER (END + 1)

byte now;
byte pending[NEVER];  /* by deadline: how many */
byte armed_at[NEVER]; /* when the first of them was armed */
byte armed, fired, stopped, clients_done;

bool sleeping;    /* as in the bucket */
byte sleep_until;
byte word;
byte sleeps, wakes;

bool blocked; /* the futex: the timerproc is in its queue */
bool kicked;  /* it was taken out of it */

inline find_head(out) {
    out = 1;
    do
    :: out < NEVER && pending[out] == 0 -> out++
    :: else -> break
    od
}

inline fire(deadline) {
    assert(deadline <= now);                              /* never early */
    assert(now == deadline || now == armed_at[deadline]); /* never late */
    pending[deadline]--;
    fired++
}

inline fall_asleep(seen, until) { /* futex(FUTEX_WAIT_BITSET, word, seen, until) */
    atomic {
        if
#ifdef NO_COMPARE
        :: true -> blocked = true; kicked = false
#else
        :: word == seen -> blocked = true; kicked = false
        :: else
#endif
        fi
    }
end_asleep:
    atomic { !blocked || kicked || now >= until -> blocked = false }
}

active proctype timerproc() {
    byte head, seen;
    bool woken, sleep;
    do
    :: atomic { /* one hold */
           sleeping = false;
           find_head(head);
           if
#ifdef TRUST_THE_WAKE
           :: head < NEVER && (head <= now || woken) -> fire(head)
#else
           :: head <= now -> fire(head)
#endif
           :: else ->
              sleep = true;
              sleep_until = head;
              sleeps++;
#ifndef READ_LATE
              seen = word;
#endif
#ifndef PUBLISH_LATE
              sleeping = true;
#endif
           fi;
           woken = false
       }
       if
       :: sleep ->
#ifdef PUBLISH_LATE
          sleeping = true;
#endif
#ifdef READ_LATE
          seen = word;
#endif
          fall_asleep(seen, head);
          woken = true;
          sleep = false
       :: else
       fi
    od
}

/* Only an arming that is the earliest of all, and lies before what the sleeper waits for, wakes. */
inline arm(deadline) {
    atomic { /* one hold */
        find_head(first);
        if
        :: pending[deadline] == 0 -> armed_at[deadline] = now
        :: else
        fi;
        pending[deadline]++;
        armed++;
#ifdef ALMOST_EARLIER
        wake = deadline < first && sleeping && deadline + 1 < sleep_until;
#else
        wake = deadline < first && sleeping && deadline < sleep_until;
#endif
        first = 0;
        if
        :: wake ->
#ifndef KEEP_SLEEPING
           sleeping = false;
#endif
#ifndef NO_CHANGE
           word++;
#endif
           wakes++;
           assert(wakes <= sleeps)
        :: else
        fi
    }
    atomic {
        if
#ifndef NO_WAKE
        :: wake -> kicked = true
#endif
        :: else
        fi;
        wake = false
    }
}

inline stop(deadline) {
    atomic {
        if
        :: pending[deadline] > 0 -> pending[deadline]--; stopped++
        :: else
        fi
    }
}

active [CLIENTS] proctype client() {
    byte calls, deadline, first, since;
    bool wake;
    do
    :: calls < CALLS ->
       calls++;
       if
       :: true
       :: since = now; (now > since || now == END) /* or later, when time has moved */
       fi;
       if
       :: deadline = 1
       :: deadline = 2
       :: deadline = END
       fi;
       if
       :: arm(deadline)
       :: stop(deadline)
       :: kicked = true /* a signal: the wait ends, and nothing has changed */
       fi
    :: else -> break
    od;
    clients_done++
}

/* Time moves when nothing else can. At its end all that was armed has fired or was stopped. */
active proctype clock() {
    do
    :: timeout && now < END -> now++
    :: now == END -> break
    od;
    timeout;
    assert(clients_done == CLIENTS && armed == fired + stopped)
}
