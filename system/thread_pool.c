/* Threads that wait for the disk, see thread_pool.h: they live as long as the crew and sleep on a
 * condition between tasks. */
#include "system/thread_pool.h"

#include <stdbool.h>
#include <string.h>

/* Returns when all threads have called it, as many times as this one; with the lock held. */
static void wait_for_all(struct wari_thread_pool *crew)
{
    const uint64_t round = crew->round;

    if (++crew->arrived == crew->threads) {
        crew->arrived = 0;
        crew->round++;
        pthread_cond_broadcast(&crew->here);
    }
    while (crew->round == round)
        pthread_cond_wait(&crew->here, &crew->lock);
}

static void *serve(void *context)
{
    struct wari_thread_pool *crew = context;
    uint64_t done = 0;
    int thread;

    pthread_mutex_lock(&crew->lock);
    thread = ++crew->started;
    for (;;) {
        while (crew->tasks == done && !crew->dismissed)
            pthread_cond_wait(&crew->go, &crew->lock);
        if (crew->dismissed)
            break;
        done = crew->tasks;
        pthread_mutex_unlock(&crew->lock);
        crew->task(thread, crew->context);
        pthread_mutex_lock(&crew->lock);
        wait_for_all(crew);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

void wari_thread_pool_run(struct wari_thread_pool *crew, wari_thread_pool_task *task, void *context)
{
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->context = context;
    crew->tasks++;
    pthread_cond_broadcast(&crew->go);
    pthread_mutex_unlock(&crew->lock);
    task(0, context);
    pthread_mutex_lock(&crew->lock);
    wait_for_all(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* As many as can be started. */
static void start_threads(struct wari_thread_pool *crew, int threads)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, WARI_THREAD_POOL_STACK) == 0)
        while (crew->threads < threads &&
               pthread_create(&crew->thread[crew->threads - 1], &attributes, serve, crew) == 0)
            crew->threads++;
    pthread_attr_destroy(&attributes);
}

enum wari_status wari_thread_pool_create(struct wari_thread_pool **result,
                                         const struct wari_host *host, int threads,
                                         struct wari_error *error)
{
    struct wari_thread_pool *crew;
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof *crew + (size_t)threads * sizeof(pthread_t),
                      "the threads of a level by bits", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    crew = memory;
    memset(crew, 0, sizeof *crew);
    crew->host = host;
    crew->threads = 1;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->go, NULL);
    pthread_cond_init(&crew->here, NULL);
    start_threads(crew, threads);
    if (crew->threads < threads) {
        wari_thread_pool_destroy(crew);
        return wari_fail(error, WARI_NO_MEMORY, "cannot start %d threads; try fewer (--threads)",
                         threads);
    }
    *result = crew;
    return WARI_OK;
}

void wari_thread_pool_destroy(struct wari_thread_pool *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->dismissed = true;
    pthread_cond_broadcast(&crew->go);
    pthread_mutex_unlock(&crew->lock);
    for (int i = 0; i + 1 < crew->threads; i++)
        pthread_join(crew->thread[i], NULL);
    pthread_cond_destroy(&crew->here);
    pthread_cond_destroy(&crew->go);
    pthread_mutex_destroy(&crew->lock);
    wari_release(crew->host, crew);
}
