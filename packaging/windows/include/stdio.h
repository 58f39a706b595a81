/* <stdio.h>, with locks of streams. */
#ifndef WINDOWS_INCLUDE_STDIO_H
#define WINDOWS_INCLUDE_STDIO_H

#include_next <stdio.h>

/* There is one lock for all streams. It excludes other threads that take it, but not threads that
 * print without it. */
void flockfile(FILE *stream);
int ftrylockfile(FILE *stream);
void funlockfile(FILE *stream);

#endif
