/* SIGINT (Ctrl-C), SIGTERM and SIGHUP as requests to stop soon. */
#ifndef TOOLS_COMMON_INTERRUPT_H
#define TOOLS_COMMON_INTERRUPT_H

#include <stdatomic.h>

/* Installs the handlers. The first SIGINT, SIGTERM or SIGHUP sets the flag. A write that still
 * blocks one second later, or begins to block after that, is interrupted. A signal that arrives
 * more than half a second after the first one kills the process, as if no handler were installed.
 * If SIGHUP is already ignored, it stays ignored. */
void interrupt_catch(void);

/* Returns the flag, which long computations check from time to time. */
const atomic_bool *interrupt_flag(void);

/* Returns the signal that set the flag; 0 if no signal has arrived. */
int interrupt_signal(void);

#endif
