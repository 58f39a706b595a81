/* The clock of the system, for tests that replace clock_gettime(). */
#ifndef WINDOWS_INCLUDE_SYSCALL_H
#define WINDOWS_INCLUDE_SYSCALL_H

#include <time.h>

enum { SYS_clock_gettime };

/* Reads the monotonic clock. `number` must be SYS_clock_gettime. */
int syscall(int number, int clock, struct timespec *time);

#endif
