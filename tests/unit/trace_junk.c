/* Shows: no bytes, however broken, make a reader or an importer go wrong (tests/fuzz/trace_input.h
 * tells what that is): good examples of each format, and many that are changed at random places.
 * A failure prints its seed and step, and the bytes are written again by the same seed. */
#include "../fuzz/trace_input.h"
#include "check.h"
#include "suite.h"
#include "workload/random.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, STEPS = 400 };

static const char *const examples[] = {
    "# t_ns,op,id,delay_ns,class\n# tick_ns=4000000\n0,A,1,4000000,x\n3000000,A,2,0,y\n"
    "3500000,R,1,17000000,x\n20000000,F,1,,x\n20500000,A,1,9223372036854775807,x\n"
    "20500001,A,3,4611686018427387903,\n20500002,C,3,,\n4611686018427387903,A,3,-9,x\n"
    "4611686018427387903,A,4,4611686018427387903,x\n" /* the end of time, and before it */
    "4611686018427387903,A,5,4611686018427387902,x\n"
    "4611686018427387903,A,6,4611686018427387901,x\n",
    "a - - [17/May/2015:10:05:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"b\" 1431857100.250\n"
    "b - - [17/May/2015:12:05:00.900 +0200] \"GET /\" 200 -\n"
    "a - - [1431857103.1] \"\\\"\" 404 7\nb - - [17/May/2015:10:04:59 +0000] \"\" 400 0\n",
    "time\thost\n807256800\ta\n807256800.5\tb\n1995-08-01 06:00:01Z\ta\n807256700\tb\n",
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
    "2023-11-16 18:17:04.0319600,3180,80\n\"2023-11-16 18:17:04\",110,\"27\"\n",
    " x-1 [000] d..1. 10.000001: timer_start: timer=00000000000000aa function=f expires=4294 "
    "[timeout=3] bucket_expiry=9\n"
    " x-1 [000] d..1. 10.000100: timer_cancel: timer=00000000000000aa\n"
    " x-1 [000] d..1. 10.000102: timer_start: timer=00000000000000aa function=f expires=4295 "
    "[timeout=4]\n"
    " x-1 [000] d..1. 10.000103: timer:timer_start: timer=0xbb function=g expires=4295 "
    "[timeout=-4]\n"
    " x-1 [000] d..1. 10.016000: timer_cancel: timer=00000000000000aa\n"
    " x-1 [000] d..1. 10.016001: timer_expire_entry: timer=00000000000000aa function=f now=4296\n"
    " x-1 [000] d..1. 10.030000: timer_cancel: timer=0xbb\n",
};

static size_t size;
static uint8_t bytes[ROOM];

static size_t below(uint64_t *seed, size_t limit) {
    return (size_t)random_scale(random_next(seed), limit);
}

/* Change one thing. */
static void change(uint64_t *seed) {
    static const char signs[] = "0123456789,,\n\n \"[]:.-ARCF\t\\";
    const size_t at = below(seed, size), left = size - at;
    const size_t length = below(seed, left < 40 ? left + 1 : 40);
    switch (below(seed, 5)) {
    case 0:
        bytes[at] = (uint8_t)signs[below(seed, sizeof signs - 1)];
        break;
    case 1:
        bytes[at] = (uint8_t)random_next(seed);
        break;
    case 2: /* cut out */
        memmove(bytes + at, bytes + at + length, left - length);
        size -= length;
        break;
    case 3: /* double */
        if (size + length > ROOM) break;
        memmove(bytes + at + length, bytes + at, left);
        size += length;
        break;
    default: /* copy elsewhere */
        memmove(bytes + below(seed, size - length + 1), bytes + at, length);
        break;
    }
    if (size == 0) bytes[size++] = '\n';
}

static void good_examples_hold(void) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
        const char *why = trace_input_check((const uint8_t *)examples[i], strlen(examples[i]));
        test_context("example %zu: %s", i, why != NULL ? why : "");
        CHECK(why == NULL);
    }
}

static void changed_examples_hold(void) {
    for (uint64_t first = 1; first <= 5; ++first) {
        uint64_t seed = first;
        for (int step = 0; step < STEPS; ++step) {
            if (step % 20 == 0) {
                const char *example = examples[below(&seed, sizeof examples / sizeof *examples)];
                size = strlen(example);
                memcpy(bytes, example, size);
            }
            change(&seed);
            const char *why = trace_input_check(bytes, size);
            test_context("seed %d, step %d: %s", (int)first, step, why != NULL ? why : "");
            if (!CHECK(why == NULL)) return;
        }
    }
}

TEST_SUITE("trace junk", 250, { "good_examples_hold", good_examples_hold },
           { "changed_examples_hold", changed_examples_hold })
