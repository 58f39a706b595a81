/* Ctrl-C, SIGTERM and SIGHUP as a request to stop soon. */
#ifndef TOOLS_COMMON_INTERRUPT_H
#define TOOLS_COMMON_INTERRUPT_H

#include <stdatomic.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP raises the flag, and a second later ends what
 * waits for a reader; one that comes more than half a second later ends the process at once, as
 * if nobody had asked for the signals. A SIGHUP that was ignored stays so. */
void interrupt_catch(void);

/* The flag for a long piece of work to look at. */
const atomic_bool *interrupt_flag(void);

/* The signal that raised the flag; 0 if none did. */
int interrupt_signal(void);

#endif
