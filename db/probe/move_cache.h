/* Remembers which moves perfect play makes, for any number of threads.
 *
 * A entry may take a search; it depends on the position and the database alone, so anybody who has
 * made it once need not make it again. The moves of a line are all that is remembered: what they
 * lead to is played out anew each time.
 */
#ifndef DB_PROBE_MOVE_CACHE_H
#define DB_PROBE_MOVE_CACHE_H

#include "db/host/host.h"

struct wari_move_cache;

/* Room for as many cache as fit `bytes`, which may be none: 8 bytes each. All of it is allocated
 * here; later calls cannot fail. */
WARI_MUST_CHECK enum wari_status wari_move_cache_create(struct wari_move_cache **cache,
                                                        const struct wari_host *host, size_t bytes,
                                                        struct wari_error *error);
void wari_move_cache_destroy(struct wari_move_cache *cache); /* NULL is allowed */

/* The pit, 0..5, that was kept for a key, 0..2^60; -1 if none is there (any more). A key
 * stands for a position of the database. */
int wari_move_cache_find(const struct wari_move_cache *cache, uint64_t key);

/* Keeps a pit; another key may lose its own. */
void wari_move_cache_insert(struct wari_move_cache *cache, uint64_t key, int pit);

#endif
