/* Any CSV or TSV file whose first line is a header with a time column: ISO 8601 dates, or Unix
 * seconds. With a column for the client, each client has an idle timeout; without one (or with
 * --duration) each row is a request with a timeout, which ends after what --duration says, or a
 * column named duration, latency, ... (with _ms, _us, _ns: its unit; else seconds). Without any,
 * every timeout fires. Azure's traces of language models need no rule: see TOKENS_RULE. */
#include "trace/columns.h"
#include "trace/dense.h"
#include "trace/idle.h"
#include "trace/request.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_IDLE_NS (75 * NS_PER_S)    /* nginx's keepalive_timeout */
#define DEFAULT_REQUEST_NS (60 * NS_PER_S) /* nginx's proxy_read_timeout */

static const char time_names[] = "time timestamp ts datetime date_time date @timestamp start "
                                 "start_time arrival arrival_time arrived msec";
static const char client_names[] = "client client_ip clientip remote_addr remote_host host ip "
                                   "c-ip source src";

/* Those traces give tokens, not times; about what such a service needs for each. */
#define TOKENS_RULE "GeneratedTokens*30ms+ContextTokens*200us"

typedef struct table_import {
    import_job *job;
    char separator;
    size_t width, time, client;
    rule duration;
    bool has_end;
    dense clients;
    idle timeouts;
    request requests;
    order_window window;
} table_import;

static bool read_time(int64_t *out, int64_t *resolution_ns, slice s) {
    return slice_stamp_iso(out, resolution_ns, s) || slice_stamp_unix(out, resolution_ns, s);
}

static bool knows(slice text, bool first) {
    columns header;
    char copy[4096];
    if (!first || text.length >= sizeof copy) return false;
    memcpy(copy, text.text, text.length);
    return columns_split(&header, copy, text.length, columns_separator(text)) == NULL &&
           columns_find(&header, time_names) != COLUMNS_NONE;
}

static bool fail(import_job *job, const char *why) {
    job->failure = why;
    return false;
}

/* How long a request takes. */
static bool choose_duration(table_import *t, const columns *header) {
    const char *text = t->job->duration;
    const bool tokens = columns_find(header, "GeneratedTokens") != COLUMNS_NONE &&
                        columns_find(header, "ContextTokens") != COLUMNS_NONE;
    if (text == NULL && tokens) text = TOKENS_RULE;
    t->has_end = text != NULL || rule_of_header(&t->duration, header);
    if (!t->has_end)
        snprintf(t->job->note, sizeof t->job->note,
                 "nothing tells when a request ends (--duration): every timeout fires");
    const char *why = text != NULL ? rule_parse(&t->duration, text, header) : NULL;
    if (why == NULL) return true;
    snprintf(t->job->note, sizeof t->job->note, "--duration %.40s: %s", text, why);
    return fail(t->job, t->job->note);
}

static void choose_idle(table_import *t, int64_t timeout_ns) {
    idle_init(&t->timeouts, t->job, timeout_ns);
    t->window = (order_window){ .sink = idle_request, .context = &t->timeouts };
    snprintf(t->job->about, sizeof t->job->about, "each client's idle timeout of %.6g s in a table",
             (double)timeout_ns / NS_PER_S);
}

static bool choose_requests(table_import *t, const columns *header, int64_t timeout_ns) {
    t->requests = (request){ .job = t->job, .timeout_ns = timeout_ns };
    t->window = (order_window){ .sink = request_arrive, .context = &t->requests };
    t->client = COLUMNS_NONE;
    if (!choose_duration(t, header)) return false;
    snprintf(t->job->about, sizeof t->job->about, "a timeout of %.6g s for each request of a table",
             (double)timeout_ns / NS_PER_S);
    return true;
}

static bool read_header(table_import *t) {
    columns header;
    line at;
    do {
        if (!import_line(&at, t->job))
            return t->job->failure == NULL && fail(t->job, "it is empty");
    } while (at.length == 0 || *at.text == '#');
    t->separator = columns_separator((slice){ at.text, at.length });
    if (columns_split(&header, at.text, at.length, t->separator) != NULL)
        return fail(t->job, "its first line is no header");
    t->width = header.count;
    t->time = columns_find(&header, time_names);
    t->client = columns_find(&header, client_names);
    if (t->time == COLUMNS_NONE) return fail(t->job, "its header names no time column");
    const int64_t given = t->job->timeout_ns;
    if (t->client == COLUMNS_NONE || t->job->duration != NULL)
        return choose_requests(t, &header, given != 0 ? given : DEFAULT_REQUEST_NS);
    choose_idle(t, given != 0 ? given : DEFAULT_IDLE_NS);
    return true;
}

/* NULL, or what is wrong with the row. */
static const char *read_row(order_event *out, int64_t *resolution_ns, const table_import *t,
                            columns *row, const line *at) {
    const char *why = columns_split(row, at->text, at->length, t->separator);
    if (why != NULL) return why;
    if (row->count < t->width) return "fewer fields than the header";
    if (row->count > t->width) return "more fields than the header";
    if (!read_time(&out->t_ns, resolution_ns, row->fields[t->time])) return "the time is none";
    if (t->client != COLUMNS_NONE)
        return row->fields[t->client].length > 0 ? NULL : "the client is empty";
    out->value = REQUEST_NO_END;
    return !t->has_end || rule_apply(&out->value, &t->duration, row) ? NULL
                                                                    : "the duration is no number";
}

static bool take_row(table_import *t, const line *at) {
    columns row;
    order_event event = { 0 };
    int64_t resolution;
    if (at->length == 0 || *at->text == '#') return true;
    const char *why = read_row(&event, &resolution, t, &row, at);
    if (why != NULL) {
        skips_add(&t->job->skips, at, why);
        return true;
    }
    if (t->client != COLUMNS_NONE &&
        !dense_number(&event.key, &t->clients, row.fields[t->client].text,
                      row.fields[t->client].length))
        return import_no_memory(t->job);
    if (t->job->resolution_ns == 0 || resolution < t->job->resolution_ns)
        t->job->resolution_ns = resolution;
    return import_push(t->job, &t->window, at, event);
}

static bool run(import_job *job) {
    table_import t = { .job = job };
    line at;
    bool fine = read_header(&t);
    while (fine && import_line(&at, job)) fine = take_row(&t, &at);
    fine = job->failure == NULL && import_finish(job, &t.window);
    if (fine && t.client != COLUMNS_NONE) idle_finish(&t.timeouts);
    if (fine && t.client == COLUMNS_NONE) request_finish(&t.requests);
    order_window_free(&t.window);
    dense_free(&t.clients);
    idle_free(&t.timeouts);
    request_free(&t.requests);
    return fine;
}

const importer importer_table = {
    .name = "table",
    .what = "CSV or TSV with a time column",
    .knows = knows,
    .run = run,
};
