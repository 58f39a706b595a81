/* <errno.h>, with two numbers of POSIX that Windows lacks. */
#ifndef WINDOWS_INCLUDE_ERRNO_H
#define WINDOWS_INCLUDE_ERRNO_H

#include_next <errno.h>

#define EDQUOT 1001
#define ESTALE 1002

#endif
