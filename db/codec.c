/* Codecs, and the encoder and decoder that hold what they need between chunks.
 *
 * Each codec is a row of one table; a codec that transforms the values first and then uses zstd
 * adds its row and its scratch room to the two structs. A zstd context is made once for an encoder
 * or decoder, through the host's allocator, and used again for every chunk. The output depends on
 * the values alone: zstd does not look at what a context compressed before.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for a caller's own allocator */
#include "db/codec.h"

#include <zstd.h>
#include <zstd_errors.h>

_Static_assert(WARI_CHUNK_BYTES_MAX >= ZSTD_COMPRESSBOUND(WARI_CHUNK_POSITIONS),
               "the largest zstd frame must fit");

/* Measured on real tables (the figures are in FORMAT.md): the fastest level, and matches of 7 bytes
 * at least, since shorter ones cost more bits than the few values they replace. */
enum { ZSTD_LEVEL = 1, ZSTD_MATCH = 7 };

struct wari_encoder {
    const struct wari_host *host;
    ZSTD_CCtx *zstd;
};

struct wari_decoder {
    const struct wari_host *host;
    ZSTD_DCtx *zstd;
    uint8_t buffer[WARI_CHUNK_BYTES_MAX];
};

/* ---- Codec 1: zstd -------------------------------------------------------------------------- */

static void *zstd_allocate(void *encoder_host, size_t bytes)
{
    const struct wari_host *const *host = encoder_host;
    return (*host)->allocate((*host)->context, bytes);
}

static void zstd_release(void *encoder_host, void *memory)
{
    const struct wari_host *const *host = encoder_host;
    (*host)->release((*host)->context, memory);
}

/* `host` is a field of the encoder or decoder, which outlives its context. */
static ZSTD_customMem zstd_memory(const struct wari_host **host)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, host};
}

static enum wari_status zstd_encode(struct wari_encoder *encoder, const int8_t *values,
                                    size_t count, void *out, size_t *bytes,
                                    struct wari_error *error)
{
    size_t result = ZSTD_compress2(encoder->zstd, out, WARI_CHUNK_BYTES_MAX, values, count);
    if (ZSTD_isError(result)) {
        enum wari_status status = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                                      ? WARI_NO_MEMORY
                                      : WARI_BAD_INPUT;
        return wari_fail(error, status, "cannot compress a chunk: %s", ZSTD_getErrorName(result));
    }
    *bytes = result;
    return WARI_OK;
}

static enum wari_status zstd_decode(struct wari_decoder *decoder, size_t bytes, int8_t *values,
                                    size_t count, struct wari_error *error)
{
    if (ZSTD_getFrameContentSize(decoder->buffer, bytes) != count ||
        ZSTD_findFrameCompressedSize(decoder->buffer, bytes) != bytes)
        return wari_fail(error, WARI_CORRUPT, "not one zstd frame of %zu values", count);

    size_t result = ZSTD_decompressDCtx(decoder->zstd, values, count, decoder->buffer, bytes);
    if (ZSTD_isError(result) && ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return wari_fail(error, WARI_NO_MEMORY, "no memory to decompress a chunk");
    if (ZSTD_isError(result))
        return wari_fail(error, WARI_CORRUPT, "%s", ZSTD_getErrorName(result));
    if (result != count)
        return wari_fail(error, WARI_CORRUPT, "%zu values instead of %zu", result, count);
    return WARI_OK;
}

/* ---- The table of codecs -------------------------------------------------------------------- */

struct codec {
    enum wari_status (*encode)(struct wari_encoder *encoder, const int8_t *values, size_t count,
                               void *out, size_t *bytes, struct wari_error *error);
    enum wari_status (*decode)(struct wari_decoder *decoder, size_t bytes, int8_t *values,
                               size_t count, struct wari_error *error);
};

static const struct codec codecs[] = {
    [WARI_CODEC_ZSTD] = {zstd_encode, zstd_decode},
};

bool wari_codec_known(uint32_t codec)
{
    return codec < sizeof codecs / sizeof codecs[0] && codecs[codec].decode != NULL;
}

size_t wari_chunk_bound(void)
{
    return WARI_CHUNK_BYTES_MAX;
}

enum wari_status wari_chunk_encode(struct wari_encoder *encoder, const int8_t *values, size_t count,
                                   void *out, size_t *bytes, struct wari_error *error)
{
    if (count == 0 || count > WARI_CHUNK_POSITIONS)
        return wari_fail(error, WARI_BAD_INPUT, "a chunk holds 1 to %d values, not %zu",
                         WARI_CHUNK_POSITIONS, count);
    return codecs[WARI_CODEC_WRITTEN].encode(encoder, values, count, out, bytes, error);
}

enum wari_status wari_chunk_decode(struct wari_decoder *decoder, uint32_t codec, size_t bytes,
                                   int8_t *values, size_t count, struct wari_error *error)
{
    if (!wari_codec_known(codec))
        return wari_fail(error, WARI_CORRUPT, "unknown codec %u", codec);
    return codecs[codec].decode(decoder, bytes, values, count, error);
}

/* ---- Encoder and decoder -------------------------------------------------------------------- */

/* The same bytes for everybody: no checksum (the offset table has a hash of the chunk), the number
 * of values in the frame, no dictionary. */
static bool set_parameters(ZSTD_CCtx *zstd)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, ZSTD_MATCH)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 1)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_dictIDFlag, 0));
}

enum wari_status wari_encoder_create(struct wari_encoder **encoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **encoder, "an encoder", &memory, error);
    *encoder = memory;
    if (status != WARI_OK)
        return status;

    (*encoder)->host = host;
    (*encoder)->zstd = ZSTD_createCCtx_advanced(zstd_memory(&(*encoder)->host));
    if ((*encoder)->zstd == NULL || !set_parameters((*encoder)->zstd)) {
        wari_encoder_destroy(*encoder);
        *encoder = NULL;
        return wari_fail(error, WARI_NO_MEMORY, "no memory to compress chunks");
    }
    return WARI_OK;
}

void wari_encoder_destroy(struct wari_encoder *encoder)
{
    if (encoder == NULL)
        return;
    ZSTD_freeCCtx(encoder->zstd);
    wari_release(encoder->host, encoder);
}

enum wari_status wari_decoder_create(struct wari_decoder **decoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **decoder, "a decoder", &memory, error);
    *decoder = memory;
    if (status != WARI_OK)
        return status;

    (*decoder)->host = host;
    (*decoder)->zstd = ZSTD_createDCtx_advanced(zstd_memory(&(*decoder)->host));
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
