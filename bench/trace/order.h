/* Events put in order of time. A heap, and a window over a stream that is nearly in order: at most
 * ORDER_WINDOW events are held back, so memory is bounded, a stamp far in the future costs one
 * place and not the events behind it, and an event is late only if that many overtook it. */
#ifndef TRACE_ORDER_H
#define TRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_WINDOW ((size_t)1 << 18)

typedef struct order_event {
    int64_t t_ns;
    uint64_t turn; /* the heap's: equal times leave in the order in which they came */
    uint64_t key;
    int64_t value;
    uint32_t class;
    char kind;
} order_event;

typedef struct order_heap {
    order_event *items;
    size_t count, room;
    uint64_t turns;
} order_heap;

/* False: no memory. */
bool order_push(order_heap *h, order_event event);
/* The earliest; the heap is not empty. */
order_event order_pop(order_heap *h);
void order_free(order_heap *h);

/* Takes the events in order. False: stop (no memory, ...). */
typedef bool order_sink(void *context, const order_event *event);

typedef struct order_window {
    order_heap heap;
    order_sink *sink;
    void *context;
    int64_t newest_ns; /* of those that came */
    int64_t left_ns;   /* of the last that left */
    int64_t unsorted;  /* how many came behind a later one, and were put in order */
    bool begun, left;
} order_window;

typedef enum order_result { ORDER_FINE, ORDER_LATE, ORDER_STOP } order_result;

order_result order_window_push(order_window *w, order_event event);
/* Let all go. False: the sink said stop. */
bool order_window_finish(order_window *w);
void order_window_free(order_window *w);

#endif
