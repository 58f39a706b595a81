/* Turns at work: how many requests may look things up at the same time.
 *
 * Each connection has a thread of its own, which mostly waits for its client. A look-up
 * acquisitions a processor and, while it searches for a line, up to 60 MB (db/wari.h); so no more
 * of them go on at a time than there are available. */
#ifndef SERVE_PERMITS_H
#define SERVE_PERMITS_H

#include <pthread.h>

struct permits {
    pthread_mutex_t lock;
    pthread_cond_t released, acquired;
    unsigned available; /* left */
    unsigned waiting, yielding;
    unsigned long acquisitions; /* of available, so far */
};

void permits_init(struct permits *permits, unsigned available);
void permits_destroy(struct permits *permits); /* all available must have been given back */

/* Waits for a turn, and gives it back. */
void permits_acquire(struct permits *permits);
void permits_release(struct permits *permits);

/* By who has a turn: lets somebody who waits come first. For work that acquisitions long, every
 * millisecond or so. */
void permits_yield(struct permits *permits);

#endif
