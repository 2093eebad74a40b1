/* A client's idle timeout, as web servers keep it: armed by the first request, armed again by each
 * next one, and fired when the client has stayed away for the whole timeout; a request at that very
 * moment comes after the firing. */
#ifndef TRACE_IDLE_H
#define TRACE_IDLE_H

#include "trace/import.h"

typedef struct idle_client {
    int64_t last_ns;
    uint64_t before, after; /* among the pending, least recently seen first */
    bool pending;
} idle_client;

typedef struct idle {
    import_job *job;
    int64_t timeout_ns;
    idle_client *clients; /* by number */
    uint64_t room;
    uint64_t oldest, newest;
} idle;

#define IDLE_NONE UINT64_MAX

void idle_init(idle *i, import_job *job, int64_t timeout_ns);
void idle_free(idle *i);
/* A request: event->key is the client's number. An order_sink over an idle. */
bool idle_request(void *context, const order_event *event);
/* The input ends: all have gone. */
void idle_finish(idle *i);

#endif
