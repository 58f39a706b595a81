/* Wall-clock time for progress and measurements. */
#ifndef SOLVER_CLOCK_H
#define SOLVER_CLOCK_H

/* Seconds from some fixed moment; never goes backwards. */
double wari_seconds_now(void);

#endif
