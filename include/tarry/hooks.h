/* What a program may put in place of tarry's own parts: memory and callback execution.
 * A table given in tarry_options must outlive the runtime. */
#ifndef TARRY_HOOKS_H
#define TARRY_HOOKS_H

#include <tarry/base.h>

TARRY_BEGIN_DECLS

/* Where a runtime's memory comes from, instead of jemalloc (or malloc, in a build without it).
 * allocate   size > 0, alignment a power of two up to 64. NULL: no memory; the call that needed
 *            it answers -ENOMEM. May be called with one of the runtime's locks held: it must not
 *            call tarry.
 * release    gets the size and alignment that were asked for. memory is never NULL.
 * Threads    any thread, several at once. */
typedef struct tarry_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
    void *context;
} tarry_allocator;

/* Who runs callbacks, instead of tarry's callback threads.
 * submit     arranges that task(argument) is called exactly once, soon, by any thread: the caller's
 *            own, before submit returns, is allowed. 0: accepted. Anything else: refused, and the
 *            callback runs at once in the thread that called submit, so that nothing is lost.
 *            Called by a timerproc with no lock held.
 * Lifetime   tarry_destroy waits until every accepted task has returned. */
typedef struct tarry_executor {
    int (*submit)(void *context, void (*task)(void *argument), void *argument);
    void *context;
} tarry_executor;

TARRY_END_DECLS

#endif
