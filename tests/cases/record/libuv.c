/* A program on libuv, for record.sh: each scenario's timer calls are known, one by one. What libuv
 * promises of them has to hold under the recorder too, else it ends with 1. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#define LONG_MS 1000000
#define OPS 40000 /* more lines than the recorder's first chunk holds */

#define EXPECT(truth)                                                             \
    do {                                                                          \
        if (!(truth)) {                                                           \
            fprintf(stderr, "libuv.c:%d: it does not hold: %s\n", __LINE__, #truth); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

static int calls;

/* Exported, so that the trace has their names. */
void on_once(uv_timer_t *timer);
void on_repeat(uv_timer_t *timer);

void on_once(uv_timer_t *timer) {
    EXPECT(!uv_is_active((uv_handle_t *)timer));
    ++calls;
}

void on_repeat(uv_timer_t *timer) {
    EXPECT(uv_is_active((uv_handle_t *)timer));
    if (++calls == 3) uv_timer_stop(timer);
}

static void run_calls(void) {
    uv_loop_t loop;
    uv_timer_t a, b, c;
    EXPECT(uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &a) == 0);
    EXPECT(uv_timer_init(&loop, &b) == 0 && uv_timer_init(&loop, &c) == 0);
    errno = ENOTTY;
    EXPECT(uv_timer_again(&a) == UV_EINVAL);
    EXPECT(uv_timer_start(&a, NULL, LONG_MS, 0) == UV_EINVAL);
    EXPECT(uv_timer_start(&a, on_once, LONG_MS, 0) == 0); /* A */
    EXPECT(uv_timer_start(&a, on_once, LONG_MS, 0) == 0); /* R */
    EXPECT(uv_timer_again(&a) == 0);                      /* does nothing: it does not repeat */
    EXPECT(uv_timer_stop(&a) == 0);                       /* C */
    EXPECT(uv_timer_stop(&a) == 0);
    uv_timer_set_repeat(&a, LONG_MS);
    EXPECT(uv_timer_again(&a) == 0); /* A */
    EXPECT(uv_timer_again(&a) == 0); /* R */
    EXPECT(errno == ENOTTY);
    EXPECT(uv_timer_start(&b, on_once, 0, 0) == 0); /* A F */
    uv_run(&loop, UV_RUN_NOWAIT);
    EXPECT(calls == 1);
    calls = 0;
    EXPECT(uv_timer_start(&b, on_repeat, 1, 1) == 0); /* A FA FA FA C */
    while (uv_is_active((uv_handle_t *)&b)) uv_run(&loop, UV_RUN_ONCE);
    EXPECT(calls == 3);
    uv_close((uv_handle_t *)&a, NULL); /* C */
    EXPECT(uv_timer_start(&a, on_once, LONG_MS, 0) == UV_EINVAL);
    uv_close((uv_handle_t *)&b, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
    EXPECT(uv_timer_init(&loop, &a) == 0);
    EXPECT(uv_timer_again(&a) == UV_EINVAL);
    EXPECT(uv_timer_start(&a, on_once, UINT64_MAX, 0) == 0); /* A, as another timer */
    uv_close((uv_handle_t *)&a, NULL);                       /* C */
    uv_close((uv_handle_t *)&c, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT(uv_loop_close(&loop) == 0);
}

/* OPS lines, arms and cancels in turn; the timer pends at the end. */
static void arm_many(void) {
    static uv_loop_t loop;
    static uv_timer_t timer;
    EXPECT(uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &timer) == 0);
    for (int i = 0; i < OPS / 2; ++i) {
        uv_timer_stop(&timer);
        uv_timer_start(&timer, on_once, LONG_MS, 0);
    }
    uv_timer_start(&timer, on_once, LONG_MS, 0);
}

/* Until a signal ends it. */
static void wait_for_end(void) {
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    for (;;) pause();
}

static void fire_one(void) {
    uv_loop_t loop;
    uv_timer_t timer;
    EXPECT(uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &timer) == 0);
    EXPECT(uv_timer_start(&timer, on_once, 1, 0) == 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT(uv_loop_close(&loop) == 0);
}

/* The parent's timer pends in both; the child arms another. */
static void run_fork(void) {
    uv_loop_t loop;
    uv_timer_t timer;
    int status;
    EXPECT(uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &timer) == 0);
    EXPECT(uv_timer_start(&timer, on_once, LONG_MS, 0) == 0);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(uv_timer_stop(&timer) == 0);
        fire_one();
        EXPECT(uv_timer_start(&timer, on_once, LONG_MS, 0) == 0);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(uv_timer_stop(&timer) == 0);
}

/* As daemons begin: the first process ends, and what is open is closed. */
static void run_daemon(void) {
    if (fork() != 0) _exit(0);
    setsid();
    for (int file = 0; file < 1024; ++file) close(file);
    for (int file = 0; file < 1024; ++file)
        EXPECT(open("/dev/null", O_RDWR) >= 0); /* their numbers are other files' now */
    arm_many();
}

/* As servers do that give up what they no longer need: another root, another user. */
static void run_confined(const char *folder) {
    fire_one();
    EXPECT(chroot(folder) == 0 && chdir("/") == 0 && setgid(65534) == 0 && setuid(65534) == 0);
    arm_many();
}

static void *run_thread(void *argument) {
    uv_loop_t loop;
    uv_timer_t timer;
    (void)argument;
    EXPECT(uv_loop_init(&loop) == 0 && uv_timer_init(&loop, &timer) == 0);
    for (int i = 0; i < OPS / 2; ++i) {
        uv_timer_start(&timer, on_once, LONG_MS, 0);
        uv_timer_stop(&timer);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT(uv_loop_close(&loop) == 0);
    return NULL;
}

static void run_threads(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], NULL, run_thread, NULL) == 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "calls") == 0) run_calls();
    else if (strcmp(what, "fork") == 0) run_fork();
    else if (strcmp(what, "threads") == 0) run_threads();
    else if (strcmp(what, "daemon") == 0) run_daemon();
    else if (strcmp(what, "confined") == 0) run_confined(argv[2]);
    else if (strcmp(what, "wait") == 0) arm_many(), wait_for_end();
    else return 2;
    return 0;
}
