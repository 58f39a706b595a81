/* The pool of decoders of a handle.
 *
 * The pool is an array of slots, each of which is empty or holds an idle decoder. A thread takes
 * the first decoder that it finds and puts it into the first empty slot. So a single thread always
 * uses the same decoder, whose memory is most likely still in the processor's cache. Creating a
 * decoder takes longer than decoding a chunk, so idle decoders are kept until the handle is closed.
 * The first decoder is created with the pool, so that the first probe does not wait for it.
 *
 * Slots change by single atomic operations, without a lock, so a child process that was created by
 * fork() can use its copy of the pool. Only the decoders that other threads had taken at that
 * moment are lost to the child. */
#include "db/probe/pool.h"

#include <stdatomic.h>

enum { IDLE_MAX = 64 }; /* slots; more than the number of threads that usually decode at once */

struct wari_pool {
    const struct wari_host *host;
    struct wari_decoding *_Atomic idle[IDLE_MAX]; /* NULL if the slot is empty */
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
    for (int i = 0; i < IDLE_MAX; i++) {
        struct wari_decoding *decoding = atomic_load(&pool->idle[i]);
        if (decoding != NULL)
            destroy_decoding(pool, decoding);
    }
    wari_release(pool->host, pool);
}

enum wari_status wari_pool_create(struct wari_pool **pool, const struct wari_host *host,
                                  struct wari_error *error)
{
    void *memory;
    *pool = NULL;
    enum wari_status status =
        wari_allocate(host, sizeof **pool, "the pool of decoders", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_pool *new = memory;
    struct wari_decoding *first;
    new->host = host;
    for (int i = 0; i < IDLE_MAX; i++)
        atomic_init(&new->idle[i], NULL);
    status = create_decoding(new, &first, error);
    if (status != WARI_OK) {
        wari_release(host, new);
        return status;
    }
    wari_pool_give_back(new, first);
    *pool = new;
    return WARI_OK;
}

enum wari_status wari_pool_take(struct wari_pool *pool, struct wari_decoding **decoding,
                                struct wari_error *error)
{
    for (int i = 0; i < IDLE_MAX; i++) {
        if (atomic_load_explicit(&pool->idle[i], memory_order_relaxed) == NULL)
            continue;
        *decoding = atomic_exchange_explicit(&pool->idle[i], NULL, memory_order_acquire);
        if (*decoding != NULL)
            return WARI_OK;
    }
    return create_decoding(pool, decoding, error);
}

void wari_pool_give_back(struct wari_pool *pool, struct wari_decoding *decoding)
{
    for (int i = 0; i < IDLE_MAX; i++) {
        struct wari_decoding *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&pool->idle[i], &none, decoding,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    destroy_decoding(pool, decoding);
}
