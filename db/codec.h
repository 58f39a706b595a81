/* How the values of a chunk become bytes and come back. A level file names its codec by number; all
 * its chunks use the same one. */
#ifndef DB_CODEC_H
#define DB_CODEC_H

#include "db/level_file.h"

/* The numbers are written into files and never change. A new codec raises the format version, so
 * that older programs say what is wrong. */
enum {
    WARI_CODEC_ZSTD = 1, /* the values as signed bytes, one zstd frame */
};

/* What wari_chunk_encode() uses. */
enum { WARI_CODEC_WRITTEN = WARI_CODEC_ZSTD };

/* No chunk of any codec is longer: a part of the format, and the size of every buffer. */
enum { WARI_CHUNK_BYTES_MAX = WARI_CHUNK_POSITIONS + 256 };

bool wari_codec_known(uint32_t codec);

/* The decoder's own room for one encoded chunk: WARI_CHUNK_BYTES_MAX bytes. */
uint8_t *wari_decoder_buffer(struct wari_decoder *decoder);

/* Decodes the first `bytes` bytes of the decoder's buffer into exactly `count` values. WARI_CORRUPT
 * (the text says only why) if they are not that. */
WARI_MUST_CHECK enum wari_status wari_chunk_decode(struct wari_decoder *decoder, uint32_t codec,
                                                   size_t bytes, int8_t *values, size_t count,
                                                   struct wari_error *error);

#endif
