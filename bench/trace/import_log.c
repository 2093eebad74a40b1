/* Access logs in Common or Combined Log Format:
 *
 *     client ident user [time] "request" status bytes ...
 *
 * The time is the usual 10/Oct/2000:13:55:36 -0700, with a fraction or not; or ISO 8601; or Unix
 * seconds. A Unix time with a fraction further behind (nginx's $msec) is finer and taken instead,
 * if it lies within a minute of the other. Lines need not be in order: servers write a line when
 * the request has ended, some with the time at which it began. */
#include "trace/dense.h"
#include "trace/idle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIMEOUT_NS (75 * NS_PER_S) /* nginx's keepalive_timeout */
#define NEAR_NS (60 * NS_PER_S)

typedef struct log_line {
    slice client;
    int64_t t_ns, resolution_ns;
} log_line;

static void skip_spaces(slice *s) {
    while (s->length > 0 && *s->text == ' ') *s = (slice){ s->text + 1, s->length - 1 };
}

/* A quoted text, its first quote not yet taken. False: it does not end. */
static bool skip_quoted(slice *s) {
    for (size_t i = 1; i < s->length; ++i) {
        if (s->text[i] == '\\') ++i;
        else if (s->text[i] == '"') {
            *s = (slice){ s->text + i + 1, s->length - i - 1 };
            return true;
        }
    }
    return false;
}

static bool read_stamp(log_line *out, slice s) {
    return slice_stamp_log(&out->t_ns, &out->resolution_ns, s) ||
           slice_stamp_unix(&out->t_ns, &out->resolution_ns, s) ||
           slice_stamp_iso(&out->t_ns, &out->resolution_ns, s);
}

static void take_finer(log_line *out, slice token) {
    int64_t t, resolution;
    if (memchr(token.text, '.', token.length) == NULL) return;
    if (!slice_stamp_unix(&t, &resolution, token) || resolution >= out->resolution_ns) return;
    if (llabs(t - out->t_ns) > NEAR_NS) return;
    out->t_ns = t;
    out->resolution_ns = resolution;
}

/* status bytes, and whatever a server's own format adds. NULL, or what is wrong. */
static const char *read_rest(log_line *out, slice rest) {
    uint64_t number;
    skip_spaces(&rest);
    const slice status = slice_cut(&rest, ' ');
    if (status.length != 3 || !slice_unsigned(&number, status, 999)) return "no status";
    const slice bytes = slice_cut(&rest, ' ');
    if (!slice_is(bytes, "-") && !slice_unsigned(&number, bytes, UINT64_MAX))
        return "no count of bytes";
    for (skip_spaces(&rest); rest.length > 0; skip_spaces(&rest)) {
        if (*rest.text != '"') take_finer(out, slice_cut(&rest, ' '));
        else if (!skip_quoted(&rest)) return "a quoted field does not end";
    }
    return NULL;
}

static const char *read_line(log_line *out, slice text) {
    slice rest = text;
    out->client = slice_cut(&rest, ' ');
    const slice ident = slice_cut(&rest, ' ');
    const slice user = slice_cut(&rest, ' ');
    if (out->client.length == 0 || ident.length == 0 || user.length == 0 || rest.length == 0 ||
        *rest.text != '[' || memchr(rest.text, ']', rest.length) == NULL)
        return "not client, ident, user, [time]";
    slice_cut(&rest, '[');
    if (!read_stamp(out, slice_cut(&rest, ']'))) return "the time is none";
    skip_spaces(&rest);
    if (rest.length == 0 || *rest.text != '"') return "no request";
    if (!skip_quoted(&rest)) return "the request does not end";
    return read_rest(out, rest);
}

static bool knows(slice text, bool first) {
    log_line parsed;
    (void)first;
    return read_line(&parsed, text) == NULL;
}

/* False: the job has failed. */
static bool take_line(import_job *job, order_window *w, dense *clients, const line *at) {
    log_line parsed;
    uint64_t number;
    const char *why = read_line(&parsed, (slice){ at->text, at->length });
    if (why != NULL) {
        skips_add(&job->skips, at, why);
        return true;
    }
    if (!dense_number(&number, clients, parsed.client.text, parsed.client.length))
        return import_no_memory(job);
    if (job->resolution_ns == 0 || parsed.resolution_ns < job->resolution_ns)
        job->resolution_ns = parsed.resolution_ns;
    return import_push(job, w, at, (order_event){ .t_ns = parsed.t_ns, .key = number });
}

static bool run(import_job *job) {
    idle timeouts;
    dense clients = { 0 };
    line at;
    idle_init(&timeouts, job, job->timeout_ns != 0 ? job->timeout_ns : DEFAULT_TIMEOUT_NS);
    order_window w = { .sink = idle_request, .context = &timeouts };
    snprintf(job->about, sizeof job->about, "each client's idle timeout of %.6g s in an access log",
             (double)timeouts.timeout_ns / NS_PER_S);
    bool fine = true;
    while (fine && import_line(&at, job)) fine = take_line(job, &w, &clients, &at);
    fine = job->failure == NULL && import_finish(job, &w);
    if (fine) idle_finish(&timeouts);
    order_window_free(&w);
    dense_free(&clients);
    idle_free(&timeouts);
    return fine;
}

const importer importer_log = {
    .name = "log",
    .what = "access log, Common or Combined Log Format",
    .knows = knows,
    .run = run,
};
