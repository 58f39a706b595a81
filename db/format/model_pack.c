/* Compresses the model of a level into one zstd frame, and decompresses it. Memory comes from the
 * host's allocator. The output depends on the input alone. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem */
#include "db/format/model.h"

#include <zstd.h>
#include <zstd_errors.h>

/* A high compression level, since models are small and written only once. */
enum { MODEL_ZSTD_LEVEL = 19 };

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

static ZSTD_customMem zstd_memory(const struct wari_host **host)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, host};
}

static bool is_out_of_memory(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

/* Compresses with fixed parameters. The frame contains the size of the data, but no checksum,
 * because the header of the file has a hash. */
static size_t zstd_encode(ZSTD_CCtx *zstd, const void *in, size_t count, void *out, size_t capacity)
{
    size_t result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, MODEL_ZSTD_LEVEL);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 1);
    return ZSTD_isError(result) ? result : ZSTD_compress2(zstd, out, capacity, in, count);
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
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory to compress a model");
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

/* Decompresses one frame of exactly `count` bytes. Returns WARI_CORRUPT, with only the reason as
 * text, if the frame is damaged. */
static enum wari_status zstd_decode(ZSTD_DCtx *zstd, const void *in, size_t bytes, void *out,
                                    size_t count, struct wari_error *error)
{
    if (ZSTD_getFrameContentSize(in, bytes) != count ||
        ZSTD_findFrameCompressedSize(in, bytes) != bytes)
        return wari_fail(error, WARI_CORRUPT,
                         "this is not a single zstd frame with a content of %zu bytes", count);

    size_t result = ZSTD_decompressDCtx(zstd, out, count, in, bytes);
    if (ZSTD_isError(result) && is_out_of_memory(result))
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory to decompress a model");
    if (ZSTD_isError(result))
        return wari_fail(error, WARI_CORRUPT, "%s", ZSTD_getErrorName(result));
    if (result != count)
        return wari_fail(error, WARI_CORRUPT, "it decompresses to %zu bytes instead of %zu", result,
                         count);
    return WARI_OK;
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
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory to decompress a model");
    else
        status = zstd_decode(zstd, packed, bytes, plain, plain_bytes, error);
    if (status == WARI_OK)
        status = wari_model_load(model, host, seeds, plain, error);
    ZSTD_freeDCtx(zstd);
    wari_release(host, plain);
    return status;
}
