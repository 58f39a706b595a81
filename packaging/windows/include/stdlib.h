/* <stdlib.h>, with mkdtemp(). */
#ifndef WINDOWS_INCLUDE_STDLIB_H
#define WINDOWS_INCLUDE_STDLIB_H

#include_next <stdlib.h>

char *mkdtemp(char *pattern);

#endif
