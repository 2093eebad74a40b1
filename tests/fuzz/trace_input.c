#include "trace_input.h"

#include "trace/import.h"
#include "trace/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PLAYED_MAX = 3000 };

static char folder[64];
static char input[96], output[96];

static void clean_up(void) {
    unlink(input);
    unlink(output);
    rmdir(folder);
}

static bool make_files(void) {
    if (input[0] != '\0') return true;
    /* In memory where that is to be had: each output is synced. */
    snprintf(folder, sizeof folder, "%s/tarry-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder) == NULL) return false;
    snprintf(input, sizeof input, "%s/input", folder);
    snprintf(output, sizeof output, "%s/output.csv", folder);
    atexit(clean_up);
    return true;
}

static bool write_input(const uint8_t *bytes, size_t size) {
    FILE *file = fopen(input, "w");
    if (file == NULL) return false;
    const bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

/* What the import wrote. */
static const char *check_output(const importer *by, const import_job *job) {
    const char *why = NULL;
    plan p;
    if (!plan_load(&p, output, &why)) return why;
    const bool own_sense = by != &importer_kernel; /* its armings and firings are the kernel's */
    if (p.skips.count > 0) why = "an import wrote what no reader takes";
    else if (p.arms + p.rearms != job->arms + job->rearms) why = "an import lost an arming";
    else if (own_sense && p.armed_again + p.rearmed_idle + p.cancelled_idle > 0)
        why = "an import wrote what does not fit together";
    else if (own_sense && p.recorded.agree != p.recorded.lines)
        why = "an import's own firings are not those of its deadlines";
    plan_free(&p);
    return why;
}

static const char *check_import(const importer *by) {
    import_job job = { .timeout_ns = NS_PER_S };
    if (!lines_open(&job.in, input)) return "no input";
    bool done = trace_create(&job.out, output, true);
    if (!done) {
        lines_close(job.in);
        return "no output";
    }
    done = by->run(&job) && job.used > 0;
    lines_close(job.in);
    if (done && !trace_commit(job.out)) return "not written";
    if (!done) trace_abandon(job.out);
    return done && job.arms > 0 ? check_output(by, &job) : NULL;
}

static const char *check_on(const plan *p, const char *backend, int64_t tick_ns) {
    play_check check;
    const char *why;
    const play_spec spec = { .plan = p, .backend = backend, .tick_ns = tick_ns, .replicate = 1,
                             .speed = 1 };
    if (!play_check_all(&check, &spec, &why)) return why;
    return play_is_right(&check) ? NULL : backend;
}

static const char *check_replay(void) {
    static const struct {
        const char *backend;
        int64_t tick_ns;
    } played[] = { { "heap", 0 },         { "tiered", 0 },      { "tiered", 3 },
                   { "tiered", 1000000 }, { "wheel", 1000000 }, { "wheel", 3 } };
    const char *why;
    plan p;
    if (!plan_load(&p, input, &why)) return NULL;
    why = NULL;
    if (p.count <= PLAYED_MAX) {
        for (size_t i = 0; why == NULL && i < sizeof played / sizeof *played; ++i)
            why = check_on(&p, played[i].backend, played[i].tick_ns);
    }
    plan_free(&p);
    return why;
}

const char *trace_input_check(const uint8_t *bytes, size_t size) {
    if (!make_files() || !write_input(bytes, size)) return "no files";
    for (size_t i = 0; import_at(i) != NULL; ++i) {
        const char *why = check_import(import_at(i));
        if (why != NULL) return why;
    }
    return check_replay();
}
