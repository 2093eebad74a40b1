#include "trace/order.h"

#include <stdlib.h>

static bool is_before(const order_event *a, const order_event *b) {
    return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->turn < b->turn;
}

bool order_push(order_heap *h, order_event event) {
    if (h->count == h->room) {
        const size_t room = h->room == 0 ? 256 : 2 * h->room;
        order_event *items = realloc(h->items, room * sizeof *items);
        if (items == NULL) return false;
        h->items = items;
        h->room = room;
    }
    event.turn = h->turns++;
    size_t at = h->count++;
    for (; at > 0 && is_before(&event, &h->items[(at - 1) / 2]); at = (at - 1) / 2)
        h->items[at] = h->items[(at - 1) / 2];
    h->items[at] = event;
    return true;
}

order_event order_pop(order_heap *h) {
    const order_event first = h->items[0], last = h->items[--h->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && is_before(&h->items[child + 1], &h->items[child])) ++child;
        if (!is_before(&h->items[child], &last)) break;
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return first;
}

void order_free(order_heap *h) {
    free(h->items);
    *h = (order_heap){ 0 };
}

static bool let_go(order_window *w) {
    const order_event event = order_pop(&w->heap);
    w->left_ns = event.t_ns;
    w->left = true;
    return w->sink(w->context, &event);
}

order_result order_window_push(order_window *w, order_event event) {
    if (w->left && event.t_ns < w->left_ns) return ORDER_LATE;
    if (w->begun && event.t_ns < w->newest_ns) ++w->unsorted;
    if (!w->begun || event.t_ns > w->newest_ns) w->newest_ns = event.t_ns;
    w->begun = true;
    if (!order_push(&w->heap, event)) return ORDER_STOP;
    return w->heap.count <= ORDER_WINDOW || let_go(w) ? ORDER_FINE : ORDER_STOP;
}

bool order_window_finish(order_window *w) {
    while (w->heap.count > 0)
        if (!let_go(w)) return false;
    return true;
}

void order_window_free(order_window *w) {
    order_free(&w->heap);
}
