/* Every test program that has a rig is linked with --wrap=tarry_create, so that this file sees each
 * runtime that is made, tarry_default's too: where one backend is to be in all places (backends.h),
 * a runtime that has another one ends the program. So no test can go round that. */
#include "api/runtime.h"
#include "backends.h"

#include <stdio.h>
#include <stdlib.h>

int __real_tarry_create(tarry_runtime **out, const tarry_options *options);
int __wrap_tarry_create(tarry_runtime **out, const tarry_options *options);

int __wrap_tarry_create(tarry_runtime **out, const tarry_options *options) {
    const int result = __real_tarry_create(out, options);
    if (result != 0 || !test_backend_is_forced()) return result;
    const tri_backend_ops *ops = (*out)->workers[0].bucket.backend->ops;
    if (ops == &tri_backend_tiered) return result;
    fprintf(stderr, "a test has made a runtime with %s, though tiered is forced\n", ops->name);
    abort();
}
