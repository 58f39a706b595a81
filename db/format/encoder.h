/* Encoders of chunks: one per thread.
 *
 * A level's values are surveyed before they are encoded: its file holds statistics that all chunks
 * share. Every encoder begins the level and surveys some of the chunks for which
 * wari_chunk_surveyed() holds, each of these once; the encoders together make the model; with it
 * any of them encodes any chunk.
 */
#ifndef DB_CODEC_ENCODER_H
#define DB_CODEC_ENCODER_H

#include "db/format/codec.h"
#include "db/format/model.h"

struct wari_encoder;

WARI_MUST_CHECK enum wari_status wari_encoder_create(struct wari_encoder **encoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_encoder_destroy(struct wari_encoder *encoder); /* NULL is allowed */

WARI_MUST_CHECK enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                                    struct wari_error *error);

/* Of a file with `chunks` chunks: all, or one in so many that some 1024 are. */
bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk);

/* The values of a chunk that a file holds. */
struct wari_chunk_values {
    uint64_t number; /* of the chunk */
    const int8_t *values;
    size_t count;
};

/* WARI_BAD_INPUT if a value is not in -n..n or there are more than the chunk has. */
WARI_MUST_CHECK enum wari_status wari_encoder_survey(struct wari_encoder *encoder,
                                                     const struct wari_chunk_values *chunk,
                                                     struct wari_error *error);

/* From what all the encoders surveyed since they began the level; who surveyed which chunk makes no
 * difference. The model is read-only and does not need the encoders. */
WARI_MUST_CHECK enum wari_status wari_encoder_model(struct wari_model **model,
                                                    struct wari_encoder *const *encoder,
                                                    int encoders, struct wari_error *error);
/* What encoders have counted since they began the level, added up and moved to the first of them:
 * *count numbers, in the same order for all encoders of a level, to be replaced by larger sums.
 * They stay the encoder's. */
uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count);

/* Encodes a chunk into `out` (room for WARI_CHUNK_BYTES_MAX bytes). The same values and model give
 * the same bytes, whatever the thread. Fails like wari_encoder_survey(). */
WARI_MUST_CHECK enum wari_status wari_chunk_encode(struct wari_encoder *encoder,
                                                   const struct wari_model *model,
                                                   const struct wari_chunk_values *chunk, void *out,
                                                   size_t *bytes, struct wari_error *error);

#endif
