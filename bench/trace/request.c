#include "trace/request.h"

static void emit(request *r, int64_t t_ns, char op, uint64_t id) {
    import_emit(r->job, (trace_op){ .t_ns = t_ns, .id = id, .op = op, .delay_ns = r->timeout_ns,
                                    .class = slice_of("request") });
}

static void end_until(request *r, int64_t t_ns) {
    while (r->ends.count > 0 && r->ends.items[0].t_ns <= t_ns) {
        const order_event end = order_pop(&r->ends);
        emit(r, end.t_ns, end.kind, end.key);
    }
}

bool request_arrive(void *context, const order_event *event) {
    request *r = context;
    end_until(r, event->t_ns);
    const uint64_t id = r->arrived++;
    const bool in_time = event->value != REQUEST_NO_END && event->value < r->timeout_ns;
    emit(r, event->t_ns, 'A', id);
    const order_event end = { .t_ns = event->t_ns + (in_time ? event->value : r->timeout_ns),
                              .key = id,
                              .kind = in_time ? 'C' : 'F' };
    return order_push(&r->ends, end) || import_no_memory(r->job);
}

void request_finish(request *r) {
    end_until(r, INT64_MAX);
}

void request_free(request *r) {
    order_free(&r->ends);
}
