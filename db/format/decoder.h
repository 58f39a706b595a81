/* Decoders of chunks. Every thread needs its own. */
#ifndef DB_FORMAT_DECODER_H
#define DB_FORMAT_DECODER_H

#include "db/format/codec.h"
#include "db/format/model.h"

struct wari_decoder;

WARI_MUST_CHECK enum wari_status wari_decoder_create(struct wari_decoder **decoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_decoder_destroy(struct wari_decoder *decoder); /* NULL is allowed */

/* Returns the decoder's buffer for one encoded chunk, of WARI_CHUNK_BYTES_MAX bytes. */
uint8_t *wari_decoder_buffer(struct wari_decoder *decoder);

/* Decodes the requested cells of a range from the first `bytes` bytes of the decoder's buffer.
 * Stores each value at the index of its cell in `values`; elements of other cells are unchanged.
 * Bytes that no encoder wrote may give any values from -64 to 63. Returns WARI_CORRUPT if the bytes
 * are not an encoded chunk; the error text then contains only the reason, and the caller adds the
 * name of the file. If not all cells are requested, such bytes may remain undetected. */
WARI_MUST_CHECK enum wari_status wari_chunk_decode(struct wari_decoder *decoder,
                                                   const struct wari_model *model,
                                                   const struct wari_chunk_range *range,
                                                   size_t bytes, int8_t *values,
                                                   struct wari_error *error);

#endif
