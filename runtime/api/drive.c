#include <tarry/drive.h>

#include "api/runtime.h"

static int usable(const tarry_runtime *rt, unsigned worker) {
    const int error = tri_runtime_has_worker(rt, worker);
    return error == 0 && !rt->by_hand ? -EINVAL : error;
}

int tarry_next_deadline(int64_t *out, tarry_runtime *rt, unsigned worker) {
    const int error = out == NULL ? -EINVAL : usable(rt, worker);
    if (error != 0) return error;
    const int64_t next = tri_drive_next(&rt->workers[worker]);
    *out = next >= TRI_TIME_END ? TARRY_FOREVER : next;
    return 0;
}

int64_t tarry_run_expired(tarry_runtime *rt, unsigned worker, int64_t now, size_t limit) {
    const int error = now >= TRI_TIME_END ? -EINVAL : usable(rt, worker);
    if (error != 0) return error;
    return tri_drive_run(&rt->workers[worker], now, limit);
}
