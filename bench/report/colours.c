#include "report/colours.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *colour;
} known[] = {
    /* tarry's backends */
    { "tiered", "#0b5fc7" },
    { "tiered-tick", "#00998f" },
    { "heap", "#d62728" },
    { "wheel", "#ef8200" },
    { "hashed", "#8a7a00" },
    { "hybrid", "#b5179e" },
    /* other libraries */
    { "libuv", "#5d9c2f" },
    { "libev", "#7a3b1d" },
    { "libevent", "#7b5ea7" },
    { "libevent-common", "#a48bd0" },
    { "glib", "#4f6d7a" },
    { "asio", "#c06c84" },
    { "dpdk", "#222222" },
    { "timerfd", "#b38f00" },
    { "timer_create", "#a0653a" },
    { "go", "#2aa5c9" },
    /* what a picture shows beside them */
    { "futex", "#7f7f7f" },
    { "floor", "#8c8c8c" },
};

static const char no_lock[] = "-nolock";

/* The length of the name that decides the colour. */
static size_t base_length(const char *subject) {
    const char *suffix = strstr(subject, no_lock);
    return suffix != NULL ? (size_t)(suffix - subject) : strlen(subject);
}

static uint32_t hash(const char *name, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

/* A component of the colour with that hue (0..6), from its distance to the component's own. */
static unsigned component(double hue, double own, double low, double high) {
    const double away = fabs(fmod(fabs(hue - own) + 3, 6) - 3);
    const double share = fmin(fmax(2 - away, 0), 1);
    return (unsigned)lround(255 * (low + (high - low) * share));
}

static void make_colour(char colour[8], const char *name, size_t length) {
    const uint32_t h = hash(name, length);
    const double hue = (double)(h % 3600) / 600, high = 0.45 + (double)(h / 3600 % 256) / 1024,
                 low = high * (0.1 + (double)(h / 921600 % 256) / 1024);
    snprintf(colour, 8, "#%02x%02x%02x", component(hue, 0, low, high), component(hue, 2, low, high),
             component(hue, 4, low, high));
}

look look_of(const char *subject, bool is_peer) {
    const size_t length = base_length(subject);
    look l = { .width = is_peer ? 1.4 : 3, .dashed = subject[length] != '\0' };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strlen(known[i].name) != length || strncmp(known[i].name, subject, length) != 0)
            continue;
        memcpy(l.colour, known[i].colour, sizeof l.colour);
        return l;
    }
    make_colour(l.colour, subject, length);
    return l;
}
