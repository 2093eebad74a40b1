/* The lock: takers that mark it as waited for and nap on it, and the plain store that gives it back.
 * Shows, over every interleaving: no two hold it at once; each taker gets in, each time; a nap is
 * ended by its bound only after a mark was missed, and then finds the lock free.
 *
 * The steps are those of runtime/system/lock.h and lock.c; spinning is left out, its tries are as
 * those between naps. A giver's plain stores lie in its store buffer, as on x86: others see them
 * later, in their order, each at any time. An exchange, the store of a mark and a system call wait
 * until the buffer is empty. The kernel compares and falls asleep in one step. A nap ends by a wake;
 * by its bound when nothing else in the whole model can go on, so that each one that is needed is
 * seen. With each switch the model must fail:
 *
 *   NO_BOUND     a nap ends by a wake alone: after a missed mark somebody sleeps for ever
 *   LOOK_LATE    the same, and the giver reads the mark after its store: the buffer hides it as well
 *   NO_WAKE      a giver that finds the mark wakes nobody
 *   NO_COMPARE   the kernel falls asleep without a look at the word
 *   MARK_ONCE    who was woken does not mark the lock again, for those who still sleep
 *   PLAIN_TAKE   the lock is taken by a load and a store */

#define TAKERS 3
#define TURNS 2 /* of each */

#ifdef LOOK_LATE
#define NO_BOUND
#endif

bool taken, waited;   /* memory */
bool clears[TAKERS];  /* store buffers: waited = 0 */
bool frees[TAKERS];   /* and taken = 0 */
bool plainly[TAKERS]; /* it is given back without a wake */
bool asleep[TAKERS], woken[TAKERS];
bool missed;          /* a mark had no effect, so far without a nap of full length */
byte holders;

#define buffer_is_empty(i) (!clears[i] && !frees[i])

inline give_back(i) { /* a store reaches memory */
    frees[i] = false;
    taken = false;
    missed = missed || (plainly[i] && waited)
}

inline drain(i) {
    if
    :: clears[i] -> clears[i] = false; waited = false
    :: frees[i] && !clears[i] -> give_back(i)
    fi
}

active [TAKERS] proctype buffer() {
    byte i = _pid % TAKERS;
end:
    do
    :: atomic { clears[i] || frees[i] -> drain(i) }
    od
}

inline exchange() {
#ifdef PLAIN_TAKE
    atomic { buffer_is_empty(i) -> got = !taken }
    taken = true
#else
    atomic { buffer_is_empty(i) -> got = !taken; taken = true }
#endif
}

inline nap() {
    atomic { /* futex(FUTEX_WAIT, taken, 1, bound) */
        buffer_is_empty(i);
        if
#ifdef NO_COMPARE
        :: true -> asleep[i] = true
#else
        :: taken -> asleep[i] = true
        :: else
#endif
        fi;
        /* A giver saw the mark and had nobody to wake yet. */
        missed = missed || (asleep[i] && taken && !waited)
    }
    if
    :: atomic { !asleep[i] -> woken[i] = false }
    :: atomic { asleep[i] && woken[i] -> asleep[i] = false; woken[i] = false }
#ifndef NO_BOUND
    :: atomic {
           timeout && asleep[i] && !woken[i] ->
           assert(missed && !taken);
           missed = false;
           asleep[i] = false
       }
#endif
    fi
}

inline take() {
    exchange();
    if
    :: got
    :: else -> /* tri_lock_wait */
#ifdef MARK_ONCE
       atomic { buffer_is_empty(i) -> waited = true }
#endif
       do
       :: true ->
#ifndef MARK_ONCE
          atomic { buffer_is_empty(i) -> waited = true }
#endif
          if
          :: !taken -> exchange()
          :: else
          fi;
          if
          :: got -> break
          :: else -> nap()
          fi
       od
    fi
}

inline wake() { /* futex(FUTEX_WAKE, taken, 1) */
    atomic {
        buffer_is_empty(i);
        if
#ifndef NO_WAKE
        :: asleep[0] && !woken[0] -> woken[0] = true
        :: asleep[1] && !woken[1] -> woken[1] = true
        :: asleep[2] && !woken[2] -> woken[2] = true
#endif
        :: else
        fi
    }
}

inline drop() {
#ifdef LOOK_LATE
    frees[i] = true;
    found = waited;
    if
    :: found -> atomic { buffer_is_empty(i) -> waited = false }; wake()
    :: else
    fi
#else
    found = waited;
    if
    :: found -> /* tri_lock_pass */
       atomic { plainly[i] = false; clears[i] = true; frees[i] = true }
       wake()
    :: else -> atomic { plainly[i] = true; frees[i] = true }
    fi
#endif
}

active [TAKERS] proctype taker() {
    byte i = _pid % TAKERS, turn;
    bool got, found;
    do
    :: turn < TURNS ->
       take();
       holders++;
       assert(holders == 1);
       holders--;
       drop();
       got = false;
       found = false;
       turn++
    :: else -> break
    od
}
