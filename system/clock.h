/* Wall-clock time for progress and measurements. */
#ifndef SYSTEM_CLOCK_H
#define SYSTEM_CLOCK_H

/* Returns the seconds since some fixed moment. The result never decreases. */
double wari_seconds_now(void);

#endif
