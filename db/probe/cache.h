/* A cache of decoded chunks with a fixed budget, for any number of threads.
 *
 * A chunk is identified by a number that counts the chunks of all levels of a database. Values are
 * copied out, so no caller holds a pointer into an entry that another thread could evict. After
 * fork() the child process can use its copy of the cache, whatever other threads of the parent were
 * doing.
 */
#ifndef DB_PROBE_CACHE_H
#define DB_PROBE_CACHE_H

#include <stdint.h>

#include "db/host/host.h"

struct wari_cache;

/* Creates a cache with as many entries as fit `budget` bytes, all bookkeeping included, but at
 * least one entry and at most `chunks` entries. All memory is allocated here; later calls cannot
 * fail. Returns WARI_BAD_INPUT if there are more than 2^32 - 1 chunks, a hundred times as many
 * as a database of 48 seeds has. */
WARI_MUST_CHECK enum wari_status wari_cache_create(struct wari_cache **cache,
                                                   const struct wari_host *host, size_t budget,
                                                   uint64_t chunks, struct wari_error *error);

/* NULL is allowed. */
void wari_cache_destroy(struct wari_cache *cache);

/* Returns the number of chunks that the cache can hold. Also used by tests, which have to know when
 * the cache is full. */
size_t wari_cache_capacity(const struct wari_cache *cache);

/* Copies the values `offset` to `offset` + `count` - 1 of a chunk and returns true if the cache
 * holds all of them; otherwise returns false. Takes no lock, and writes nothing as long as no
 * chunk is inserted. So threads that find their values do not slow each other down. */
bool wari_cache_find(struct wari_cache *cache, uint64_t chunk, size_t offset, int8_t *values,
                     size_t count);

/* Returns true if some values of the chunk are in the cache. */
bool wari_cache_has(const struct wari_cache *cache, uint64_t chunk);

/* Inserts a copy of a decoded chunk, which replaces the least recently used chunk of its set. Does
 * nothing if the cache already holds these values, or if another thread is inserting a chunk under
 * the same lock at this moment.
 *
 * `known` is the number of decoded values in each stream (wari_level_file_steps()). It must be
 * WARI_STREAM_POSITIONS if the chunk was decoded completely. The last chunk of a level, which may
 * be shorter than the others, must always be decoded completely. If a chunk was decoded only in
 * part, wari_cache_find() finds its decoded values only with a `count` of 1. */
void wari_cache_insert(struct wari_cache *cache, uint64_t chunk, const int8_t *values, size_t count,
                       size_t known);

#endif
