/* The steps of writing solved levels. All threads take values out of the level, survey and encode
 * them, each with an encoder of its own, into room for a batch of chunks. What a chunk is encoded
 * to does not depend on the thread. */
#include "solver/write/store.h"

#include <omp.h>
#include <string.h>

enum { CHUNKS_A_THREAD = 64 }; /* in a batch: enough that threads seldom wait for each other */

static size_t chunk_bytes(void)
{
    return WARI_CHUNK_POSITIONS + WARI_CHUNK_BYTES_MAX + sizeof(size_t) + sizeof(atomic_uchar);
}

uint64_t wari_store_bytes(int threads)
{
    const uint64_t encoder = 512 << 10; /* with its counts: 0.32 MB at 24 seeds, 0.49 at 48 */
    const uint64_t ranges = 456 << 10;  /* of the model, for encoders alone: at 48 seeds */

    return (uint64_t)threads * (encoder + CHUNKS_A_THREAD * chunk_bytes()) + ranges;
}

enum wari_status wari_store_create(struct wari_store **result, const struct wari_host *host,
                                   int threads, struct wari_error *error)
{
    const size_t batch = (size_t)threads * CHUNKS_A_THREAD;
    const size_t pointers = (size_t)threads * sizeof(struct wari_encoder *);
    struct wari_store *store;
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof *store + pointers + batch * chunk_bytes(),
                                            "the chunk buffers", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    store = memory;
    *store = (struct wari_store){.host = host, .threads = threads, .batch = batch};
    store->encoder = (void *)(store + 1);
    memset(store->encoder, 0, pointers);
    store->bytes = (void *)((char *)store->encoder + pointers);
    store->values = (int8_t *)(store->bytes + batch);
    store->encoded = (char *)store->values + batch * WARI_CHUNK_POSITIONS;
    store->ready = (void *)(store->encoded + batch * WARI_CHUNK_BYTES_MAX);
    for (int i = 0; i < threads && status == WARI_OK; i++)
        status = wari_encoder_create(&store->encoder[i], host, error);
    if (status != WARI_OK)
        wari_store_destroy(store);
    else
        *result = store;
    return status;
}

void wari_store_destroy(struct wari_store *store)
{
    if (!store)
        return;
    for (int i = 0; i < store->threads; i++)
        wari_encoder_destroy(store->encoder[i]);
    wari_release(store->host, store);
}

enum wari_status wari_store_begin(struct wari_store *store, int seeds, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int i = 0; i < store->threads && status == WARI_OK; i++)
        status = wari_encoder_begin(store->encoder[i], seeds, error);
    return status;
}

/* Whether all threads could do their part: not if the level's values cannot be read, either. */
static enum wari_status outcome(const struct wari_level *level, struct wari_error *error)
{
    const enum wari_status status = wari_team_failure(level->team, error);

    if (status == WARI_OK && wari_level_stopped(level))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
    return status;
}

enum wari_status wari_store_survey(struct wari_store *store, const struct wari_chunks *source,
                                   uint64_t first, uint64_t count, struct wari_error *error)
{
    const uint64_t positions = wari_level_positions(source->level->layout.seeds);
    const uint64_t chunks = wari_chunk_count(positions);

#pragma omp parallel for num_threads(store->threads) schedule(dynamic) if (count > 1)
    for (uint64_t chunk = first; chunk < first + count; chunk++) {
        const int thread = omp_get_thread_num();
        int8_t *values = store->values + (size_t)thread * WARI_CHUNK_POSITIONS;
        const size_t size = wari_chunk_size(chunk, positions);
        struct wari_error failure;
        if (!wari_chunk_surveyed(chunks, chunk) || wari_level_stopped(source->level))
            continue;
        source->read(source, chunk, size, values);
        if (wari_encoder_survey(store->encoder[thread],
                                &(struct wari_chunk_values){chunk, values, size},
                                &failure) != WARI_OK)
            wari_team_fail(source->level->team, &failure);
    }
    return outcome(source->level, error);
}

void wari_store_encode_one(struct wari_store *store, const struct wari_chunks *source,
                           const struct wari_model *model, uint64_t chunk, uint64_t i)
{
    const int seeds = source->level->layout.seeds;
    int8_t *values = store->values + i * WARI_CHUNK_POSITIONS;
    const struct wari_chunk_values coded = {chunk, values,
                                            wari_chunk_size(chunk, wari_level_positions(seeds))};
    struct wari_error failure;

    source->read(source, chunk, coded.count, values);
    wari_lower_offer(source->level->lower, seeds, chunk, values);
    if (wari_chunk_encode(store->encoder[omp_get_thread_num()], model, &coded,
                          wari_store_chunk(store, i), &store->bytes[i], &failure) != WARI_OK)
        wari_team_fail(source->level->team, &failure);
}

enum wari_status wari_store_encode(struct wari_store *store, const struct wari_chunks *source,
                                   const struct wari_model *model, uint64_t first, uint64_t count,
                                   struct wari_error *error)
{
#pragma omp parallel for num_threads(store->threads) schedule(dynamic) if (count > 1)
    for (uint64_t i = 0; i < count; i++)
        wari_store_encode_one(store, source, model, first + i, i);
    return outcome(source->level, error);
}
