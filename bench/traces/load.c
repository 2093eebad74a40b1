/* The load that record.sh puts on a web server: many clients that keep their connections alive and
 * think for uneven, heavy-tailed times between pages, as people do. A client fetches a page as a
 * short burst of requests, then thinks for a Pareto-distributed time; thinking past the server's
 * keep-alive timeout it loses its connection and opens another. Each client has a source address
 * of its own in 127.0.0.0/8, so that an access log tells them apart.
 *
 * Bounded by a count of requests and by a time. The same seed gives the same plan for each client;
 * when the answers come is the server's part. One thread, epoll, a heap of the clients' next moves.
 *
 * usage: load PORT CLIENTS REQUESTS SECONDS SEED */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_ROOM = 1024, MOVES_A_TURN = 64 };

typedef enum client_state { THINKING, CONNECTING, WAITING } client_state;

typedef struct client {
    int64_t due_ns;
    uint64_t random;
    long long body_left; /* -1: the header is not complete yet */
    int fd;              /* -1: not connected */
    client_state state;
    unsigned burst_left; /* requests of this page still to come */
    unsigned header_used;
    unsigned number;
    char header[HEADER_ROOM];
} client;

typedef struct load {
    client *clients;
    unsigned *heap; /* clients that think, the earliest due first */
    unsigned heap_used;
    int epoll;
    struct sockaddr_in server;
    long long wanted, sent, answered, connections, closed_by_server, failed;
} load;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform over (0, 1]. */
static double next_unit(uint64_t *state) {
    return ((double)(next_random(state) >> 11) + 1) * 0x1p-53;
}

/* Between two pages: Pareto, at least 0.7 s, shape 1.2, cut at 45 s. Within a page: exponential,
 * 15 ms in the mean. A page is 1 + a geometric count of requests, 5 in the mean. */
static int64_t next_gap_ns(client *c) {
    if (c->burst_left > 0) {
        --c->burst_left;
        return (int64_t)(-log(next_unit(&c->random)) * 15e6);
    }
    c->burst_left = (unsigned)(log(next_unit(&c->random)) / log(0.8));
    const double seconds = 0.7 * pow(next_unit(&c->random), -1 / 1.2);
    return (int64_t)(fmin(seconds, 45) * 1e9);
}

static int earlier(const load *l, unsigned a, unsigned b) {
    return l->clients[l->heap[a]].due_ns < l->clients[l->heap[b]].due_ns;
}

static void exchange(load *l, unsigned a, unsigned b) {
    const unsigned number = l->heap[a];
    l->heap[a] = l->heap[b];
    l->heap[b] = number;
}

static void think(load *l, client *c, int64_t due_ns) {
    c->state = THINKING;
    c->due_ns = due_ns;
    unsigned at = l->heap_used++;
    l->heap[at] = c->number;
    for (; at > 0 && earlier(l, at, (at - 1) / 2); at = (at - 1) / 2) exchange(l, at, (at - 1) / 2);
}

static client *take_earliest(load *l) {
    client *c = &l->clients[l->heap[0]];
    l->heap[0] = l->heap[--l->heap_used];
    for (unsigned at = 0;;) {
        unsigned child = 2 * at + 1;
        if (child >= l->heap_used) break;
        if (child + 1 < l->heap_used && earlier(l, child + 1, child)) ++child;
        if (!earlier(l, child, at)) break;
        exchange(l, at, child);
        at = child;
    }
    return c;
}

static void disconnect(client *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

/* Something went wrong with a request: count it, and come back after a second. */
static void fail(load *l, client *c) {
    ++l->failed;
    disconnect(c);
    think(l, c, now_ns() + 1000000000);
}

static void send_request(load *l, client *c) {
    static const char *const pages[] = { "small", "small", "small", "middle", "middle", "large" };
    char text[200];
    const int size = snprintf(text, sizeof text,
                              "GET /%s.html?%u HTTP/1.1\r\nHost: localhost\r\n"
                              "User-Agent: load/1\r\n\r\n",
                              pages[next_random(&c->random) % 6], c->number);
    c->state = WAITING;
    c->header_used = 0;
    c->body_left = -1;
    if (send(c->fd, text, (size_t)size, MSG_NOSIGNAL) != size)
        fail(l, c);
    else
        ++l->sent;
}

static void begin_connection(load *l, client *c) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        fail(l, c);
        return;
    }
    const uint32_t address = (127u << 24) + (1u << 16) + c->number + 2;
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
    event.data.u32 = c->number;
    c->state = CONNECTING;
    if (bind(c->fd, (struct sockaddr *)&own, sizeof own) != 0 ||
        epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &event) != 0 ||
        (connect(c->fd, (struct sockaddr *)&l->server, sizeof l->server) != 0 &&
         errno != EINPROGRESS))
        fail(l, c);
    else
        ++l->connections;
}

/* Collect the header; returns how much of the block belonged to it. */
static size_t take_header(client *c, const char *block, size_t size) {
    size_t used = 0;
    while (used < size && c->body_left < 0 && c->header_used < HEADER_ROOM - 1) {
        c->header[c->header_used++] = block[used++];
        c->header[c->header_used] = '\0';
        if (c->header_used < 4 || memcmp(c->header + c->header_used - 4, "\r\n\r\n", 4) != 0)
            continue;
        const char *length = strcasestr(c->header, "\r\nContent-Length: ");
        c->body_left = length == NULL ? 0 : strtoll(length + 18, NULL, 10);
    }
    return used;
}

static void answer_is_complete(load *l, client *c) {
    ++l->answered;
    think(l, c, now_ns() + next_gap_ns(c));
}

/* Edge-triggered: reads until there is no more. */
static void read_answer(load *l, client *c) {
    static char block[1 << 16];
    for (;;) {
        const ssize_t size = recv(c->fd, block, sizeof block, 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (size <= 0) {
            if (c->state == WAITING) {
                fail(l, c);
            } else {
                ++l->closed_by_server;
                disconnect(c); /* it stays among those who think, and connects again */
            }
            return;
        }
        if (c->state != WAITING) continue;
        const size_t header = take_header(c, block, (size_t)size);
        if (c->body_left < 0 && c->header_used == HEADER_ROOM - 1) {
            fail(l, c);
            return;
        }
        if (c->body_left >= 0) c->body_left -= (long long)((size_t)size - header);
        if (c->body_left == 0) answer_is_complete(l, c);
    }
}

static void on_event(load *l, client *c, uint32_t events) {
    if (c->fd < 0) return;
    if (c->state == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0)
            fail(l, c);
        else if (events & EPOLLOUT)
            send_request(l, c);
        return;
    }
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) read_answer(l, c);
}

static void make_moves(load *l) {
    const int64_t now = now_ns();
    for (int i = 0; i < MOVES_A_TURN && l->heap_used > 0 && l->sent < l->wanted; ++i) {
        if (l->clients[l->heap[0]].due_ns > now) return;
        client *c = take_earliest(l);
        if (c->fd < 0)
            begin_connection(l, c);
        else
            send_request(l, c);
    }
}

static int wait_ms(const load *l) {
    if (l->heap_used == 0 || l->sent >= l->wanted) return 100;
    const int64_t left = l->clients[l->heap[0]].due_ns - now_ns();
    return left <= 0 ? 0 : (int)(left / 1000000 < 100 ? left / 1000000 + 1 : 100);
}

static void run(load *l, int64_t end_ns) {
    struct epoll_event events[256];
    while (now_ns() < end_ns && l->answered + l->failed < l->wanted) {
        make_moves(l);
        const int count = epoll_wait(l->epoll, events, 256, wait_ms(l));
        for (int i = 0; i < count; ++i)
            on_event(l, &l->clients[events[i].data.u32], events[i].events);
    }
}

/* A number from the command line, at most `most`; 0 where it is none. */
static long long number_of(const char *text, long long most) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    return errno != 0 || *end != '\0' || value < 1 || value > most ? 0 : value;
}

static int start(load *l, unsigned count, uint64_t seed) {
    struct rlimit files = { .rlim_cur = count + 64, .rlim_max = count + 64 };
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < count + 64) {
        files.rlim_cur = count + 64;
        if (files.rlim_max < files.rlim_cur) files.rlim_max = files.rlim_cur;
        if (setrlimit(RLIMIT_NOFILE, &files) != 0) return -1;
    }
    l->clients = calloc(count, sizeof *l->clients);
    l->heap = calloc(count, sizeof *l->heap);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (l->clients == NULL || l->heap == NULL || l->epoll < 0) return -1;
    const int64_t now = now_ns();
    for (unsigned i = 0; i < count; ++i) {
        client *c = &l->clients[i];
        c->fd = -1;
        c->number = i;
        uint64_t mixed = seed ^ ((uint64_t)i << 32);
        c->random = next_random(&mixed); /* one stream each: without the mix they would overlap */
        think(l, c, now + (int64_t)(next_unit(&c->random) * 5e9)); /* they come within 5 s */
    }
    return 0;
}

int main(int argc, char **argv) {
    const long long port = argc == 6 ? number_of(argv[1], 65535) : 0;
    const long long clients = argc == 6 ? number_of(argv[2], 60000) : 0;
    const long long requests = argc == 6 ? number_of(argv[3], 100000000) : 0;
    const long long seconds = argc == 6 ? number_of(argv[4], 3600) : 0;
    const long long seed = argc == 6 ? number_of(argv[5], INT64_MAX) : 0;
    if (port == 0 || clients == 0 || requests == 0 || seconds == 0 || seed == 0) {
        fprintf(stderr, "usage: %s PORT CLIENTS REQUESTS SECONDS SEED\n", argv[0]);
        return 2;
    }
    load l = { .wanted = requests };
    l.server.sin_family = AF_INET;
    l.server.sin_port = htons((uint16_t)port);
    l.server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (start(&l, (unsigned)clients, (uint64_t)seed) != 0) {
        perror("load");
        return 3;
    }
    const int64_t begin = now_ns();
    run(&l, begin + seconds * 1000000000);
    printf("%lld requests answered, %lld failed, %lld connections, %lld closed by the server while "
           "the client thought, %.1f s\n",
           l.answered, l.failed, l.connections, l.closed_by_server,
           (double)(now_ns() - begin) * 1e-9);
    return l.failed == 0 && l.answered >= l.wanted ? 0 : 1;
}
