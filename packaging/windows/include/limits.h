/* <limits.h>, with the least size of a thread's stack. */
#ifndef WINDOWS_INCLUDE_LIMITS_H
#define WINDOWS_INCLUDE_LIMITS_H

#include_next <limits.h>

#define PTHREAD_STACK_MIN 16384

#endif
