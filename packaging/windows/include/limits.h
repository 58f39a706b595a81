/* <limits.h>, with the minimum size of the stack of a thread. */
#ifndef WINDOWS_INCLUDE_LIMITS_H
#define WINDOWS_INCLUDE_LIMITS_H

#include_next <limits.h>

#define PTHREAD_STACK_MIN 16384

#endif
