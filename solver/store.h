/* Between solved levels in memory and level files: all chunks at once, on all threads. */
#ifndef SOLVER_STORE_H
#define SOLVER_STORE_H

#include "db/level_file.h"
#include "solver/level.h"

/* Encoders or decoders, one for each thread, and the room they need. */
struct wari_store;

WARI_MUST_CHECK enum wari_status wari_store_create(struct wari_store **store,
                                                   const struct wari_host *host, int threads,
                                                   struct wari_error *error);
void wari_store_destroy(struct wari_store *store);

/* Bytes that a store takes. */
uint64_t wari_store_bytes(int threads);

/* Writes the values of a level (in index order) as a level file, under its final name only when it
 * is whole and durable. Fills in *record except the histogram, and the encode and write seconds of
 * *measure. */
WARI_MUST_CHECK enum wari_status
wari_store_write(struct wari_store *store, const char *folder, struct wari_level_key key,
                 const int8_t *values, uint64_t positions, struct wari_level_record *record,
                 struct wari_level_measure *measure, const atomic_bool *stop,
                 struct wari_error *error);

/* Reads a whole level file and checks it against the catalogue's record and its payload hash.
 * *values is the caller's to release. */
WARI_MUST_CHECK enum wari_status wari_store_read(struct wari_store *store, const char *folder,
                                                 struct wari_level_key key,
                                                 const struct wari_level_record *record,
                                                 int8_t **values, const atomic_bool *stop,
                                                 struct wari_error *error);

#endif
