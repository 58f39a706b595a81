/* SIGINT (Ctrl-C), SIGTERM and SIGHUP as requests to stop soon. */
#ifndef TOOLS_COMMON_INTERRUPT_H
#define TOOLS_COMMON_INTERRUPT_H

#include <stdatomic.h>

/* Installs the handlers. From then on the first SIGINT, SIGTERM or SIGHUP sets the flag, and from
 * one second later interrupts blocking writes. A signal that arrives more than half a second after
 * the first one kills the process, as if no handler were installed. A SIGHUP that was ignored stays
 * ignored. */
void interrupt_catch(void);

/* Returns the flag, which long computations check from time to time. */
const atomic_bool *interrupt_flag(void);

/* Returns the signal that set the flag; 0 if no signal has arrived. */
int interrupt_signal(void);

#endif
