/* A cache of decoded chunks with a fixed budget, for any number of threads.
 *
 * Chunks are known by one number that counts through all levels of a database. Values are copied
 * out, so no caller ever holds a block that another one might evict.
 */
#ifndef DB_PROBE_CACHE_H
#define DB_PROBE_CACHE_H

#include <stdint.h>

#include "db/host/host.h"

struct wari_cache;

/* Room for as many chunks as fit `budget` bytes together with all that keeps track of them; for one
 * if the budget is too small for that; for no more than the `chunks` there are. All of it is
 * allocated here; later calls cannot fail. WARI_BAD_INPUT if there are more than 2^32 - 1 chunks,
 * which is a hundred times as many as a database of 48 seeds has. */
WARI_MUST_CHECK enum wari_status wari_cache_create(struct wari_cache **cache,
                                                   const struct wari_host *host, size_t budget,
                                                   uint64_t chunks, struct wari_error *error);

/* NULL is allowed. */
void wari_cache_destroy(struct wari_cache *cache);

/* Chunks it has room for. */
size_t wari_cache_capacity(const struct wari_cache *cache);

/* Copies the values `offset` to `offset` + `count` - 1 of a chunk, if they are there. Takes no
 * lock, and writes nothing as long as no chunk is added: threads that find what they look for do
 * not slow each other down. */
bool wari_cache_find(struct wari_cache *cache, uint64_t chunk, size_t offset, int8_t *values,
                     size_t count);

/* Whether some of the chunk is there. */
bool wari_cache_has(const struct wari_cache *cache, uint64_t chunk);

/* Keeps a copy of a decoded chunk; the one of its set that was longest unused goes. `known`: how
 * many values of each lane are decoded (wari_level_file_steps()); WARI_STREAM_POSITIONS for all of
 * them, and always where the chunk is not a full one. A single value is found if it is among these,
 * several only in a chunk that is whole. */
void wari_cache_insert(struct wari_cache *cache, uint64_t chunk, const int8_t *values, size_t count,
                       size_t known);

#endif
