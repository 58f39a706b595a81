/* From solved levels to level files, on all threads. */
#ifndef SOLVER_STORE_H
#define SOLVER_STORE_H

#include "db/file/level_file.h"
#include "solver/level/level.h"

/* An encoder for each thread, and the room they need. */
struct wari_store;

WARI_MUST_CHECK enum wari_status wari_store_create(struct wari_store **store,
                                                   const struct wari_host *host, int threads,
                                                   struct wari_error *error);
void wari_store_destroy(struct wari_store *store); /* NULL is allowed */

/* Bytes that a store takes. */
uint64_t wari_store_bytes(int threads);

/* Writes a solved level as a level file, under its final name only when its bytes are whole and
 * durable (the name is after wari_sync_folder(), which the caller owes), and leaves its chunks to
 * the cache of lower levels while there is room. Fills in *record except the histogram, and the
 * encode and write seconds of the level's measure. */
WARI_MUST_CHECK enum wari_status wari_store_write(struct wari_store *store, const char *folder,
                                                  struct wari_variant variant,
                                                  const struct wari_level *level,
                                                  struct wari_level_record *record,
                                                  struct wari_error *error);

/* ---- Its steps, where several processes hold a level ---- */

/* Where the values of chunks come from, for any number of threads at once. */
struct wari_chunks {
    const struct wari_level *level;
    void (*read)(const struct wari_chunks *chunks, uint64_t chunk, size_t size, int8_t *values);
    const void *context;
};

/* Begins a level; surveys those chunks of a run that its model is made of; makes the model. */
WARI_MUST_CHECK enum wari_status wari_store_begin(struct wari_store *store, int seeds,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_store_survey(struct wari_store *store,
                                                   const struct wari_chunks *source, uint64_t first,
                                                   uint64_t count, struct wari_error *error);
WARI_MUST_CHECK enum wari_status
wari_store_model(struct wari_store *store, struct wari_model **model, struct wari_error *error);

/* What the survey has counted: *count numbers, which the model is made of. */
uint32_t *wari_store_counts(struct wari_store *store, size_t *count);

/* Encodes up to wari_store_batch() chunks, and leaves their values to the cache of lower levels;
 * then the i-th of them, until the next call. */
uint64_t wari_store_batch(const struct wari_store *store);
WARI_MUST_CHECK enum wari_status wari_store_encode(struct wari_store *store,
                                                   const struct wari_chunks *source,
                                                   const struct wari_model *model, uint64_t first,
                                                   uint64_t count, struct wari_error *error);
const void *wari_store_chunk(const struct wari_store *store, uint64_t i, size_t *bytes);
const int8_t *wari_store_values(const struct wari_store *store, uint64_t i);

/* A flag for each place of the batch, cleared. */
atomic_uchar *wari_store_flags(struct wari_store *store);

/* Encodes one chunk as the i-th, on the calling thread of a team. */
WARI_MUST_CHECK enum wari_status wari_store_encode_one(struct wari_store *store,
                                                       const struct wari_chunks *source,
                                                       const struct wari_model *model,
                                                       uint64_t chunk, uint64_t i,
                                                       struct wari_error *error);

/* Whether the values that were read are those of the level: not if it failed or was stopped. */
WARI_MUST_CHECK enum wari_status wari_store_readable(const struct wari_chunks *source,
                                                     struct wari_error *error);

/* Threads that a store has encoders for. */
int wari_store_threads(const struct wari_store *store);

#endif
