/* How the values of a chunk, and the model they are coded with, become bytes and come back. A level
 * file names its codec by number; all its chunks use the same one. */
#ifndef DB_CODEC_H
#define DB_CODEC_H

#include "db/context_codec.h"
#include "db/level_file.h"

/* The numbers are written into files and never change. A new codec raises the format version, so
 * that older programs say what is wrong. */
enum {
    WARI_CODEC_ZSTD = 1,    /* format 1: the values as signed bytes, one zstd frame */
    WARI_CODEC_CONTEXT = 2, /* format 2: see context_codec.h */
};

/* Format 1 had longer chunks. A chunk of today is a quarter of one. */
enum {
    WARI_OLD_CHUNK_POSITIONS = 32768,
    WARI_OLD_CHUNK_BYTES_MAX = WARI_OLD_CHUNK_POSITIONS + 256,
};

/* No chunk of codec 2 is longer: a part of the format. */
enum { WARI_CHUNK_BYTES_MAX = WARI_CONTEXT_BYTES_MAX };

/* The decoder's own room for one encoded chunk: WARI_OLD_CHUNK_BYTES_MAX bytes. */
uint8_t *wari_decoder_buffer(struct wari_decoder *decoder);

/* Decodes the first `bytes` bytes of the decoder's buffer into exactly `count` values; of a chunk,
 * into the first `steps` of each lane. WARI_CORRUPT (the text says only why) if they are not that,
 * which wari_chunk_decode() can tell only if it decodes all of them. */
WARI_MUST_CHECK enum wari_status wari_zstd_decode(struct wari_decoder *decoder, size_t bytes,
                                                  int8_t *values, size_t count,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_chunk_decode(struct wari_decoder *decoder,
                                                   const struct wari_model *model,
                                                   const struct wari_layout *layout, uint64_t chunk,
                                                   size_t bytes, int8_t *values, size_t count,
                                                   size_t steps, struct wari_error *error);

/* Room of the decoder for a chunk of format 1. */
int8_t *wari_decoder_old_values(struct wari_decoder *decoder);

/* A model as it stands in a file, one zstd frame. `out` has room for WARI_MODEL_BYTES_MAX bytes. */
WARI_MUST_CHECK enum wari_status wari_model_pack(const struct wari_model *model, void *out,
                                                 size_t *bytes, struct wari_error *error);

/* WARI_CORRUPT: the text says only why. */
WARI_MUST_CHECK enum wari_status wari_model_unpack(struct wari_model **model,
                                                   const struct wari_host *host, int seeds,
                                                   const void *packed, size_t bytes,
                                                   struct wari_error *error);

#endif
