/* A callback's name: its library, and its symbol where the dynamic linker knows one, else the
 * object it lies in and where. A table that only grows, without a lock, since dladdr takes the
 * dynamic linker's. */
#include "record/shim.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 4096u   /* a power of two */
#define LONGEST 127u /* as the trace format has it */

static _Atomic(shim_class *) table[ROOM];

static size_t place_of(shim_function *callback) {
    return (size_t)(((uintptr_t)callback * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % ROOM;
}

static void write_name(char *text, const shim_library *library, shim_function *callback) {
    Dl_info object;
    const void *address;
    memcpy(&address, &callback, sizeof address);
    if (dladdr(address, &object) == 0) {
        snprintf(text, LONGEST + 1, "%s", library->name);
    } else if (object.dli_sname != NULL) {
        snprintf(text, LONGEST + 1, "%s:%s", library->name, object.dli_sname);
    } else {
        const char *slash = strrchr(object.dli_fname, '/');
        snprintf(text, LONGEST + 1, "%s:%.80s+0x%zx", library->name,
                 slash != NULL ? slash + 1 : object.dli_fname,
                 (size_t)((uintptr_t)callback - (uintptr_t)object.dli_fbase));
    }
    for (char *c = text; *c != '\0'; ++c)
        if (*c == ',' || (unsigned char)*c < 0x20 || *c == 0x7f) *c = '_';
}

static shim_class *make(const shim_library *library, shim_function *callback) {
    shim_class *made = malloc(sizeof *made + LONGEST + 1);
    if (made == NULL) return NULL;
    made->callback = callback;
    made->library = library;
    write_name(made->text, library, callback);
    return made;
}

/* More callbacks than the table has room for share the last place that was looked at. */
const shim_class *shim_class_of(const shim_library *library, shim_function *callback) {
    size_t place = place_of(callback);
    shim_class *found = NULL, *made = NULL;
    for (size_t i = 0; i < ROOM; ++i, place = (place + 1) % ROOM) {
        found = atomic_load_explicit(&table[place], memory_order_acquire);
        if (found == NULL) {
            if (made == NULL) made = make(library, callback);
            if (made == NULL || atomic_compare_exchange_strong(&table[place], &found, made))
                return made;
        }
        if (found->callback == callback) break;
    }
    free(made);
    return found;
}
