/* A counting semaphore. A lock and conditions, because the thread sanitizer knows these. A turn
 * that is given back is there for whoever comes first: to hand it to who has waited longest halved
 * the requests that 64 clients get answered.
 */
#include "serve/request/workers.h"

void workers_init(struct workers *workers, unsigned turns)
{
    (void)pthread_mutex_init(&workers->lock, NULL); /* none can fail without attributes */
    (void)pthread_cond_init(&workers->given_back, NULL);
    (void)pthread_cond_init(&workers->taken, NULL);
    workers->turns = turns;
    workers->waiting = workers->yielding = 0;
    workers->takes = 0;
}

void workers_destroy(struct workers *workers)
{
    (void)pthread_cond_destroy(&workers->taken);
    (void)pthread_cond_destroy(&workers->given_back);
    (void)pthread_mutex_destroy(&workers->lock);
}

/* With the lock. */
static void take(struct workers *workers)
{
    workers->waiting++;
    while (workers->turns == 0)
        pthread_cond_wait(&workers->given_back, &workers->lock);
    workers->waiting--;
    workers->turns--;
    workers->takes++;
    if (workers->yielding > 0)
        pthread_cond_broadcast(&workers->taken);
}

void workers_enter(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    take(workers);
    pthread_mutex_unlock(&workers->lock);
}

void workers_leave(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->turns++;
    pthread_mutex_unlock(&workers->lock);
    pthread_cond_signal(&workers->given_back);
}

/* Somebody who waits is called, and takes this turn, or another one comes in between. */
void workers_yield(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    if (workers->waiting > 0) {
        const unsigned long before = workers->takes;
        workers->turns++;
        pthread_cond_signal(&workers->given_back);
        workers->yielding++;
        while (workers->takes == before)
            pthread_cond_wait(&workers->taken, &workers->lock);
        workers->yielding--;
        take(workers);
    }
    pthread_mutex_unlock(&workers->lock);
}
