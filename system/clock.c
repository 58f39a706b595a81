/* Reads the monotonic clock, which does not jump when the system time is changed. */
#include "system/clock.h"

#include <time.h>

double wari_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
