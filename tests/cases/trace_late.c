/* A preloaded library in front of tarry, for trace_commands.sh: every timer fires 5 ms late. */
#include <dlfcn.h>
#include <tarry/tarry.h>

typedef int rearm(tarry_runtime *rt, tarry_handle handle, int64_t deadline);

TARRY_API int tarry_rearm_at(tarry_runtime *rt, tarry_handle handle, int64_t deadline) {
    rearm *real;
    *(void **)&real = dlsym(RTLD_NEXT, "tarry_rearm_at");
    return real(rt, handle, deadline + 5 * TARRY_MILLISECOND);
}
