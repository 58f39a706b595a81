/* Wall-clock time for progress and measurements. */
#ifndef SYSTEM_CLOCK_H
#define SYSTEM_CLOCK_H

/* Seconds from some fixed moment; never goes backwards. */
double wari_seconds_now(void);

#endif
