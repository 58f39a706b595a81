/* What decoding needs between chunks: of today's format (context_decode.c) and of the old one
 * (zstd_frame.c).
 */
#include "db/format/decoder.h"

#include "db/format/context_decode.h"
#include "db/format/zstd_frame.h"

struct wari_decoder {
    const struct wari_host *host;
    ZSTD_DCtx *zstd;
    struct wari_decode_room room;
    int8_t old_values[WARI_OLD_CHUNK_POSITIONS];
    uint8_t buffer[WARI_OLD_CHUNK_BYTES_MAX];
};

enum wari_status wari_decoder_create(struct wari_decoder **decoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **decoder, "a decoder", &memory, error);
    *decoder = memory;
    if (status != WARI_OK)
        return status;

    (*decoder)->host = host;
    wari_decode_room_init(&(*decoder)->room);
    (*decoder)->zstd = wari_zstd_begin(&(*decoder)->host);
    if ((*decoder)->zstd == NULL) {
        wari_decoder_destroy(*decoder);
        *decoder = NULL;
        return wari_fail(error, WARI_NO_MEMORY, "no memory to decompress chunks");
    }
    return WARI_OK;
}

void wari_decoder_destroy(struct wari_decoder *decoder)
{
    if (decoder == NULL)
        return;
    ZSTD_freeDCtx(decoder->zstd);
    wari_release(decoder->host, decoder);
}

uint8_t *wari_decoder_buffer(struct wari_decoder *decoder)
{
    return decoder->buffer;
}

int8_t *wari_decoder_old_values(struct wari_decoder *decoder)
{
    return decoder->old_values;
}

enum wari_status wari_old_chunk_decode(struct wari_decoder *decoder, size_t bytes, int8_t *values,
                                       size_t count, struct wari_error *error)
{
    return wari_zstd_frame(decoder->zstd, decoder->buffer, bytes, values, count, error);
}

enum wari_status wari_chunk_decode(struct wari_decoder *decoder, const struct wari_model *model,
                                   const struct wari_section *section, size_t bytes, int8_t *values,
                                   struct wari_error *error)
{
    if (!wari_context_decode(model, &decoder->room, section, decoder->buffer, bytes, values))
        return wari_fail(error, WARI_CORRUPT, "%zu bytes are not %zu values", bytes,
                         section->count);
    return WARI_OK;
}
