/* The steps of encoding solved levels. Each thread reads values from the level, then surveys or
 * encodes them with an encoder of its own. Encoded chunks are stored in a buffer for a batch of
 * chunks. The encoded bytes of a chunk do not depend on the thread that encodes it. */
#include "solver/write/batch_encoder.h"

#include <omp.h>
#include <string.h>

enum { CHUNKS_A_THREAD = 64 }; /* chunks of a batch for each thread, so that threads seldom wait */

static size_t chunk_bytes(void)
{
    return WARI_CHUNK_POSITIONS + WARI_CHUNK_BYTES_MAX + sizeof(size_t) + sizeof(atomic_uchar);
}

uint64_t wari_batch_encoder_bytes(int threads)
{
    const uint64_t encoder = 512 << 10; /* an encoder takes 0.32 MB at 24 seeds, 0.49 MB at 48 */
    const uint64_t ranges = 456 << 10;  /* size of the encoding tables at 48 seeds */

    return (uint64_t)threads * (encoder + CHUNKS_A_THREAD * chunk_bytes()) + ranges;
}

enum wari_status wari_batch_encoder_create(struct wari_batch_encoder **result,
                                           const struct wari_host *host, int threads,
                                           struct wari_error *error)
{
    const size_t capacity = (size_t)threads * CHUNKS_A_THREAD;
    const size_t pointers = (size_t)threads * sizeof(struct wari_encoder *);
    struct wari_batch_encoder *batch;
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof *batch + pointers + capacity * chunk_bytes(),
                      "the chunk buffers", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    batch = memory;
    *batch = (struct wari_batch_encoder){.host = host, .threads = threads, .capacity = capacity};
    batch->encoder = (void *)(batch + 1);
    memset(batch->encoder, 0, pointers);
    batch->bytes = (void *)((char *)batch->encoder + pointers);
    batch->values = (int8_t *)(batch->bytes + capacity);
    batch->encoded = (char *)batch->values + capacity * WARI_CHUNK_POSITIONS;
    batch->ready = (void *)(batch->encoded + capacity * WARI_CHUNK_BYTES_MAX);
    for (int i = 0; i < threads && status == WARI_OK; i++)
        status = wari_encoder_create(&batch->encoder[i], host, error);
    if (status != WARI_OK)
        wari_batch_encoder_destroy(batch);
    else
        *result = batch;
    return status;
}

void wari_batch_encoder_destroy(struct wari_batch_encoder *batch)
{
    if (!batch)
        return;
    for (int i = 0; i < batch->threads; i++)
        wari_encoder_destroy(batch->encoder[i]);
    wari_release(batch->host, batch);
}

enum wari_status wari_batch_encoder_begin(struct wari_batch_encoder *batch, int seeds,
                                          struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int i = 0; i < batch->threads && status == WARI_OK; i++)
        status = wari_encoder_begin(batch->encoder[i], seeds, error);
    return status;
}

/* Returns the first failure of a thread, including failures to read the level's values. Returns
 * WARI_INTERRUPTED if no thread failed but the build was stopped. */
static enum wari_status outcome(const struct wari_level *level, struct wari_error *error)
{
    const enum wari_status status = wari_workers_failure(level->workers, error);

    if (status == WARI_OK && wari_level_stopped(level))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
    return status;
}

uint64_t wari_source_positions(const struct wari_chunk_source *source)
{
    const int seeds = source->level->layout.seeds;

    return source->packed ? wari_packed_positions(seeds) : wari_level_positions(seeds);
}

enum wari_status wari_batch_encoder_survey(struct wari_batch_encoder *batch,
                                           const struct wari_chunk_source *source, uint64_t first,
                                           uint64_t count, struct wari_error *error)
{
    const uint64_t positions = wari_source_positions(source);
    const uint64_t chunks = wari_chunk_count(positions);

#pragma omp parallel for num_threads(batch->threads) schedule(dynamic) if (count > 1)
    for (uint64_t chunk = first; chunk < first + count; chunk++) {
        const int thread = omp_get_thread_num();
        int8_t *values = batch->values + (size_t)thread * WARI_CHUNK_POSITIONS;
        const size_t size = wari_chunk_size(chunk, positions);
        struct wari_error failure;
        if (!wari_chunk_surveyed(chunks, chunk) || wari_level_stopped(source->level))
            continue;
        source->read(source, chunk, size, values);
        if (wari_encoder_survey(batch->encoder[thread],
                                &(struct wari_chunk_values){chunk, values, size},
                                &failure) != WARI_OK)
            wari_workers_fail(source->level->workers, &failure);
    }
    return outcome(source->level, error);
}

void wari_batch_encoder_encode_values(struct wari_batch_encoder *batch,
                                      const struct wari_chunk_source *source,
                                      const struct wari_model *model, uint64_t chunk, uint64_t i)
{
    const int8_t *values = batch->values + i * WARI_CHUNK_POSITIONS;
    const struct wari_chunk_values coded = {chunk, values,
                                            wari_chunk_size(chunk, wari_source_positions(source))};
    struct wari_error failure;

    if (wari_chunk_encode(batch->encoder[omp_get_thread_num()], model, &coded,
                          wari_batch_encoder_chunk(batch, i), &batch->bytes[i],
                          &failure) != WARI_OK)
        wari_workers_fail(source->level->workers, &failure);
}

static void encode_one(struct wari_batch_encoder *batch, const struct wari_chunk_source *source,
                       const struct wari_model *model, uint64_t chunk, uint64_t i)
{
    int8_t *values = batch->values + i * WARI_CHUNK_POSITIONS;

    source->read(source, chunk, wari_chunk_size(chunk, wari_source_positions(source)), values);
    wari_lower_cache_offer(source->level->lower_cache, source->level->layout.seeds, chunk, values);
    wari_batch_encoder_encode_values(batch, source, model, chunk, i);
}

enum wari_status wari_batch_encoder_encode(struct wari_batch_encoder *batch,
                                           const struct wari_chunk_source *source,
                                           const struct wari_model *model, uint64_t first,
                                           uint64_t count, struct wari_error *error)
{
#pragma omp parallel for num_threads(batch->threads) schedule(dynamic) if (count > 1)
    for (uint64_t i = 0; i < count; i++)
        encode_one(batch, source, model, first + i, i);
    return outcome(source->level, error);
}
