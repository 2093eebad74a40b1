#include "trace/import.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_AT 500 /* lines that are looked at to tell the format */

static const importer *const importers[] = { &importer_kernel, &importer_log, &importer_table };

const importer *import_at(size_t i) {
    return i < sizeof importers / sizeof *importers ? importers[i] : NULL;
}

bool import_no_memory(import_job *job) {
    job->failure = "no memory";
    return false;
}

bool import_rewind(import_job *job) {
    if (!lines_rewind(job->in)) job->failure = "it cannot be read twice: save it as a file first";
    return job->failure == NULL;
}

bool import_line(line *out, import_job *job) {
    lines_result result;
    while ((result = lines_next(out, job->in)) == LINES_BAD) skips_add(&job->skips, out, out->why);
    if (result == LINES_FAILED) job->failure = out->why;
    return result == LINES_GOOD;
}

bool import_push(import_job *job, order_window *w, const line *at, order_event event) {
    const order_result result = order_window_push(w, event);
    job->unsorted = w->unsorted;
    if (result == ORDER_LATE) skips_add(&job->skips, at, "overtaken by more than 262144 lines");
    if (result == ORDER_FINE) ++job->used;
    if (result == ORDER_STOP && job->failure == NULL) import_no_memory(job);
    return result != ORDER_STOP;
}

bool import_finish(import_job *job, order_window *w) {
    if (order_window_finish(w)) return true;
    return job->failure == NULL ? import_no_memory(job) : false;
}

static void write_head(import_job *job) {
    char begin[32] = "";
    const time_t seconds = (time_t)(job->first_ns / NS_PER_S);
    struct tm utc;
    if (seconds > 365 * 24 * 3600 && gmtime_r(&seconds, &utc) != NULL)
        strftime(begin, sizeof begin, ", from %Y-%m-%dT%H:%M:%SZ", &utc);
    trace_comment(job->out, "%s", TRACE_HEADER);
    trace_comment(job->out, "%s%s", job->about, begin);
    trace_comment(job->out, "tick_ns=%" PRId64, job->resolution_ns);
}

void import_emit(import_job *job, trace_op op) {
    if (job->arms + job->rearms + job->cancels + job->firings == 0) {
        job->first_ns = op.t_ns;
        write_head(job);
    }
    job->last_ns = op.t_ns;
    op.t_ns -= job->first_ns;
    switch (op.op) {
    case 'A': ++job->arms; break;
    case 'R': ++job->rearms; break;
    case 'C': ++job->cancels; break;
    default: ++job->firings; break;
    }
    trace_put(job->out, &op);
}

static bool is_trace(slice text) {
    trace_op op;
    const char *why;
    return slice_is(text, "# " TRACE_HEADER) || slice_is(text, TRACE_HEADER) ||
           trace_parse(&op, text, &why);
}

/* Looks at one of the first lines. NULL: it does not tell. */
static const importer *importer_of(slice text, bool first) {
    for (size_t i = 0; import_at(i) != NULL; ++i)
        if (import_at(i)->knows(text, first)) return import_at(i);
    return NULL;
}

const importer *import_detect(import_job *job) {
    const importer *found = NULL;
    line at = { .text = NULL };
    bool first = true; /* only comments so far */
    job->failure = "it holds no line of text";
    for (int i = 0; found == NULL && i < LOOK_AT; ++i) {
        const lines_result result = lines_next(&at, job->in);
        if (result == LINES_FAILED) job->failure = at.why;
        if (result == LINES_FAILED || result == LINES_END) return NULL;
        const slice text = { at.text, at.length };
        if (text.length == 0) continue;
        if (first && is_trace(text)) {
            job->failure = "it is a trace already: replay takes it as it is";
            return NULL;
        }
        found = importer_of(text, first);
        job->failure = "its format is none that is known";
        first = first && *at.text == '#';
    }
    if (found == NULL) return NULL;
    job->failure = NULL;
    return import_rewind(job) ? found : NULL;
}
