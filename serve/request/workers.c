/* A counting semaphore. A lock and a condition, because the thread sanitizer knows these. */
#include "serve/request/workers.h"

void workers_init(struct workers *workers, unsigned turns)
{
    (void)pthread_mutex_init(&workers->lock, NULL); /* neither can fail without attributes */
    (void)pthread_cond_init(&workers->given_back, NULL);
    workers->turns = turns;
}

void workers_destroy(struct workers *workers)
{
    (void)pthread_cond_destroy(&workers->given_back);
    (void)pthread_mutex_destroy(&workers->lock);
}

void workers_enter(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    while (workers->turns == 0)
        pthread_cond_wait(&workers->given_back, &workers->lock);
    workers->turns--;
    pthread_mutex_unlock(&workers->lock);
}

void workers_leave(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->turns++;
    pthread_mutex_unlock(&workers->lock);
    pthread_cond_signal(&workers->given_back);
}
