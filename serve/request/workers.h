/* Turns at work: how many requests may look things up at the same time.
 *
 * Each connection has a thread of its own, which mostly waits for its client. A look-up takes a
 * processor and, while it searches for a line, up to 60 MB (db/wari.h); so no more of them go on
 * at a time than there are turns. */
#ifndef SERVE_REQUEST_WORKERS_H
#define SERVE_REQUEST_WORKERS_H

#include <pthread.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t given_back, taken;
    unsigned turns; /* left */
    unsigned waiting, yielding;
    unsigned long takes; /* of turns, so far */
};

void workers_init(struct workers *workers, unsigned turns);
void workers_destroy(struct workers *workers); /* all turns must have been given back */

/* Waits for a turn, and gives it back. */
void workers_enter(struct workers *workers);
void workers_leave(struct workers *workers);

/* By who has a turn: lets somebody who waits come first. For work that takes long, every
 * millisecond or so. */
void workers_yield(struct workers *workers);

#endif
