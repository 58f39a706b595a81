/* <sys/time.h>, with setitimer(), which always fails: Windows has no interval timers. */
#ifndef WINDOWS_INCLUDE_TIME_H
#define WINDOWS_INCLUDE_TIME_H

#include_next <sys/time.h>

enum { ITIMER_REAL };

struct itimerval {
    struct timeval it_interval, it_value;
};

static inline int setitimer(int which, const struct itimerval *period, struct itimerval *previous)
{
    (void)which;
    (void)period;
    (void)previous;
    return -1;
}

#endif
