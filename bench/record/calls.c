/* Finds the library's own functions. They are what the dynamic linker would have bound the call to:
 * the next after the shim in the order of the whole program, or, of a library that was loaded with
 * dlopen and is seen by its users alone, what the calling object and its needs offer.
 *
 * Nothing waits here: a thread that waited while it held the dynamic linker's lock, within a
 * constructor say, could be waited for in turn. Threads that come at the same time all look, and
 * the first table stands. */
#include "record/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local int shim_depth;

static shim_function *look_up(const char *name, const void *caller) {
    Dl_info object;
    shim_function *found;
    void *address = dlsym(RTLD_NEXT, name);
    if (address == NULL && dladdr(caller, &object) != 0) {
        void *handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (handle != NULL) address = dlsym(handle, name);
        if (handle != NULL) dlclose(handle);
    }
    memcpy(&found, &address, sizeof found);
    return found;
}

/* Of one loaded object: is the function in it? */
static int take_range(struct dl_phdr_info *object, size_t size, void *argument) {
    shim_calls *calls = argument;
    const uintptr_t wanted = (uintptr_t)calls->at[0];
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD) continue;
        if (from < low) low = from;
        if (to > high) high = to;
    }
    if (wanted < low || wanted >= high) return 0;
    calls->low = low;
    calls->high = high;
    return 1;
}

static shim_calls *make(const char *const *names, size_t count, const void *caller) {
    shim_calls *calls = calloc(1, sizeof *calls + count * sizeof *calls->at);
    if (calls == NULL) return NULL;
    for (size_t i = 0; i < count; ++i) calls->at[i] = look_up(names[i], caller);
    dl_iterate_phdr(take_range, calls);
    return calls;
}

const shim_calls *shim_load(shim_slot *slot, const char *const *names, size_t count,
                            const void *caller) {
    shim_calls *calls = atomic_load_explicit(slot, memory_order_acquire);
    if (calls != NULL) return calls;
    const int error = errno;
    shim_calls *mine = make(names, count, caller);
    if (mine == NULL || mine->at[0] == NULL) {
        fprintf(stderr, "tarry-compare record: the library behind %s was not found\n", names[0]);
        abort();
    }
    if (atomic_compare_exchange_strong(slot, &calls, mine)) calls = mine;
    else free(mine);
    errno = error;
    return calls;
}

bool shim_is_within(const shim_calls *calls, const void *address) {
    return (uintptr_t)address >= calls->low && (uintptr_t)address < calls->high;
}
