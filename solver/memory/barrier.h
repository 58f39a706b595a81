/* The threads of a sweep in memory, and the barrier at which they wait for each other. */
#ifndef SOLVER_MEMORY_BARRIER_H
#define SOLVER_MEMORY_BARRIER_H

#include "solver/level/level.h"

/* Other processes may delay the threads of a sweep so much that, on average, fewer than this number
 * of threads compute at the same time. One thread alone would then be about as fast, so the other
 * threads leave the sweep. */
static const double wari_busy_threads_min = 1.25;

/* The context of a thread during a sweep. */
struct wari_sweep_thread {
    struct wari_level *level;
    struct wari_worker *worker;
    const struct wari_sweep *sweep;
    struct wari_sweep_result *result;
    uint32_t threads_at_start; /* number of threads that began the sweep */
    uint32_t threads; /* number of threads that share the work now: threads_at_start, or 1 if the
                       * others have left the sweep */
    uint32_t rank;    /* number of this thread, from 0 on */
    bool finished;    /* true if this thread has left the sweep; it then does nothing more in it */
    double start;     /* of the sweep; wari_seconds_now() */
    double waited;    /* seconds for which the thread has waited */
};

/* Waits until all threads of the sweep call this function. If the threads of a dense sweep have
 * waited most of the time, because other processes use the processors, all threads but the first
 * one leave the sweep. If a stop was requested, all threads leave a dense sweep; the first thread
 * may leave it one call later than the others. In a dense sweep, the caller must check
 * thread->finished afterwards. */
void wari_wait_for_all(struct wari_sweep_thread *thread);

/* Returns the processor time of this thread, in seconds. */
double wari_processor_seconds(void);

#endif
