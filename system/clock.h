/* The monotonic clock, which does not jump when the system time is changed. Used for progress,
 * measurements and deadlines. Both functions are safe in signal handlers. */
#ifndef SYSTEM_CLOCK_H
#define SYSTEM_CLOCK_H

#include <stdint.h>

/* Returns the seconds since some fixed moment. The result never decreases. */
double wari_seconds_now(void);

/* Returns the time of this clock in whole milliseconds, rounded down. */
int64_t wari_milliseconds_now(void);

#endif
