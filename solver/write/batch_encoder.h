/* Encodes the values of solved levels with all threads, and writes level files. */
#ifndef SOLVER_WRITE_BATCH_ENCODER_H
#define SOLVER_WRITE_BATCH_ENCODER_H

#include "db/format/encoder.h"
#include "db/format/level_file.h"
#include "db/format/level_writer.h"
#include "solver/level/level.h"

/* A batch encoder encodes one level after the other. It consists of an encoder for each thread, and
 * buffers for a batch of chunks. */
struct wari_batch_encoder {
    const struct wari_host *host;
    int threads;
    uint64_t capacity;             /* maximal number of chunks in the batch */
    struct wari_encoder **encoder; /* [thread] */
    int8_t *values;                /* values of the chunks in the batch, before encoding */
    char *encoded;                 /* WARI_CHUNK_BYTES_MAX bytes for each chunk in the batch */
    size_t *bytes;                 /* encoded size of each chunk in the batch */
    atomic_uchar *ready;           /* state of each chunk in the batch; only for write_level.c */
};

WARI_MUST_CHECK enum wari_status wari_batch_encoder_create(struct wari_batch_encoder **batch,
                                                           const struct wari_host *host,
                                                           int threads, struct wari_error *error);
void wari_batch_encoder_destroy(struct wari_batch_encoder *batch); /* NULL is allowed */

/* Returns the memory that a batch encoder takes, in bytes. */
uint64_t wari_batch_encoder_bytes(int threads);

/* The state of a level file that is being written, after a chunk was added. */
struct wari_written {
    struct wari_level_writer *writer;
    uint64_t chunks;      /* number of chunks done: in the file, or left out of a packed file */
    const int8_t *values; /* the values of the last of these chunks; NULL if they are all zero */
    size_t count;
    const struct XXH3_state_s *hash; /* hash of all values so far */
};

/* Options for writing the file of a level. If all fields are zero, the file gets all values of the
 * level, and writing begins with the first chunk. */
struct wari_write_options {
    bool packed; /* the file gets only the first wari_packed_positions() positions; all others are
                  * only read and hashed */
    uint32_t group; /* number of chunks that a thread reads at once, a divisor of 64; 0 means 1 */
    const struct wari_written *resumed; /* the state from which writing resumes; its fields `values`
                                         * and `count` are not used. NULL means that writing begins
                                         * with the first chunk */

    /* Returns true if the values of the `count` positions from number `first` on are known to be 0.
     * These values are then neither read nor hashed, and the model is that of a level of zeros.
     * NULL means that no values are known. */
    bool (*are_zero)(void *context, uint64_t first, uint64_t count);

    /* Called for one chunk after the other, in order, by any thread. NULL means no calls. */
    enum wari_status (*written)(void *context, const struct wari_written *written,
                                struct wari_error *error);

    /* Called if writing ends early after the file has been created: after a stop request, or
     * because reading or writing failed (WARI_IO). The function may save the state; if a chunk
     * could not be written, `written` is NULL, and only a state that was saved earlier is valid.
     * The function returns true to keep the temporary file, because a state of it has been saved.
     * If this pointer is NULL, the file is removed. */
    bool (*stopped)(void *context, const struct wari_written *written);
    void *context;
};

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

/* Writes a solved level like wari_write_level_file(), but as `options` say. */
WARI_MUST_CHECK enum wari_status
wari_write_level_with(struct wari_batch_encoder *batch, const char *folder,
                      struct wari_variant variant, const struct wari_level *level,
                      const struct wari_write_options *options,
                      const struct wari_level_ready *ready, struct wari_level_record *record,
                      struct wari_error *error);

/* ---- The steps of encoding, for levels that are distributed over several processes ----
 *
 * A failure of a thread is recorded in the level's workers (wari_workers_fail()). */

/* The source of the values to be encoded. read() copies the `size` values of a chunk, or of several
 * chunks from this one on, to `values`. Any number of threads may call it at once. */
struct wari_chunk_source {
    const struct wari_level *level;
    bool packed; /* the file gets only the first wari_packed_positions() positions */
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

/* Encodes a chunk whose values are already in batch->values as the i-th chunk of the batch. Works
 * on the calling thread, which has to be a thread of an OpenMP team of batch->threads threads. */
void wari_batch_encoder_encode_values(struct wari_batch_encoder *batch,
                                      const struct wari_chunk_source *source,
                                      const struct wari_model *model, uint64_t chunk, uint64_t i);

/* Returns the number of positions in the file of a level. */
uint64_t wari_source_positions(const struct wari_chunk_source *source);

#endif
