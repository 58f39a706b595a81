/* A cache of decoded chunks with a fixed budget, for any number of threads.
 *
 * Chunks are known by one number that counts through all levels of a database. A value is copied
 * out under a lock, so no caller ever holds a block that another one might evict.
 */
#ifndef DB_CACHE_H
#define DB_CACHE_H

#include <stdint.h>

#include "db/host.h"

struct wari_cache;

/* Room for as many chunks as fit `budget` bytes, at least one, and no more than the `chunks` there
 * are. All of it is allocated here; later calls cannot fail. */
WARI_MUST_CHECK enum wari_status wari_cache_create(struct wari_cache **cache,
                                                   const struct wari_host *host, size_t budget,
                                                   uint64_t chunks, struct wari_error *error);

/* NULL is allowed. */
void wari_cache_destroy(struct wari_cache *cache);

/* Chunks it has room for. */
size_t wari_cache_capacity(const struct wari_cache *cache);

/* Copies the value at `place` of a chunk, if the chunk is there. */
bool wari_cache_find(struct wari_cache *cache, uint64_t chunk, size_t place, int8_t *value);

/* Keeps a copy of a decoded chunk; the one of its set that was longest unused goes. */
void wari_cache_keep(struct wari_cache *cache, uint64_t chunk, const int8_t *values, size_t count);

#endif
