/* A request's timeout: armed when the request arrives, cancelled when it ends, fired where it takes
 * as long as the timeout or nothing tells when it ends. Each request is a timer of its own. */
#ifndef TRACE_REQUEST_H
#define TRACE_REQUEST_H

#include "trace/import.h"

#define REQUEST_NO_END (-1)

typedef struct request {
    import_job *job;
    int64_t timeout_ns;
    order_heap ends; /* of requests that have arrived: cancels and firings to come */
    uint64_t arrived;
} request;

/* An arrival: event->value is its duration, or REQUEST_NO_END. An order_sink over a request. */
bool request_arrive(void *context, const order_event *event);
/* The input ends: what is pending comes to its end. */
void request_finish(request *r);
void request_free(request *r);

#endif
