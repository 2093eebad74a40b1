/* The program around a peer library: `tarry-peer-NAME SUBJECT WORKLOAD TIMERS OPS SEED`. For each
 * line on standard input ("mean" or "detail") it plays one pass and prints its rows, a JSON object
 * a line, and an empty line behind them; the first empty line says that it is set up. Where it
 * cannot play so many timers, or that workload, the rows have a note and no figures. It ends with
 * standard input. tarry-compare runs it so, to let the contenders take turns; by hand:
 *
 *     echo mean | tarry-peer-libuv libuv stop+add 1000 100000 1 */
#include "peers/peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

bool peer_refuse(peer_common *own, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own->refusal, sizeof own->refusal, format, arguments);
    va_end(arguments);
    return false;
}

uint64_t peer_raise_limit(unsigned resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
    return limit.rlim_max;
}

static bool read_count(int64_t *out, const char *text, int64_t max) {
    char *end;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return end != text && *end == '\0' && value >= 1 && value <= max;
}

static int usage(const char *program) {
    fprintf(stderr, "Usage: %s SUBJECT WORKLOAD TIMERS OPS SEED\n", program);
    return 2;
}

static bool read_spec(player_spec *spec, int argc, char **argv) {
    if (argc != 6) return false;
    const int workload = workload_find(argv[2]);
    int64_t seed;
    if (workload < 0 || !read_count(&spec->timers, argv[3], UINT32_MAX / 2) ||
        !read_count(&spec->ops, argv[4], INT64_MAX) || !read_count(&seed, argv[5], INT64_MAX))
        return false;
    spec->subject = argv[1];
    spec->workload = (enum workload)workload;
    spec->threads = 1;
    spec->seed = (uint64_t)seed;
    return true;
}

static bool print_rows(const rows *list) {
    for (size_t i = 0; i < list->count; ++i) {
        json_t *json = row_to_json(&list->items[i]);
        if (json == NULL) return false;
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(json);
    }
    putchar('\n');
    return fflush(stdout) == 0;
}

int main(int argc, char **argv) {
    player_spec spec;
    char line[16];
    if (!read_spec(&spec, argc, argv)) return usage(argv[0]);
    void *player = peer_player.open(&spec);
    if (player == NULL) return 3;
    const rows none = { 0 };
    bool good = print_rows(&none);
    while (good && fgets(line, sizeof line, stdin) != NULL) {
        rows list = { 0 };
        const enum pass pass = strcmp(line, "mean\n") == 0 ? PASS_MEAN : PASS_DETAIL;
        good = peer_player.play(player, pass, &list) && print_rows(&list);
        rows_free(&list);
    }
    peer_player.close(player);
    return good ? 0 : 1;
}
