/* What a number has to be read with: the machine that it was measured on. Figures that the system
 * does not tell are "unknown". */
#ifndef COMPARE_MACHINE_H
#define COMPARE_MACHINE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

typedef struct machine {
    char cpu[96];
    char kernel[96];
    char virtualization[32]; /* "none", or the hypervisor's name */
    char clock_source[32];
    char governor[32];
    int64_t cores; /* that this process may use */
    int64_t timer_slack_ns;
} machine;

void machine_read(machine *out);
/* Two lines. */
void machine_print(const machine *m, FILE *file);
json_t *machine_to_json(const machine *m);
/* What an object lacks stays "unknown". */
void machine_from_json(machine *out, const json_t *object);

#endif
