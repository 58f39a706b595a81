/* Writes solved levels. All threads take values out of the level and encode them, a batch of chunks
 * at a time; one thread hashes and writes them in order, so neither the file's bytes nor the hash
 * depend on the number of threads. */
#define XXH_STATIC_LINKING_ONLY /* for a hash state that needs no memory of its own */
#include "solver/store.h"

#include <omp.h>
#include <string.h>
#include <xxhash.h>

#include "solver/clock.h"

enum { CHUNKS_A_THREAD = 64 }; /* in a batch: enough that threads seldom wait for each other */

struct wari_store {
    const struct wari_host *host;
    int threads;
    uint64_t batch;                /* chunks */
    struct wari_encoder **encoder; /* one for each thread */
    int8_t *values;                /* of the batch */
    char *encoded;                 /* batch times wari_chunk_bound() */
    size_t *bytes;                 /* of each chunk in the batch */
};

static size_t chunk_bytes(void)
{
    return WARI_CHUNK_POSITIONS + wari_chunk_bound() + sizeof(size_t);
}

uint64_t wari_store_bytes(int threads)
{
    const uint64_t encoder = 640 << 10; /* with its counts: 0.37 MB at 24 seeds, 0.54 at 48 */

    return (uint64_t)threads * (encoder + CHUNKS_A_THREAD * chunk_bytes());
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

/* What the first failing thread of a parallel loop met. */
struct failure {
    enum wari_status status;
    struct wari_error *error;
};

static void note_failure(struct failure *failure, enum wari_status status,
                         const struct wari_error *error)
{
#pragma omp critical(wari_store_failure)
    if (failure->status == WARI_OK) {
        failure->status = status;
        if (failure->error)
            *failure->error = *error;
    }
}

static size_t chunk_size(uint64_t chunk, uint64_t positions)
{
    const uint64_t left = positions - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

uint64_t wari_store_batch(const struct wari_store *store)
{
    return store->batch;
}

uint32_t *wari_store_counts(struct wari_store *store, size_t *count)
{
    return wari_encoder_counts(store->encoder, store->threads, count);
}

const void *wari_store_chunk(const struct wari_store *store, uint64_t i, size_t *bytes)
{
    *bytes = store->bytes[i];
    return store->encoded + i * wari_chunk_bound();
}

enum wari_status wari_store_begin(struct wari_store *store, int seeds, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int i = 0; i < store->threads && status == WARI_OK; i++)
        status = wari_encoder_begin(store->encoder[i], seeds, error);
    return status;
}

enum wari_status wari_store_survey(struct wari_store *store, const struct wari_chunks *source,
                                   uint64_t first, uint64_t count, struct wari_error *error)
{
    const uint64_t positions = wari_level_positions(source->level->layout.seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    struct failure failure = {WARI_OK, error};

#pragma omp parallel for num_threads(store->threads) schedule(dynamic) if (count > 1)
    for (uint64_t chunk = first; chunk < first + count; chunk++) {
        const int thread = omp_get_thread_num();
        int8_t *values = store->values + (size_t)thread * WARI_CHUNK_POSITIONS;
        const size_t size = chunk_size(chunk, positions);
        struct wari_error my_error;
        enum wari_status status;
        if (!wari_chunk_surveyed(chunks, chunk) || wari_level_stopped(source->level))
            continue;
        source->read(source, chunk, size, values);
        status = wari_encoder_survey(store->encoder[thread], chunk, values, size, &my_error);
        if (status != WARI_OK)
            note_failure(&failure, status, &my_error);
    }
    if (failure.status == WARI_OK) /* a streamed level may not be readable */
        failure.status = wari_team_failure(source->level->team, error);
    if (failure.status == WARI_OK && wari_level_stopped(source->level))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
    return failure.status;
}

enum wari_status wari_store_model(struct wari_store *store, struct wari_model **model,
                                  struct wari_error *error)
{
    return wari_encoder_model(model, store->encoder, store->threads, error);
}

enum wari_status wari_store_encode(struct wari_store *store, const struct wari_chunks *source,
                                   const struct wari_model *model, uint64_t first, uint64_t count,
                                   struct wari_error *error)
{
    const struct wari_level *level = source->level;
    const int seeds = level->layout.seeds;
    const uint64_t positions = wari_level_positions(seeds);
    struct failure failure = {WARI_OK, error};

#pragma omp parallel for num_threads(store->threads) schedule(dynamic) if (count > 1)
    for (uint64_t i = 0; i < count; i++) {
        int8_t *values = store->values + i * WARI_CHUNK_POSITIONS;
        const size_t size = chunk_size(first + i, positions);
        struct wari_error my_error;
        source->read(source, first + i, size, values);
        wari_lower_offer(level->lower, seeds, first + i, values);
        const enum wari_status status =
            wari_chunk_encode(store->encoder[omp_get_thread_num()], model, first + i, values, size,
                              store->encoded + i * wari_chunk_bound(), &store->bytes[i], &my_error);
        if (status != WARI_OK)
            note_failure(&failure, status, &my_error);
    }
    if (failure.status == WARI_OK)
        failure.status = wari_team_failure(level->team, error);
    /* a streamed level hands out no values any more */
    if (failure.status == WARI_OK && level->stream && wari_level_stopped(level))
        failure.status = wari_fail(error, WARI_INTERRUPTED, "stopped on request");
    return failure.status;
}

/* ---- A whole level, in memory -----------------------------------------------------------------
 */

static void read_level(const struct wari_chunks *source, uint64_t chunk, size_t size,
                       int8_t *values)
{
    wari_level_values(source->level, chunk * WARI_CHUNK_POSITIONS, size, values);
}

/* The model of a level, from counts that each thread makes of its share. */
static enum wari_status survey(struct wari_store *store, const struct wari_chunks *source,
                               struct wari_model **model, struct wari_error *error)
{
    const int seeds = source->level->layout.seeds;
    enum wari_status status = wari_store_begin(store, seeds, error);

    *model = NULL;
    if (status == WARI_OK)
        status = wari_store_survey(store, source, 0, wari_chunk_count(wari_level_positions(seeds)),
                                   error);
    return status == WARI_OK ? wari_store_model(store, model, error) : status;
}

static enum wari_status write_chunks(struct wari_store *store, struct wari_level_writer *writer,
                                     const struct wari_chunks *source,
                                     const struct wari_model *model, uint64_t *payload_hash,
                                     struct wari_error *error)
{
    const struct wari_level *level = source->level;
    const uint64_t positions = wari_level_positions(level->layout.seeds);
    const uint64_t chunks = wari_chunk_count(positions);
    enum wari_status status = WARI_OK;
    XXH3_state_t hash;

    XXH3_INITSTATE(&hash);
    if (XXH3_64bits_reset(&hash) != XXH_OK)
        return wari_fail(error, WARI_NO_MEMORY, "cannot begin a hash");
    for (uint64_t first = 0; first < chunks && status == WARI_OK; first += store->batch) {
        const uint64_t count = chunks - first < store->batch ? chunks - first : store->batch;
        const uint64_t left = positions - first * WARI_CHUNK_POSITIONS;
        const uint64_t batch = count * WARI_CHUNK_POSITIONS;
        const double start = wari_seconds_now();
        double encoded;
        if (wari_level_stopped(level))
            return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
        status = wari_store_encode(store, source, model, first, count, error);
        encoded = wari_seconds_now();
        if (status == WARI_OK &&
            XXH3_64bits_update(&hash, store->values, (size_t)(left < batch ? left : batch)) !=
                XXH_OK)
            status = wari_fail(error, WARI_NO_MEMORY, "cannot go on with a hash");
        for (uint64_t i = 0; i < count && status == WARI_OK; i++)
            status = wari_level_writer_append(writer, store->encoded + i * wari_chunk_bound(),
                                              store->bytes[i], error);
        level->measure->encode_seconds += encoded - start;
        level->measure->write_seconds += wari_seconds_now() - encoded;
    }
    *payload_hash = XXH3_64bits_digest(&hash);
    return status;
}

enum wari_status wari_store_write(struct wari_store *store, const char *folder,
                                  struct wari_variant variant, const struct wari_level *level,
                                  struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_level_key key = {variant, level->layout.seeds};
    const struct wari_chunks source = {.level = level, .read = read_level};
    struct wari_level_writer *writer;
    struct wari_model *model;
    double start = wari_seconds_now();
    enum wari_status status = survey(store, &source, &model, error);

    level->measure->encode_seconds += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = wari_level_writer_open(&writer, store->host, folder, key, model, false, error);
    if (status == WARI_OK) {
        status = write_chunks(store, writer, &source, model, &record->payload_hash, error);
        if (status != WARI_OK)
            wari_level_writer_abandon(writer);
    }
    wari_model_destroy(model);
    if (status != WARI_OK)
        return status;
    start = wari_seconds_now();
    status = wari_level_writer_finish(writer, record->payload_hash, record, error);
    level->measure->write_seconds += wari_seconds_now() - start;
    return status;
}
