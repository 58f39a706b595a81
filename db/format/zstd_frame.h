/* zstd frames, with memory from the host. Models are compressed into such frames, and chunks of
 * format 1 are decompressed from them. */
#ifndef DB_FORMAT_ZSTD_FRAME_H
#define DB_FORMAT_ZSTD_FRAME_H

#include <zstd.h>

#include "db/format/model.h"

/* Creates a decompression context, to be freed with ZSTD_freeDCtx(). Returns NULL if there is no
 * memory. The pointer that `host` points to must outlive the context. */
ZSTD_DCtx *wari_zstd_begin(const struct wari_host **host);

/* Decompresses one frame of exactly `count` bytes. Returns WARI_CORRUPT, with only the reason as
 * text, if the frame is damaged. */
WARI_MUST_CHECK enum wari_status wari_zstd_frame(ZSTD_DCtx *zstd, const void *in, size_t bytes,
                                                 void *out, size_t count, struct wari_error *error);

/* Compresses a model for a file, into one zstd frame. `out` has a capacity of WARI_MODEL_BYTES_MAX
 * bytes. */
WARI_MUST_CHECK enum wari_status wari_model_pack(const struct wari_model *model, void *out,
                                                 size_t *bytes, struct wari_error *error);

/* Decompresses a model. Returns WARI_CORRUPT, with only the reason as text, if the bytes are not
 * a model. */
WARI_MUST_CHECK enum wari_status wari_model_unpack(struct wari_model **model,
                                                   const struct wari_host *host, int seeds,
                                                   const void *packed, size_t bytes,
                                                   struct wari_error *error);

#endif
