/* Decoders of chunks: one per thread. */
#ifndef DB_CODEC_DECODER_H
#define DB_CODEC_DECODER_H

#include "db/format/codec.h"
#include "db/format/model.h"

struct wari_decoder;

WARI_MUST_CHECK enum wari_status wari_decoder_create(struct wari_decoder **decoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_decoder_destroy(struct wari_decoder *decoder); /* NULL is allowed */

/* The decoder's own room for one encoded chunk: WARI_OLD_CHUNK_BYTES_MAX bytes. */
uint8_t *wari_decoder_buffer(struct wari_decoder *decoder);

/* Decodes what is wanted of a range from the first `bytes` bytes of the decoder's buffer into its
 * place in `values`, and leaves the others alone. WARI_CORRUPT (the text says only why) if they are
 * not that, which can be told for certain only if all is wanted. */
WARI_MUST_CHECK enum wari_status wari_chunk_decode(struct wari_decoder *decoder,
                                                   const struct wari_model *model,
                                                   const struct wari_chunk_range *range,
                                                   size_t bytes, int8_t *values,
                                                   struct wari_error *error);

/* The same of a chunk of format 1, which has exactly `count` values. */
WARI_MUST_CHECK enum wari_status wari_old_chunk_decode(struct wari_decoder *decoder, size_t bytes,
                                                       int8_t *values, size_t count,
                                                       struct wari_error *error);

/* Room of the decoder for a chunk of format 1. */
int8_t *wari_decoder_old_values(struct wari_decoder *decoder);

#endif
