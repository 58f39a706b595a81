/* The cache of decoded chunks.
 *
 *     set 0    | slot | slot | ... |      chunk c belongs to set c mod sets and may take any
 *     set 1    | slot | slot | ... |      slot of it; a slot is one decoded chunk of 32 KiB
 *     ...
 *
 * Set-associative, as in a processor: a look-up compares a handful of numbers, eviction needs no
 * lists, and the memory is a fixed array, so the budget holds whatever the threads do. Chunk
 * numbers are consecutive, so sets fill evenly; a database that fits is kept whole. Locks are dealt
 * to the sets in turn. Reading and decoding happen outside them; two threads that miss the same
 * chunk both decode it, and the second finds it there.
 */
#include "db/cache.h"

#include <pthread.h>
#include <string.h>

#include "db/level_file.h"

enum {
    SLOTS_OF_A_SET = 8, /* at least, if the cache has as many: enough to be near to true LRU */
    LOCKS = 64,         /* more than threads, so that two rarely meet */
};

#define NO_CHUNK UINT64_MAX

struct slot {
    uint64_t chunk;
    uint64_t used; /* the time it was last needed, by its lock's clock */
};

struct stripe {
    pthread_mutex_t lock;
    uint64_t clock;
};

struct wari_cache {
    const struct wari_host *host;
    size_t sets;
    size_t ways; /* slots of a set */
    int locks;   /* initialised */
    struct stripe stripes[LOCKS];
    struct slot *slots;
    int8_t *values;
};

static enum wari_status create_locks(struct wari_cache *cache, struct wari_error *error)
{
    for (; cache->locks < LOCKS; cache->locks++) {
        struct stripe *stripe = &cache->stripes[cache->locks];
        stripe->clock = 0;
        if (pthread_mutex_init(&stripe->lock, NULL) != 0)
            return wari_fail(error, WARI_NO_MEMORY, "no resources for the locks of a cache");
    }
    return WARI_OK;
}

enum wari_status wari_cache_create(struct wari_cache **cache, const struct wari_host *host,
                                   size_t budget, uint64_t chunks, struct wari_error *error)
{
    size_t slots = budget / WARI_CHUNK_POSITIONS;
    void *memory;
    *cache = NULL;
    enum wari_status status = wari_allocate(host, sizeof **cache, "a cache", &memory, error);
    if (status != WARI_OK)
        return status;

    if (slots > chunks)
        slots = (size_t)chunks;
    if (slots == 0)
        slots = 1;
    struct wari_cache *new = memory;
    memset(new, 0, sizeof *new);
    new->host = host;
    new->sets = slots < SLOTS_OF_A_SET ? 1 : slots / SLOTS_OF_A_SET;
    new->ways = slots / new->sets;
    slots = wari_cache_capacity(new);

    status = create_locks(new, error);
    if (status != WARI_OK)
        goto out;
    status = wari_allocate(host, slots * sizeof *new->slots, "a cache", &memory, error);
    if (status != WARI_OK)
        goto out;
    new->slots = memory;
    for (size_t i = 0; i < slots; i++)
        new->slots[i] = (struct slot){NO_CHUNK, 0};
    status = wari_allocate(host, slots * WARI_CHUNK_POSITIONS, "a cache", &memory, error);
    new->values = memory;

out:
    if (status == WARI_OK)
        *cache = new;
    else
        wari_cache_destroy(new);
    return status;
}

void wari_cache_destroy(struct wari_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->locks > 0)
        pthread_mutex_destroy(&cache->stripes[--cache->locks].lock);
    wari_release(cache->host, cache->values);
    wari_release(cache->host, cache->slots);
    wari_release(cache->host, cache);
}

size_t wari_cache_capacity(const struct wari_cache *cache)
{
    return cache->sets * cache->ways;
}

static struct stripe *stripe_of(struct wari_cache *cache, uint64_t chunk)
{
    return &cache->stripes[chunk % cache->sets % LOCKS];
}

/* The chunk's slot, or NULL and in *victim the one to give up for it. Under the lock. */
static struct slot *search_set(struct wari_cache *cache, uint64_t chunk, struct slot **victim)
{
    struct slot *set = cache->slots + chunk % cache->sets * cache->ways;
    *victim = set;
    for (size_t i = 0; i < cache->ways; i++) {
        if (set[i].chunk == chunk)
            return &set[i];
        if (set[i].used < (*victim)->used)
            *victim = &set[i];
    }
    return NULL;
}

static int8_t *values_of(const struct wari_cache *cache, const struct slot *slot)
{
    return cache->values + (size_t)(slot - cache->slots) * WARI_CHUNK_POSITIONS;
}

bool wari_cache_find(struct wari_cache *cache, uint64_t chunk, size_t place, int8_t *value)
{
    struct stripe *stripe = stripe_of(cache, chunk);
    struct slot *victim;
    pthread_mutex_lock(&stripe->lock);
    struct slot *slot = search_set(cache, chunk, &victim);
    if (slot != NULL) {
        slot->used = ++stripe->clock;
        *value = values_of(cache, slot)[place];
    }
    pthread_mutex_unlock(&stripe->lock);
    return slot != NULL;
}

void wari_cache_keep(struct wari_cache *cache, uint64_t chunk, const int8_t *values, size_t count)
{
    struct stripe *stripe = stripe_of(cache, chunk);
    struct slot *victim;
    pthread_mutex_lock(&stripe->lock);
    if (search_set(cache, chunk, &victim) == NULL) {
        victim->chunk = chunk;
        victim->used = ++stripe->clock;
        memcpy(values_of(cache, victim), values, count);
    }
    pthread_mutex_unlock(&stripe->lock);
}
