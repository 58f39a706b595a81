/* From solved levels to level files, on all threads. */
#ifndef SOLVER_STORE_H
#define SOLVER_STORE_H

#include "db/format/encoder.h"
#include "db/format/level_file.h"
#include "solver/level/level.h"

/* An encoder for each thread, and room for a batch of chunks. */
struct wari_store {
    const struct wari_host *host;
    int threads;
    uint64_t batch;                /* chunks */
    struct wari_encoder **encoder; /* one for each thread */
    int8_t *values;                /* of the batch */
    char *encoded;                 /* batch times WARI_CHUNK_BYTES_MAX */
    size_t *bytes;                 /* of each chunk in the batch */
    atomic_uchar *ready;           /* for store_write.c */
};

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

/* ---- Its steps, where several processes hold a level ----
 *
 * A failure of a thread becomes one of the level's team. */

/* Where the values of chunks come from, for any number of threads at once. */
struct wari_chunks {
    const struct wari_level *level;
    void (*read)(const struct wari_chunks *chunks, uint64_t chunk, size_t size, int8_t *values);
    const void *context;
};

/* Begins a level; surveys those chunks of a run that its model is made of
 * (wari_encoder_model()). */
WARI_MUST_CHECK enum wari_status wari_store_begin(struct wari_store *store, int seeds,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_store_survey(struct wari_store *store,
                                                   const struct wari_chunks *source, uint64_t first,
                                                   uint64_t count, struct wari_error *error);

/* Encodes up to a batch of chunks, and leaves their values to the cache of lower levels. Then
 * store->bytes[i] bytes of the i-th are at wari_store_chunk(), until the next call. */
WARI_MUST_CHECK enum wari_status wari_store_encode(struct wari_store *store,
                                                   const struct wari_chunks *source,
                                                   const struct wari_model *model, uint64_t first,
                                                   uint64_t count, struct wari_error *error);
static inline char *wari_store_chunk(const struct wari_store *store, uint64_t i)
{
    return store->encoded + i * WARI_CHUNK_BYTES_MAX;
}

/* Encodes one chunk as the i-th, on the calling thread of a team. */
void wari_store_encode_one(struct wari_store *store, const struct wari_chunks *source,
                           const struct wari_model *model, uint64_t chunk, uint64_t i);

#endif
