/* Boost.Asio's steady_timer for C: only timers.cpp is C++. */
#ifndef PEERS_ASIO_TIMERS_H
#define PEERS_ASIO_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#define ASIO_TIMER_BYTES 128 /* room for a steady_timer */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct asio_timers asio_timers;

typedef struct asio_timers_options {
    void *memory; /* timer i is at i * stride of it, in ASIO_TIMER_BYTES */
    uint32_t stride, count;
    void (*fired)(void *argument, uint32_t i);
    void *argument;
} asio_timers_options;

/* NULL: no memory. */
asio_timers *asio_timers_new(const asio_timers_options *options);
void asio_timers_free(asio_timers *a);
/* Take the present time, from which all spans count until the next update. */
void asio_timers_update(asio_timers *a);
/* Armed or not. */
void asio_timers_arm(asio_timers *a, uint32_t i, int64_t span_ns);
void asio_timers_stop(asio_timers *a, uint32_t i);
/* Run the handlers that are ready, of what was stopped too; wait: for one that is. */
void asio_timers_turn(asio_timers *a, bool wait);

#ifdef __cplusplus
}
#endif

#endif
