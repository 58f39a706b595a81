/* Encoders of chunks. Every thread needs its own.
 *
 * All chunks of a level share statistics, the model, so the values of a level are surveyed before
 * they are encoded. First, every encoder begins the level and surveys some of the chunks for which
 * wari_chunk_surveyed() is true; each of these chunks must be surveyed exactly once. Then the
 * encoders together make the model. With the model, any of them encodes any chunk.
 */
#ifndef DB_FORMAT_ENCODER_H
#define DB_FORMAT_ENCODER_H

#include "db/format/codec.h"
#include "db/format/model.h"

struct wari_encoder;

WARI_MUST_CHECK enum wari_status wari_encoder_create(struct wari_encoder **encoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_encoder_destroy(struct wari_encoder *encoder); /* NULL is allowed */

WARI_MUST_CHECK enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                                    struct wari_error *error);

/* Returns true if a chunk of a file with `chunks` chunks must be surveyed. In a small file these
 * are all chunks; in a larger file they are about 1024 evenly spaced chunks. */
bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk);

/* The values of one chunk that are to be stored in a file. */
struct wari_chunk_values {
    uint64_t number; /* number of the chunk */
    const int8_t *values;
    size_t count;
};

/* Counts the values of a chunk. Returns WARI_BAD_INPUT if a value is not in -n..n for level n, or
 * if the level has no such chunk, or if `count` is 0 or more than the size of the chunk. */
WARI_MUST_CHECK enum wari_status wari_encoder_survey(struct wari_encoder *encoder,
                                                     const struct wari_chunk_values *chunk,
                                                     struct wari_error *error);

/* Computes the model from all values that the encoders surveyed since they began the level. The
 * result does not depend on which encoder surveyed which chunk. The model is read-only and
 * independent of the encoders. */
WARI_MUST_CHECK enum wari_status wari_encoder_model(struct wari_model **model,
                                                    struct wari_encoder *const *encoder,
                                                    int encoders, struct wari_error *error);
/* Adds up the counts of all encoders since they began the level and stores the sums in the first
 * encoder. Returns this encoder's array of *count sums. The caller may replace the sums by
 * larger ones, for example sums over several processes; the order of the array is the same for
 * all encoders of a level. The array belongs to the encoder. */
uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count);

/* Encodes a chunk into `out`, which has a capacity of WARI_CHUNK_BYTES_MAX bytes, and sets
 * *bytes to the size. Equal values and models always give equal bytes. Fails like
 * wari_encoder_survey(). */
WARI_MUST_CHECK enum wari_status wari_chunk_encode(struct wari_encoder *encoder,
                                                   const struct wari_model *model,
                                                   const struct wari_chunk_values *chunk, void *out,
                                                   size_t *bytes, struct wari_error *error);

#endif
