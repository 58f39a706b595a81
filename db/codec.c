/* Encoder and decoder: what coding a chunk needs between chunks, and zstd behind it.
 *
 * Chunks are written with codec 2 (context_codec.c). zstd is used where it is the better one: for
 * the models, of which there is one a level, and for reading chunks of format 1. Its contexts come
 * from the host's allocator. The output depends on the values alone.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for a caller's own allocator */
#include "db/codec.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Models are small and written once. */
enum { MODEL_ZSTD_LEVEL = 19 };

/* A level has its model from 1024 chunks or a few more, that is 8 million values. */
enum { SURVEYED_CHUNKS = 1024 };

struct wari_encoder {
    const struct wari_host *host;
    struct wari_layout layout;
    struct wari_counts *counts; /* NULL before wari_encoder_begin() */
    struct wari_encode_room room;
};

struct wari_decoder {
    const struct wari_host *host;
    ZSTD_DCtx *zstd;
    struct wari_decode_room room;
    int8_t old_values[WARI_OLD_CHUNK_POSITIONS];
    uint8_t buffer[WARI_OLD_CHUNK_BYTES_MAX];
};

static void *zstd_allocate(void *host_of, size_t bytes)
{
    const struct wari_host *const *host = host_of;
    return (*host)->allocate((*host)->context, bytes);
}

static void zstd_release(void *host_of, void *memory)
{
    const struct wari_host *const *host = host_of;
    (*host)->release((*host)->context, memory);
}

/* `host` outlives the context. */
static ZSTD_customMem zstd_memory(const struct wari_host **host)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, host};
}

static bool is_out_of_memory(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

/* One frame of exactly `count` bytes. */
static enum wari_status zstd_decode(ZSTD_DCtx *zstd, const void *in, size_t bytes, void *out,
                                    size_t count, struct wari_error *error)
{
    if (ZSTD_getFrameContentSize(in, bytes) != count ||
        ZSTD_findFrameCompressedSize(in, bytes) != bytes)
        return wari_fail(error, WARI_CORRUPT, "not one zstd frame of %zu bytes", count);

    size_t result = ZSTD_decompressDCtx(zstd, out, count, in, bytes);
    if (ZSTD_isError(result) && is_out_of_memory(result))
        return wari_fail(error, WARI_NO_MEMORY, "no memory to decompress");
    if (ZSTD_isError(result))
        return wari_fail(error, WARI_CORRUPT, "%s", ZSTD_getErrorName(result));
    if (result != count)
        return wari_fail(error, WARI_CORRUPT, "%zu bytes instead of %zu", result, count);
    return WARI_OK;
}

/* ---- Models --------------------------------------------------------------------------------- */

/* The same bytes for everybody: no checksum (the header has a hash), the size in the frame. */
static size_t zstd_encode(ZSTD_CCtx *zstd, const void *in, size_t count, void *out, size_t room)
{
    size_t result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, MODEL_ZSTD_LEVEL);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 1);
    return ZSTD_isError(result) ? result : ZSTD_compress2(zstd, out, room, in, count);
}

enum wari_status wari_model_pack(const struct wari_model *model, void *out, size_t *bytes,
                                 struct wari_error *error)
{
    const struct wari_host *host = model->host;
    const size_t plain_bytes = wari_model_plain_bytes(model->seeds);
    void *plain;
    enum wari_status status = wari_allocate(host, plain_bytes, "a model", &plain, error);
    if (status != WARI_OK)
        return status;
    wari_model_store(model, plain);

    ZSTD_CCtx *zstd = ZSTD_createCCtx_advanced(zstd_memory(&host));
    if (zstd == NULL) {
        status = wari_fail(error, WARI_NO_MEMORY, "no memory to compress a model");
    } else {
        *bytes = zstd_encode(zstd, plain, plain_bytes, out, WARI_MODEL_BYTES_MAX);
        if (ZSTD_isError(*bytes))
            status = wari_fail(error, is_out_of_memory(*bytes) ? WARI_NO_MEMORY : WARI_BAD_INPUT,
                               "cannot compress a model: %s", ZSTD_getErrorName(*bytes));
    }
    ZSTD_freeCCtx(zstd);
    wari_release(host, plain);
    return status;
}

enum wari_status wari_model_unpack(struct wari_model **model, const struct wari_host *host,
                                   int seeds, const void *packed, size_t bytes,
                                   struct wari_error *error)
{
    const size_t plain_bytes = wari_model_plain_bytes(seeds);
    void *plain;
    *model = NULL;
    enum wari_status status = wari_allocate(host, plain_bytes, "a model", &plain, error);
    if (status != WARI_OK)
        return status;
    ZSTD_DCtx *zstd = ZSTD_createDCtx_advanced(zstd_memory(&host));
    if (zstd == NULL)
        status = wari_fail(error, WARI_NO_MEMORY, "no memory to decompress a model");
    else
        status = zstd_decode(zstd, packed, bytes, plain, plain_bytes, error);
    if (status == WARI_OK)
        status = wari_model_load(model, host, seeds, plain, error);
    ZSTD_freeDCtx(zstd);
    wari_release(host, plain);
    return status;
}

/* ---- Encoder -------------------------------------------------------------------------------- */

enum wari_status wari_encoder_create(struct wari_encoder **encoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **encoder, "an encoder", &memory, error);
    *encoder = memory;
    if (status != WARI_OK)
        return status;
    (*encoder)->host = host;
    (*encoder)->counts = NULL;
    wari_encode_room_init(&(*encoder)->room);
    return WARI_OK;
}

void wari_encoder_destroy(struct wari_encoder *encoder)
{
    if (encoder == NULL)
        return;
    wari_counts_destroy(encoder->counts);
    wari_release(encoder->host, encoder);
}

enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                    struct wari_error *error)
{
    wari_counts_destroy(encoder->counts);
    encoder->counts = NULL;
    wari_layout_init(&encoder->layout, seeds);
    return wari_counts_create(&encoder->counts, encoder->host, seeds, error);
}

bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk)
{
    return chunks <= SURVEYED_CHUNKS || chunk % (chunks / SURVEYED_CHUNKS) == 0;
}

size_t wari_chunk_bound(void)
{
    return WARI_CHUNK_BYTES_MAX;
}

/* What the caller promises, checked: values beyond the tables would be read otherwise. */
static enum wari_status check_chunk(const struct wari_encoder *encoder, uint64_t chunk,
                                    const int8_t *values, size_t count, struct wari_error *error)
{
    const int seeds = encoder->layout.seeds;
    const uint64_t positions = encoder->layout.block_offset[seeds + 1];
    uint8_t most = 0;
    if (count == 0 || count > WARI_CHUNK_POSITIONS || chunk >= wari_chunk_count(positions) ||
        count > positions - chunk * WARI_CHUNK_POSITIONS)
        return wari_fail(error, WARI_BAD_INPUT, "chunk %llu of level %d cannot hold %zu values",
                         (unsigned long long)chunk, seeds, count);
    for (size_t i = 0; i < count; i++) { /* compilers make vectors of it */
        const uint8_t raised = (uint8_t)(values[i] + seeds);
        most = raised > most ? raised : most;
    }
    if (most > 2 * seeds)
        return wari_fail(error, WARI_BAD_INPUT, "a value beyond the level's %d seeds", seeds);
    return WARI_OK;
}

enum wari_status wari_encoder_survey(struct wari_encoder *encoder, uint64_t chunk,
                                     const int8_t *values, size_t count, struct wari_error *error)
{
    enum wari_status status = check_chunk(encoder, chunk, values, count, error);
    if (status == WARI_OK)
        wari_context_count(encoder->counts, &encoder->room, &encoder->layout,
                           chunk * WARI_CHUNK_POSITIONS, values, count);
    return status;
}

enum wari_status wari_encoder_model(struct wari_model **model, struct wari_encoder *const *encoder,
                                    int encoders, struct wari_error *error)
{
    for (int i = 1; i < encoders; i++)
        wari_counts_add(encoder[0]->counts, encoder[i]->counts);
    return wari_model_create(model, encoder[0]->counts, error);
}

uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count)
{
    struct wari_counts *counts = encoder[0]->counts;
    *count = wari_counts_size(counts);
    for (int i = 1; i < encoders; i++) {
        wari_counts_add(counts, encoder[i]->counts);
        memset(encoder[i]->counts->count, 0, *count * sizeof counts->count[0]);
    }
    return counts->count;
}

enum wari_status wari_chunk_encode(struct wari_encoder *encoder, const struct wari_model *model,
                                   uint64_t chunk, const int8_t *values, size_t count, void *out,
                                   size_t *bytes, struct wari_error *error)
{
    enum wari_status status = check_chunk(encoder, chunk, values, count, error);
    if (status == WARI_OK)
        *bytes = wari_context_encode(model, &encoder->room, &encoder->layout,
                                     chunk * WARI_CHUNK_POSITIONS, values, count, out);
    return status;
}

/* ---- Decoder -------------------------------------------------------------------------------- */

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

int8_t *wari_decoder_old_values(struct wari_decoder *decoder)
{
    return decoder->old_values;
}

enum wari_status wari_zstd_decode(struct wari_decoder *decoder, size_t bytes, int8_t *values,
                                  size_t count, struct wari_error *error)
{
    return zstd_decode(decoder->zstd, decoder->buffer, bytes, values, count, error);
}

enum wari_status wari_chunk_decode(struct wari_decoder *decoder, const struct wari_model *model,
                                   const struct wari_layout *layout, uint64_t chunk, size_t bytes,
                                   int8_t *values, size_t count, size_t steps,
                                   struct wari_error *error)
{
    if (!wari_context_decode(model, &decoder->room, layout, chunk * WARI_CHUNK_POSITIONS, values,
                             count, steps, decoder->buffer, bytes))
        return wari_fail(error, WARI_CORRUPT, "%zu bytes are not %zu values", bytes, count);
    return WARI_OK;
}
