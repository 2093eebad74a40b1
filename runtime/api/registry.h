/* The process's list of runtimes. It serves three ends: after fork the child must be told that each
 * of them is dead; a destroyed runtime must be recognised (its struct is never given back, only
 * reused); and the default one is made once.
 *
 * Guard: (registry), a lock that is held over fork. */
#ifndef TRI_REGISTRY_H
#define TRI_REGISTRY_H

#include "api/runtime.h"

/* A struct for a new runtime, state -ESHUTDOWN until it is entered. NULL: no memory. */
tarry_runtime *tri_registry_take(void);
/* It was never entered, or nothing is left of it. */
void tri_registry_give(tarry_runtime *rt);
/* From here on it is alive. */
void tri_registry_enter(tarry_runtime *rt);
/* End its life: 0, or what tarry_destroy has to answer. -ECHILD: it was another process's; it is
 * let go of here and nothing more is to be done. */
int tri_registry_leave(tarry_runtime *rt);

#endif
