/* The threads of a pool live as long as the pool, and sleep on a condition variable between tasks.
 */
#include "system/thread_pool.h"

#include <stdbool.h>
#include <string.h>

/* Waits until all threads have called this function as often as this thread. The caller holds the
 * lock. */
static void wait_for_all(struct wari_thread_pool *pool)
{
    const uint64_t round = pool->round;

    if (++pool->arrived == pool->threads) {
        pool->arrived = 0;
        pool->round++;
        pthread_cond_broadcast(&pool->all_arrived);
    }
    while (pool->round == round)
        pthread_cond_wait(&pool->all_arrived, &pool->lock);
}

static void *run_tasks(void *context)
{
    struct wari_thread_pool *pool = context;
    uint64_t done = 0;
    int thread;

    pthread_mutex_lock(&pool->lock);
    thread = ++pool->started;
    for (;;) {
        while (pool->tasks == done && !pool->ended)
            pthread_cond_wait(&pool->go, &pool->lock);
        if (pool->ended)
            break;
        done = pool->tasks;
        pthread_mutex_unlock(&pool->lock);
        pool->task(thread, pool->context);
        pthread_mutex_lock(&pool->lock);
        wait_for_all(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

void wari_thread_pool_run(struct wari_thread_pool *pool, wari_thread_pool_task *task, void *context)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->tasks++;
    pthread_cond_broadcast(&pool->go);
    pthread_mutex_unlock(&pool->lock);
    task(0, context);
    pthread_mutex_lock(&pool->lock);
    wait_for_all(pool);
    pthread_mutex_unlock(&pool->lock);
}

/* Starts threads until the pool has `threads` threads, including the calling one, or until a thread
 * cannot be started. */
static void start_threads(struct wari_thread_pool *pool, int threads)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, WARI_THREAD_POOL_STACK) == 0)
        while (pool->threads < threads &&
               pthread_create(&pool->thread[pool->threads - 1], &attributes, run_tasks, pool) == 0)
            pool->threads++;
    pthread_attr_destroy(&attributes);
}

enum wari_status wari_thread_pool_create(struct wari_thread_pool **result,
                                         const struct wari_host *host, int threads,
                                         struct wari_error *error)
{
    struct wari_thread_pool *pool;
    void *memory;
    enum wari_status status = wari_allocate(
        host, sizeof *pool + (size_t)threads * sizeof(pthread_t), "the threads", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    pool = memory;
    memset(pool, 0, sizeof *pool);
    pool->host = host;
    pool->threads = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->go, NULL);
    pthread_cond_init(&pool->all_arrived, NULL);
    start_threads(pool, threads);
    if (pool->threads < threads) {
        wari_thread_pool_destroy(pool);
        return wari_fail(error, WARI_NO_MEMORY,
                         "cannot start %d threads; give fewer with --threads", threads);
    }
    *result = pool;
    return WARI_OK;
}

void wari_thread_pool_destroy(struct wari_thread_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ended = true;
    pthread_cond_broadcast(&pool->go);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i + 1 < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->all_arrived);
    pthread_cond_destroy(&pool->go);
    pthread_mutex_destroy(&pool->lock);
    wari_release(pool->host, pool);
}
