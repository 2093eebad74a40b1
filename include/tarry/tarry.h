/* tarry: a timer runtime modelled on Go's. This header includes all others.
 *
 * Read this first:
 *  - Nothing ever fires before its deadline. How late it fires is up to the system's scheduler.
 *  - Time is int64_t nanoseconds on the runtime's clock; no call takes wall-clock time.
 *  - Callbacks run with no lock held and may call any tarry function. By default each has a thread
 *    of its own for as long as it runs. Inline callbacks delay the other timers of their bucket.
 *  - stop does not wait for a callback that runs. Before freeing what a callback uses: shutdown,
 *    then stop_wait, then free.
 *  - After fork the child's runtime answers -ECHILD. Destroy it there, then make a new one.
 *  - A freed pointer cannot be recognised. A stale tarry_handle can, and answers -ESTALE.
 *  - tarry installs no signal handler, and its threads block all signals. */
#ifndef TARRY_H
#define TARRY_H

#include <tarry/base.h>
#include <tarry/core.h>
#include <tarry/drive.h>
#include <tarry/hooks.h>
#include <tarry/mailbox.h>
#include <tarry/runtime.h>
#include <tarry/select.h>
#include <tarry/ticker.h>
#include <tarry/timer.h>

#endif
