/* Includes the system's <stdio.h> and adds the POSIX functions that lock streams. */
#ifndef WINDOWS_INCLUDE_STDIO_H
#define WINDOWS_INCLUDE_STDIO_H

#include_next <stdio.h>

/* All streams share one lock. While a thread holds the lock, other threads cannot acquire it, but
 * they can print without it. */
void flockfile(FILE *stream);
int ftrylockfile(FILE *stream);
void funlockfile(FILE *stream);

#endif
