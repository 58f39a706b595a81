/* The pool of decoders of a handle.
 *
 * The pool is a stack with one lock. A thread takes the decoder that was used last, since the
 * memory of this decoder is most likely still in the processor's cache. Creating a zstd context
 * takes longer than decoding a chunk, so idle decoders are kept until the handle is closed. The
 * first decoder is created with the pool, so that the first probe does not wait for it. */
#include "db/probe/pool.h"

#include <pthread.h>

struct wari_pool {
    const struct wari_host *host;
    pthread_mutex_t lock;
    struct wari_decoding *idle;
};

static void destroy_decoding(struct wari_pool *pool, struct wari_decoding *decoding)
{
    wari_decoder_destroy(decoding->decoder);
    wari_release(pool->host, decoding);
}

static enum wari_status create_decoding(struct wari_pool *pool, struct wari_decoding **decoding,
                                        struct wari_error *error)
{
    void *memory;
    enum wari_status status =
        wari_allocate(pool->host, sizeof **decoding, "a decoded chunk", &memory, error);
    *decoding = memory;
    if (status != WARI_OK)
        return status;

    (*decoding)->next = NULL;
    status = wari_decoder_create(&(*decoding)->decoder, pool->host, error);
    if (status != WARI_OK) {
        destroy_decoding(pool, *decoding);
        *decoding = NULL;
    }
    return status;
}

void wari_pool_destroy(struct wari_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->idle != NULL) {
        struct wari_decoding *decoding = pool->idle;
        pool->idle = decoding->next;
        destroy_decoding(pool, decoding);
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
    status = create_decoding(new, &new->idle, error);
    if (status == WARI_OK)
        *pool = new;
    else
        wari_pool_destroy(new);
    return status;
}

enum wari_status wari_pool_take(struct wari_pool *pool, struct wari_decoding **decoding,
                                struct wari_error *error)
{
    pthread_mutex_lock(&pool->lock);
    *decoding = pool->idle;
    if (*decoding != NULL)
        pool->idle = (*decoding)->next;
    pthread_mutex_unlock(&pool->lock);
    return *decoding != NULL ? WARI_OK : create_decoding(pool, decoding, error);
}

void wari_pool_give_back(struct wari_pool *pool, struct wari_decoding *decoding)
{
    pthread_mutex_lock(&pool->lock);
    decoding->next = pool->idle;
    pool->idle = decoding;
    pthread_mutex_unlock(&pool->lock);
}
