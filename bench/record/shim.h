/* The shim: a shared object that `tarry-compare record` preloads into any program. It stands before
 * the timer calls of libuv, libevent and libev, passes each on, and writes what it saw as a trace.
 *
 * The program must not notice. Every call reaches the library with the program's arguments but for
 * one: the callback, in whose place the shim's own stands for as long as a timer pends, since
 * nothing else tells that it fired. errno is kept, no descriptor below 512 is taken if there is
 * room above, and where the shim cannot go on (no memory, no disk) it records no more, and the
 * program runs on.
 *
 *   libuv.c libevent.c libev.c   one library each, built where its headers are; the wrapped calls
 *   timers.c                     which timers there are, by address, and what their callbacks are
 *   classes.c                    a callback's name
 *   part.c                       the file that lines go to, one for each process
 *   calls.c                      where the library's own functions are
 *
 * Any thread may call any of this. timers.c has the one lock; it is a leaf: nothing of the program
 * or of the dynamic linker is called under it, and of a library only what tells its version. */
#ifndef RECORD_SHIM_H
#define RECORD_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

/* Any function; it is cast back to its own type before it is called. */
typedef void shim_function(void);

typedef struct shim_library {
    const char *name;
    /* Its version as text. Returns the tick that its timers run by, in ns. */
    int64_t (*about)(char *version, size_t size);
} shim_library;

/* --- calls.c --- */

/* The functions of one library, and the addresses that its code lies in. */
typedef struct shim_calls {
    uintptr_t low, high;
    shim_function *at[]; /* by the index of the name; NULL: the library has none of that name */
} shim_calls;

typedef _Atomic(shim_calls *) shim_slot;

/* What the program would have called without the shim. names[0] has to be there, else the process
 * ends, with a message. caller: an address in the code that called. */
const shim_calls *shim_load(shim_slot *slot, const char *const *names, size_t count,
                            const void *caller);
bool shim_is_within(const shim_calls *calls, const void *address);

/* How often this thread is within a wrapped call: what the library then calls is a part of it. */
extern _Thread_local int shim_depth;

/* --- timers.c --- */

#define SHIM_NOW INT64_MIN /* as from_ns: from now on */

/* What comes after a callback was called. */
typedef struct shim_next {
    bool armed;        /* the library has armed the timer again */
    bool as_before;    /* with the delay of the last arming, and from_ns SHIM_NOW */
    int64_t from_ns;
    int64_t delay_ns;
} shim_next;

/* CLOCK_MONOTONIC. */
int64_t shim_now(void);

/* A timer is about to be armed, or armed again, to be due delay_ns after from_ns. callback: the
 * program's; NULL: as before. False: the shim has no room; pass the callback on as it is. */
bool shim_arm(const shim_library *library, const void *timer, shim_function *callback,
              int64_t from_ns, int64_t delay_ns);
/* It is about to be cancelled; nothing where it does not pend. */
void shim_cancel(const void *timer);
/* As shim_cancel; and the address is no longer this timer's. */
void shim_end(const void *timer);
/* Its callback was called, because it was due (fired) or for another reason, which ends the arming
 * too. Returns the program's callback. */
shim_function *shim_called(const void *timer, bool fired, shim_next next);
bool shim_is_pending(const void *timer);
/* The program's callback; NULL: the timer was never armed. */
shim_function *shim_callback(const void *timer);

/* --- classes.c --- */

typedef struct shim_class {
    shim_function *callback;
    const shim_library *library;
    char text[]; /* "libuv:on_timeout" */
} shim_class;

/* NULL: no memory. */
const shim_class *shim_class_of(const shim_library *library, shim_function *callback);

/* --- part.c: under the lock of timers.c --- */

/* Append. The first text of a process opens its file. False: it cannot be written any more. */
bool shim_part_write(const char *text, size_t length);
/* In the child of a fork: what was open is the parent's. */
void shim_part_forget(void);

#endif
