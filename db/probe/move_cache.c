/* A table of moves, set-associative like the cache of chunks, but without a history: a set is a
 * cache line of the processor, and a move that is inserted into a full set replaces the entry that
 * its key selects.
 *
 * An entry is one atomic word, so no lock is needed and no entry is ever half written:
 *
 *     bit 63                                3 2     0
 *         +----------------------------------+-------+
 *         |             key + 1              |  pit  |      0: empty
 *         +----------------------------------+-------+
 */
#include "db/probe/move_cache.h"

#include <stdatomic.h>
#include <string.h>

enum {
    WAYS = 8,       /* number of entries in a set, which fill a cache line */
    LINE_SIZE = 64, /* bytes of a line of the processor's cache */
    PIT_BITS = 3,
};

typedef _Atomic uint64_t entry_word;

_Static_assert(WAYS * sizeof(entry_word) == LINE_SIZE, "a set is a line");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a entry_word is its 64 bits and nothing else");

struct wari_move_cache {
    const struct wari_host *host;
    uint64_t sets;       /* number of sets: a power of two, or 0 */
    void *memory;        /* NULL if there are no sets */
    entry_word *entries; /* inside `memory`, aligned to a cache line: WAYS for each set */
};

enum wari_status wari_move_cache_create(struct wari_move_cache **cache,
                                        const struct wari_host *host, size_t bytes,
                                        struct wari_error *error)
{
    const size_t own = sizeof(struct wari_move_cache) + LINE_SIZE;
    void *memory;
    *cache = NULL;
    enum wari_status status =
        wari_allocate(host, sizeof **cache, "the cache of moves", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_move_cache *new = memory;
    *new = (struct wari_move_cache){.host = host, .sets = bytes >= own + LINE_SIZE};
    while (new->sets > 0 && 2 * new->sets <= (bytes - own) / LINE_SIZE)
        new->sets *= 2;
    if (new->sets > 0) {
        status = wari_allocate(host, (new->sets + 1) * LINE_SIZE, "the cache of moves",
                               &new->memory, error);
        if (status != WARI_OK) {
            wari_release(host, new);
            return status;
        }
        uintptr_t start = ((uintptr_t) new->memory + LINE_SIZE - 1) / LINE_SIZE * LINE_SIZE;
        new->entries = (entry_word *)start;
        /* A plain memset() is allowed, since no other thread has access yet. It is several times
         * as fast as storing atomic words. */
        memset((void *)start, 0, LINE_SIZE * (size_t) new->sets);
    }
    *cache = new;
    return WARI_OK;
}

void wari_move_cache_destroy(struct wari_move_cache *cache)
{
    if (cache == NULL)
        return;
    wari_release(cache->host, cache->memory);
    wari_release(cache->host, cache);
}

/* Keys have no pattern, so simple mixing is sufficient (Fibonacci hashing). */
static uint64_t mix(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

static entry_word *set_of(const struct wari_move_cache *cache, uint64_t key)
{
    return cache->entries + WAYS * (mix(key) & (cache->sets - 1));
}

int wari_move_cache_find(const struct wari_move_cache *cache, uint64_t key)
{
    if (cache->sets == 0)
        return -1;
    const entry_word *set = set_of(cache, key);
    for (int i = 0; i < WAYS; i++) {
        uint64_t entry = atomic_load_explicit(&set[i], memory_order_relaxed);
        if (entry >> PIT_BITS == key + 1)
            return (int)(entry % (1 << PIT_BITS));
    }
    return -1;
}

void wari_move_cache_insert(struct wari_move_cache *cache, uint64_t key, int pit)
{
    if (cache->sets == 0)
        return;
    entry_word *set = set_of(cache, key);
    int index = (int)(mix(key) >> 61);
    for (int i = WAYS - 1; i >= 0; i--) {
        uint64_t entry = atomic_load_explicit(&set[i], memory_order_relaxed);
        if (entry == 0 || entry >> PIT_BITS == key + 1)
            index = i;
    }
    atomic_store_explicit(&set[index], (key + 1) << PIT_BITS | (uint64_t)pit, memory_order_relaxed);
}
