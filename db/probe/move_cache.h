/* Remembers the moves of perfect play, for any number of threads.
 *
 * Choosing a move may require a search, but the result depends on the position and the database
 * alone, so it can be reused. Only moves are remembered; the positions that they lead to are
 * computed anew each time.
 */
#ifndef DB_PROBE_MOVE_CACHE_H
#define DB_PROBE_MOVE_CACHE_H

#include "db/host/host.h"

struct wari_move_cache;

/* Creates a table with as many entries of 8 bytes as fit `bytes`, possibly none. All memory is
 * allocated here; later calls cannot fail. */
WARI_MUST_CHECK enum wari_status wari_move_cache_create(struct wari_move_cache **cache,
                                                        const struct wari_host *host, size_t bytes,
                                                        struct wari_error *error);
void wari_move_cache_destroy(struct wari_move_cache *cache); /* NULL is allowed */

/* Returns the pit, 0..5, that was inserted for a key, or -1 if none was inserted or the entry
 * has been evicted. A key, 0..2^60, is the number of a position in the database. */
int wari_move_cache_find(const struct wari_move_cache *cache, uint64_t key);

/* Inserts a pit. This may evict the pit of another key. */
void wari_move_cache_insert(struct wari_move_cache *cache, uint64_t key, int pit);

#endif
