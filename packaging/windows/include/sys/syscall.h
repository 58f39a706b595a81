/* syscall(), only for the clock of the system. Tests that replace clock_gettime() read the clock in
 * this way. */
#ifndef WINDOWS_INCLUDE_SYSCALL_H
#define WINDOWS_INCLUDE_SYSCALL_H

#include <time.h>

enum { SYS_clock_gettime };

/* Reads the monotonic clock. `number` must be SYS_clock_gettime. */
int syscall(int number, int clock, struct timespec *time);

#endif
