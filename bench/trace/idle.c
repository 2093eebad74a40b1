#include "trace/idle.h"

#include <stdlib.h>

void idle_init(idle *i, import_job *job, int64_t timeout_ns) {
    *i = (idle){ .job = job, .timeout_ns = timeout_ns, .oldest = IDLE_NONE, .newest = IDLE_NONE };
}

void idle_free(idle *i) {
    free(i->clients);
    i->clients = NULL;
}

static bool make_room(idle *i, uint64_t number) {
    uint64_t room = i->room == 0 ? 256 : i->room;
    while (room <= number) room *= 2;
    if (room == i->room) return true;
    idle_client *clients = realloc(i->clients, room * sizeof *clients);
    if (clients == NULL) return import_no_memory(i->job);
    for (uint64_t n = i->room; n < room; ++n) clients[n] = (idle_client){ 0 };
    i->clients = clients;
    i->room = room;
    return true;
}

static void unlink_client(idle *i, uint64_t number) {
    idle_client *c = &i->clients[number];
    if (c->before != IDLE_NONE) i->clients[c->before].after = c->after;
    else i->oldest = c->after;
    if (c->after != IDLE_NONE) i->clients[c->after].before = c->before;
    else i->newest = c->before;
    c->pending = false;
}

static void link_client(idle *i, uint64_t number, int64_t t_ns) {
    i->clients[number] =
        (idle_client){ .last_ns = t_ns, .before = i->newest, .after = IDLE_NONE, .pending = true };
    if (i->newest != IDLE_NONE) i->clients[i->newest].after = number;
    else i->oldest = number;
    i->newest = number;
}

static void emit(idle *i, int64_t t_ns, char op, uint64_t number) {
    import_emit(i->job, (trace_op){ .t_ns = t_ns, .id = number, .op = op,
                                    .delay_ns = i->timeout_ns, .class = slice_of("idle") });
}

/* One timeout for all: they fire in the order in which they were seen last. */
static void fire_until(idle *i, int64_t t_ns) {
    while (i->oldest != IDLE_NONE && i->clients[i->oldest].last_ns <= t_ns - i->timeout_ns) {
        const uint64_t number = i->oldest;
        unlink_client(i, number);
        emit(i, i->clients[number].last_ns + i->timeout_ns, 'F', number);
    }
}

bool idle_request(void *context, const order_event *event) {
    idle *i = context;
    const uint64_t number = event->key;
    if (!make_room(i, number)) return false;
    fire_until(i, event->t_ns);
    const bool again = i->clients[number].pending;
    if (again) unlink_client(i, number);
    link_client(i, number, event->t_ns);
    emit(i, event->t_ns, again ? 'R' : 'A', number);
    return true;
}

void idle_finish(idle *i) {
    fire_until(i, INT64_MAX);
}
