/* Encodes the values of solved levels with all threads, and writes level files. */
#ifndef SOLVER_WRITE_BATCH_ENCODER_H
#define SOLVER_WRITE_BATCH_ENCODER_H

#include "db/format/encoder.h"
#include "db/format/level_file.h"
#include "db/format/level_writer.h"
#include "solver/level/level.h"

/* An encoder for each thread, and buffers for a batch of chunks. It encodes one level after the
 * other. */
struct wari_batch_encoder {
    const struct wari_host *host;
    int threads;
    uint64_t capacity;             /* maximal number of chunks in the batch */
    struct wari_encoder **encoder; /* [thread] */
    int8_t *values;                /* values of the chunks in the batch, before encoding */
    char *encoded;                 /* WARI_CHUNK_BYTES_MAX bytes for each chunk in the batch */
    size_t *bytes;                 /* encoded size of each chunk in the batch */
    atomic_uchar *ready;           /* flags for chunks that are encoded; only for write_level.c */
};

WARI_MUST_CHECK enum wari_status wari_batch_encoder_create(struct wari_batch_encoder **batch,
                                                           const struct wari_host *host,
                                                           int threads, struct wari_error *error);
void wari_batch_encoder_destroy(struct wari_batch_encoder *batch); /* NULL is allowed */

/* Returns the memory that a batch encoder takes, in bytes. */
uint64_t wari_batch_encoder_bytes(int threads);

/* Writes a solved level as a level file. The file gets its final name only after all its bytes are
 * written and durable; to make the name durable, too, the caller has to call wari_sync_folder().
 * Adds the chunks to the lower-level cache as long as they fit. Fills in *record except for the
 * histogram, and adds to the encode and write seconds of the level's statistics. `ready` may be
 * NULL. */
WARI_MUST_CHECK enum wari_status
wari_write_level_file(struct wari_batch_encoder *batch, const char *folder,
                      struct wari_variant variant, const struct wari_level *level,
                      const struct wari_level_ready *ready, struct wari_level_record *record,
                      struct wari_error *error);

/* ---- The steps of encoding, for levels that are distributed over several processes ----
 *
 * A failure of a thread is recorded in the level's thread pool. */

/* The source of the values to be encoded. read() copies the `size` values of a chunk to `values`.
 * Any number of threads may call it at once. */
struct wari_chunk_source {
    const struct wari_level *level;
    void (*read)(const struct wari_chunk_source *source, uint64_t chunk, size_t size,
                 int8_t *values);
    const void *context; /* for read() */
};

/* Resets the encoders for a new level. */
WARI_MUST_CHECK enum wari_status wari_batch_encoder_begin(struct wari_batch_encoder *batch,
                                                          int seeds, struct wari_error *error);

/* Surveys the `count` chunks from `first` on for the level's model (wari_encoder_model()). Skips
 * the chunks that do not contribute to the model. */
WARI_MUST_CHECK enum wari_status wari_batch_encoder_survey(struct wari_batch_encoder *batch,
                                                           const struct wari_chunk_source *source,
                                                           uint64_t first, uint64_t count,
                                                           struct wari_error *error);

/* Encodes `count` chunks, at most batch->capacity, and adds their values to the lower-level cache
 * as long as they fit. Until the next call, the encoded form of the i-th chunk is in the
 * batch->bytes[i] bytes at wari_batch_encoder_chunk(batch, i). */
WARI_MUST_CHECK enum wari_status wari_batch_encoder_encode(struct wari_batch_encoder *batch,
                                                           const struct wari_chunk_source *source,
                                                           const struct wari_model *model,
                                                           uint64_t first, uint64_t count,
                                                           struct wari_error *error);
static inline char *wari_batch_encoder_chunk(const struct wari_batch_encoder *batch, uint64_t i)
{
    return batch->encoded + i * WARI_CHUNK_BYTES_MAX;
}

/* Encodes one chunk as the i-th chunk of the batch. Works on the calling thread, which has to be a
 * thread of an OpenMP team of batch->threads threads. */
void wari_batch_encoder_encode_one(struct wari_batch_encoder *batch,
                                   const struct wari_chunk_source *source,
                                   const struct wari_model *model, uint64_t chunk, uint64_t i);

#endif
