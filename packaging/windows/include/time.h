/* <time.h>, with gmtime_r(). */
#ifndef WINDOWS_INCLUDE_TIME_H
#define WINDOWS_INCLUDE_TIME_H

#ifndef _POSIX_THREAD_SAFE_FUNCTIONS
#define _POSIX_THREAD_SAFE_FUNCTIONS 200112L
#endif
#include_next <time.h>

#endif
