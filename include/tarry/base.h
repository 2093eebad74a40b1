/* Version, visibility, units and the conventions that every call keeps.
 *
 * Time       int64_t nanoseconds on the runtime's clock. A deadline is a point, a delay or a
 *            period is a span. now + delay saturates at TARRY_FOREVER, which is never reached, nor
 *            is the point before it.
 * Results    0 (stop and reset: 0 or 1), or a negative errno value. Nothing changed on error.
 * Output     through the first argument, written only on success.
 * Strings    are borrowed for the length of the call.
 * Signals    no call is async-signal-safe. A call is not a cancellation point. */
#ifndef TARRY_BASE_H
#define TARRY_BASE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define TARRY_VERSION_MAJOR 0
#define TARRY_VERSION_MINOR 1
#define TARRY_VERSION_PATCH 0
#define TARRY_VERSION_NUMBER(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define TARRY_VERSION \
    TARRY_VERSION_NUMBER(TARRY_VERSION_MAJOR, TARRY_VERSION_MINOR, TARRY_VERSION_PATCH)
#define TARRY_VERSION_AT_LEAST(major, minor, patch) \
    (TARRY_VERSION >= TARRY_VERSION_NUMBER(major, minor, patch))

#define TARRY_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define TARRY_BEGIN_DECLS extern "C" {
#define TARRY_END_DECLS }
#else
#define TARRY_BEGIN_DECLS
#define TARRY_END_DECLS
#endif

#define TARRY_NANOSECOND ((int64_t)1)
#define TARRY_MICROSECOND (1000 * TARRY_NANOSECOND)
#define TARRY_MILLISECOND (1000 * TARRY_MICROSECOND)
#define TARRY_SECOND (1000 * TARRY_MILLISECOND)

/* As a deadline or a delay: never. */
#define TARRY_FOREVER INT64_MAX

TARRY_BEGIN_DECLS

/* The version of the library that is linked, as TARRY_VERSION is of the headers.
 * Threads   any, at any time. */
TARRY_API int tarry_version(void);

TARRY_END_DECLS

#endif
