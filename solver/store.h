/* From solved levels in memory to level files: all chunks at once, on all threads. */
#ifndef SOLVER_STORE_H
#define SOLVER_STORE_H

#include "db/level_file.h"
#include "solver/level.h"

/* An encoder for each thread, and the room they need. */
struct wari_store;

WARI_MUST_CHECK enum wari_status wari_store_create(struct wari_store **store,
                                                   const struct wari_host *host, int threads,
                                                   struct wari_error *error);
void wari_store_destroy(struct wari_store *store); /* NULL is allowed */

/* Bytes that a store takes. */
uint64_t wari_store_bytes(int threads);

/* Writes a solved level as a level file, under its final name only when it is whole and durable,
 * and leaves its chunks to the cache of lower levels while there is room. Fills in *record except
 * the histogram, and the encode and write seconds of the level's measure. */
WARI_MUST_CHECK enum wari_status wari_store_write(struct wari_store *store, const char *folder,
                                                  struct wari_variant variant,
                                                  const struct wari_level *level,
                                                  struct wari_level_record *record,
                                                  struct wari_error *error);

#endif
