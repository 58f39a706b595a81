/* The pool of decoders of a handle.
 *
 * A stack under one lock: the worker used last, whose memory is still near, is the next to go. A
 * zstd context costs more to make than a chunk to decode, so idle ones are kept until the handle is
 * closed. The first one is made when the handle is opened: the first one who asks waits no longer
 * than the others.
 */
#include "db/pool.h"

#include <pthread.h>

struct wari_pool {
    const struct wari_host *host;
    pthread_mutex_t lock;
    struct wari_worker *idle;
};

static void destroy_worker(struct wari_pool *pool, struct wari_worker *worker)
{
    wari_decoder_destroy(worker->decoder);
    wari_release(pool->host, worker);
}

static enum wari_status create_worker(struct wari_pool *pool, struct wari_worker **worker,
                                      struct wari_error *error)
{
    void *memory;
    enum wari_status status =
        wari_allocate(pool->host, sizeof **worker, "a decoded chunk", &memory, error);
    *worker = memory;
    if (status != WARI_OK)
        return status;

    (*worker)->next = NULL;
    status = wari_decoder_create(&(*worker)->decoder, pool->host, error);
    if (status != WARI_OK) {
        destroy_worker(pool, *worker);
        *worker = NULL;
    }
    return status;
}

void wari_pool_destroy(struct wari_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->idle != NULL) {
        struct wari_worker *worker = pool->idle;
        pool->idle = worker->next;
        destroy_worker(pool, worker);
    }
    pthread_mutex_destroy(&pool->lock);
    wari_release(pool->host, pool);
}

enum wari_status wari_pool_create(struct wari_pool **pool, const struct wari_host *host,
                                  struct wari_error *error)
{
    void *memory;
    *pool = NULL;
    enum wari_status status = wari_allocate(host, sizeof **pool, "a pool", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_pool *new = memory;
    new->host = host;
    new->idle = NULL;
    if (pthread_mutex_init(&new->lock, NULL) != 0) {
        wari_release(host, new);
        return wari_fail(error, WARI_NO_MEMORY, "no resources for a lock");
    }
    status = create_worker(new, &new->idle, error);
    if (status == WARI_OK)
        *pool = new;
    else
        wari_pool_destroy(new);
    return status;
}

enum wari_status wari_pool_take(struct wari_pool *pool, struct wari_worker **worker,
                                struct wari_error *error)
{
    pthread_mutex_lock(&pool->lock);
    *worker = pool->idle;
    if (*worker != NULL)
        pool->idle = (*worker)->next;
    pthread_mutex_unlock(&pool->lock);
    return *worker != NULL ? WARI_OK : create_worker(pool, worker, error);
}

void wari_pool_give_back(struct wari_pool *pool, struct wari_worker *worker)
{
    pthread_mutex_lock(&pool->lock);
    worker->next = pool->idle;
    pool->idle = worker;
    pthread_mutex_unlock(&pool->lock);
}
