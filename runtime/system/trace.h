/* TARRY_TRACE=FILE: what the program does with its timers, a line each, for the compare tool to
 * replay: t_ns,op,id,delay_ns,class with op A (arm), R (arm again while pending), C (cancel), F
 * (fired). Decided once a process. Written through a buffer of our own, so that a child of fork
 * does not write its parent's lines again. */
#ifndef TRI_TRACE_H
#define TRI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process records. Opens the file at the first call; one that cannot be opened is told
 * on standard error, once, and not recorded to. */
bool tri_trace_wanted(void);
/* Times of several runtimes are brought into one order: one that goes back is held. delay_ns < 0:
 * none. The bucket's lock may be held. */
void tri_trace_write(int64_t t_ns, char op, uint64_t id, int64_t delay_ns, const char *class);
/* Write out what is buffered; also done at exit. */
void tri_trace_flush(void);

#endif
