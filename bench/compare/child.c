#include "compare/child.h"

#include "compare/contenders.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct child {
    char name[32];
    pid_t pid;
    int socket;
    FILE *answers;
} child;

static const char *given_folder;

void child_set_folder(const char *folder) {
    given_folder = folder;
}

/* The path of a peer's program; false: too long. */
static bool program_path(char *path, size_t size, const char *peer) {
    char own[4096] = "";
    const char *folder = given_folder;
    if (folder == NULL) {
        const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
        char *slash = length > 0 ? strrchr(own, '/') : NULL;
        if (slash == NULL) return false;
        *slash = '\0';
        folder = own;
    }
    const int length = snprintf(path, size, "%s/tarry-peer-%s", folder, contender_program(peer));
    return length > 0 && (size_t)length < size;
}

bool child_exists(const char *peer) {
    char path[4200];
    return program_path(path, sizeof path, peer) && access(path, X_OK) == 0;
}

static bool told(const child *c, const char *what) {
    fprintf(stderr, "%s: %s\n", c->name, what);
    return false;
}

/* Both its ends are one socket: a peer that has died is an error of send, not a SIGPIPE. */
static int spawn(child *c, const player_spec *spec, int theirs) {
    char path[4200], timers[24], ops[24], seed[24];
    posix_spawn_file_actions_t actions;
    if (!program_path(path, sizeof path, spec->subject)) return ENAMETOOLONG;
    snprintf(timers, sizeof timers, "%lld", (long long)spec->timers);
    snprintf(ops, sizeof ops, "%lld", (long long)spec->ops);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)spec->seed);
    char *arguments[] = { path, c->name, (char *)(uintptr_t)workload_text(spec->workload), timers,
                          ops, seed, NULL };
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDOUT_FILENO);
    const int error = posix_spawn(&c->pid, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void child_close(void *player) {
    child *c = player;
    if (c->answers != NULL) fclose(c->answers);
    if (c->pid > 0) waitpid(c->pid, NULL, 0);
    free(c);
}

static void *child_open(const player_spec *spec) {
    int ends[2];
    child *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    snprintf(c->name, sizeof c->name, "%s", spec->subject);
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
    if (error == 0) {
        c->socket = ends[0];
        error = spawn(c, spec, ends[1]);
        close(ends[1]);
        c->answers = fdopen(ends[0], "r");
        if (error == 0 && c->answers != NULL) return c;
        if (c->answers == NULL) close(ends[0]);
    }
    fprintf(stderr, "%s: its program could not be started: %s\n", c->name, strerror(error));
    child_close(c);
    return NULL;
}

/* Rows up to an empty line. */
static bool read_rows(child *c, rows *out) {
    char line[4096];
    while (fgets(line, sizeof line, c->answers) != NULL) {
        row r;
        const char *bad;
        if (strcmp(line, "\n") == 0) return true;
        json_t *object = json_loads(line, 0, NULL);
        const bool good = object != NULL && row_from_json(&r, object, &bad);
        json_decref(object);
        if (!good) return told(c, "an answer that is no row");
        rows_add(out, &r);
    }
    return told(c, "its program ended");
}

static bool child_ready(void *player) {
    rows none = { 0 };
    const bool good = read_rows(player, &none);
    rows_free(&none);
    return good;
}

static bool child_play(void *player, enum pass pass, rows *out) {
    child *c = player;
    const char *line = pass == PASS_MEAN ? "mean\n" : "detail\n";
    if (send(c->socket, line, strlen(line), MSG_NOSIGNAL) < 0)
        return told(c, "its program ended");
    return read_rows(c, out);
}

const player_ops child_player = { child_open, child_ready, child_play, child_close };
