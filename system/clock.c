/* Reads the monotonic clock. */
#include "system/clock.h"

#include <time.h>

static struct timespec time_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: this clock exists */
    return now;
}

double wari_seconds_now(void)
{
    const struct timespec now = time_now();

    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t wari_milliseconds_now(void)
{
    const struct timespec now = time_now();

    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
