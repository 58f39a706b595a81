/* A counting semaphore that limits how many requests look up positions at the same time.
 *
 * Each connection has a thread of its own, which mostly waits for its client. A lookup occupies a
 * processor and, while it searches for a line of best play, up to 60 MB (db/wari.h); so a thread
 * must hold a permit during a lookup. */
#ifndef SERVE_PERMITS_H
#define SERVE_PERMITS_H

#include <pthread.h>

struct permits {
    pthread_mutex_t lock;
    pthread_cond_t released, acquired;
    unsigned available; /* permits that are not held */
    /* Number of threads that wait for a permit, and number of threads in permits_yield() that wait
     * until a thread has acquired the permit that they released. */
    unsigned waiting, yielding;
    unsigned long acquisitions; /* number of permits acquired so far */
};

void permits_init(struct permits *permits, unsigned available);
void permits_destroy(struct permits *permits); /* no permit may be held */

/* Waits until a permit is available, and takes it. */
void permits_acquire(struct permits *permits);

/* Gives back the permit that the caller holds. */
void permits_release(struct permits *permits);

/* Lets a waiting thread take the permit that the caller holds, then waits for a permit again. For
 * long computations; call it about every millisecond. */
void permits_yield(struct permits *permits);

#endif
