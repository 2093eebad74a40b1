/* Which sanitizer the tests were built for, told alike by gcc and clang. */
#ifndef TEST_SANITIZERS_H
#define TEST_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
enum { TEST_THREAD_SANITIZER = 1 };
#else
enum { TEST_THREAD_SANITIZER = 0 };
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { TEST_ADDRESS_SANITIZER = 1 };
#else
enum { TEST_ADDRESS_SANITIZER = 0 };
#endif

#endif
