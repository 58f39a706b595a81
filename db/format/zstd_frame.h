/* Frames of zstd, with memory from the host: a model as it stands in a file, and what decodes
 * chunks of format 1. */
#ifndef DB_CODEC_ZSTD_FRAME_H
#define DB_CODEC_ZSTD_FRAME_H

#include <zstd.h>

#include "db/format/model.h"

/* What a thread decodes frames with, for ZSTD_freeDCtx(); NULL if there is no memory. What `host`
 * points to outlives it. */
ZSTD_DCtx *wari_zstd_begin(const struct wari_host **host);

/* Decodes one frame of exactly `count` bytes. WARI_CORRUPT: the text says only why. */
WARI_MUST_CHECK enum wari_status wari_zstd_frame(ZSTD_DCtx *zstd, const void *in, size_t bytes,
                                                 void *out, size_t count, struct wari_error *error);

/* A model as it stands in a file, one zstd frame. `out` has room for WARI_MODEL_BYTES_MAX bytes. */
WARI_MUST_CHECK enum wari_status wari_model_pack(const struct wari_model *model, void *out,
                                                 size_t *bytes, struct wari_error *error);

/* WARI_CORRUPT: the text says only why. */
WARI_MUST_CHECK enum wari_status wari_model_unpack(struct wari_model **model,
                                                   const struct wari_host *host, int seeds,
                                                   const void *packed, size_t bytes,
                                                   struct wari_error *error);

#endif
