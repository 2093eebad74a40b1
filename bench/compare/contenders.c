#include "compare/contenders.h"

#include "compare/child.h"
#include "workload/backends.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *program;
} peers[] = {
    { "libuv", "libuv" },
    { "libev", "libev" },
    { "libevent", "libevent" },
    { "libevent-common", "libevent" },
    { "timerfd", "timerfd" },
    { "timer_create", "timer_create" },
    { "glib", "glib" },
    { "asio", "asio" },
    { "dpdk", "dpdk" },
    { "go", "go" },
};

const char *contender_peer(size_t i) {
    return i < sizeof peers / sizeof *peers ? peers[i].name : NULL;
}

const char *contender_program(const char *peer) {
    for (size_t i = 0; contender_peer(i) != NULL; ++i)
        if (strcmp(peers[i].name, peer) == 0) return peers[i].program;
    return peer;
}

void contenders_add(contenders *list, const char *name, const player_ops *ops, bool is_peer) {
    if (list->count < CONTENDERS_MAX)
        list->items[list->count++] = (contender){ .name = name, .ops = ops, .is_peer = is_peer };
}

void contenders_name_backends(option_names *names) {
    if (names->count > 0) return;
    for (const char *name; (name = backends_locked_name(names->count)) != NULL; ++names->count)
        names->items[names->count] = name;
}

void contenders_add_backends(contenders *list, const option_names *names, const player_ops *ops) {
    for (size_t i = 0; i < names->count; ++i) contenders_add(list, names->items[i], ops, false);
}

/* A common timeout is for many timers of one length; elsewhere it would be libevent once more. */
static bool applies(const char *peer, enum workload workload) {
    if (workload == WORKLOAD_CHURN || workload == WORKLOAD_MAILBOX) return false;
    return strcmp(peer, "libevent-common") != 0 || workload == WORKLOAD_RESET_LATER ||
           workload == WORKLOAD_FIFO || workload == WORKLOAD_MIXED;
}

void contenders_add_peers(contenders *list, const char *folder, enum workload workload, bool tell) {
    if (folder != NULL && strcmp(folder, "none") == 0) return;
    child_set_folder(folder);
    for (size_t i = 0; contender_peer(i) != NULL; ++i) {
        const char *peer = contender_peer(i);
        if (!applies(peer, workload)) continue;
        if (child_exists(peer)) contenders_add(list, peer, &child_player, true);
        else if (tell && strcmp(peer, contender_program(peer)) == 0)
            fprintf(stderr, "%s: left out, there is no tarry-peer-%s (build with the library)\n",
                    peer, peer);
    }
}

static void close_one(contender *c) {
    if (c->player != NULL) c->ops->close(c->player);
    c->player = NULL;
}

/* All are begun before the first is waited for: children set up at the same time. */
bool contenders_open(contenders *list, const player_spec *like) {
    bool good = true;
    for (size_t i = 0; i < list->count; ++i) {
        player_spec spec = *like;
        spec.subject = list->items[i].name;
        list->items[i].player = list->items[i].ops->open(&spec);
        if (list->items[i].player == NULL) good = false;
    }
    for (size_t i = 0; i < list->count; ++i) {
        contender *c = &list->items[i];
        if (c->player == NULL || c->ops->ready == NULL || c->ops->ready(c->player)) continue;
        close_one(c);
        good = false;
    }
    return good;
}

void contenders_close(contenders *list) {
    for (size_t i = 0; i < list->count; ++i) close_one(&list->items[i]);
}
