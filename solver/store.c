/* Writes and reads whole levels. Chunks are encoded and decoded by all threads, a batch at a time;
 * the file is written in order by one, so its bytes do not depend on the number of threads. */
#include "solver/store.h"

#include <omp.h>
#include <string.h>
#include <xxhash.h>

#include "db/level_reader.h"
#include "solver/clock.h"

enum { CHUNKS_A_THREAD = 64 }; /* in a batch: enough that threads seldom wait for each other */

struct wari_store {
    const struct wari_host *host;
    int threads;
    uint64_t batch;                /* chunks */
    struct wari_encoder **encoder; /* one for each thread */
    struct wari_decoder **decoder;
    char *encoded; /* batch times wari_chunk_bound() */
    size_t *bytes; /* of each chunk in the batch */
};

uint64_t wari_store_bytes(int threads)
{
    const uint64_t context =
        2 << 20; /* an encoder with its counts, a decoder; 1.2 MiB at 24 seeds */

    return (uint64_t)threads * (context + CHUNKS_A_THREAD * (wari_chunk_bound() + sizeof(size_t)));
}

enum wari_status wari_store_create(struct wari_store **result, const struct wari_host *host,
                                   int threads, struct wari_error *error)
{
    const size_t batch = (size_t)threads * CHUNKS_A_THREAD;
    const size_t pointers = (size_t)threads * sizeof(void *);
    const size_t bytes = sizeof(struct wari_store) + 2 * pointers + batch * sizeof(size_t) +
                         batch * wari_chunk_bound();
    struct wari_store *store;
    void *memory;
    enum wari_status status = wari_allocate(host, bytes, "the chunk buffers", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    store = memory;
    memset(store, 0, bytes - batch * wari_chunk_bound());
    store->host = host;
    store->threads = threads;
    store->batch = batch;
    store->encoder = (void *)(store + 1);
    store->decoder = (void *)((char *)store->encoder + pointers);
    store->bytes = (void *)((char *)store->decoder + pointers);
    store->encoded = (char *)(store->bytes + batch);
    for (int i = 0; i < threads && status == WARI_OK; i++) {
        status = wari_encoder_create(&store->encoder[i], host, error);
        if (status == WARI_OK)
            status = wari_decoder_create(&store->decoder[i], host, error);
    }
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
    for (int i = 0; i < store->threads; i++) {
        wari_encoder_destroy(store->encoder[i]);
        wari_decoder_destroy(store->decoder[i]);
    }
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

static bool stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static enum wari_status interrupted(struct wari_error *error)
{
    return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
}

static size_t chunk_size(uint64_t chunk, uint64_t positions)
{
    const uint64_t left = positions - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

/* The model of a level, from counts that each thread makes of its share. */
static enum wari_status survey(struct wari_store *store, int seeds, const int8_t *values,
                               uint64_t positions, struct wari_model **model,
                               const atomic_bool *stop, struct wari_error *error)
{
    const uint64_t chunks = wari_chunk_count(positions);
    struct failure failure = {WARI_OK, error};

    *model = NULL;
    for (int i = 0; i < store->threads; i++) {
        const enum wari_status status = wari_encoder_begin(store->encoder[i], seeds, error);
        if (status != WARI_OK)
            return status;
    }
#pragma omp parallel for num_threads(store->threads) schedule(dynamic)
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        struct wari_error my_error;
        enum wari_status status;
        if (!wari_chunk_surveyed(chunks, chunk) || stopped(stop))
            continue;
        status = wari_encoder_survey(store->encoder[omp_get_thread_num()], chunk,
                                     values + chunk * WARI_CHUNK_POSITIONS,
                                     chunk_size(chunk, positions), &my_error);
        if (status != WARI_OK)
            note_failure(&failure, status, &my_error);
    }
    if (failure.status != WARI_OK)
        return failure.status;
    if (stopped(stop))
        return interrupted(error);
    return wari_encoder_model(model, store->encoder, store->threads, error);
}

static enum wari_status encode_batch(struct wari_store *store, const struct wari_model *model,
                                     const int8_t *values, uint64_t positions, uint64_t first,
                                     uint64_t count, struct wari_error *error)
{
    struct failure failure = {WARI_OK, error};

#pragma omp parallel for num_threads(store->threads) schedule(dynamic)
    for (uint64_t i = 0; i < count; i++) {
        struct wari_error my_error;
        const enum wari_status status = wari_chunk_encode(
            store->encoder[omp_get_thread_num()], model, first + i,
            values + (first + i) * WARI_CHUNK_POSITIONS, chunk_size(first + i, positions),
            store->encoded + i * wari_chunk_bound(), &store->bytes[i], &my_error);
        if (status != WARI_OK)
            note_failure(&failure, status, &my_error);
    }
    return failure.status;
}

static enum wari_status write_chunks(struct wari_store *store, struct wari_level_writer *writer,
                                     const struct wari_model *model, const int8_t *values,
                                     uint64_t positions, struct wari_level_measure *measure,
                                     const atomic_bool *stop, struct wari_error *error)
{
    const uint64_t chunks = wari_chunk_count(positions);
    enum wari_status status = WARI_OK;

    for (uint64_t first = 0; first < chunks && status == WARI_OK; first += store->batch) {
        const uint64_t count = chunks - first < store->batch ? chunks - first : store->batch;
        const double start = wari_seconds_now();
        double encoded;
        if (stopped(stop))
            return interrupted(error);
        status = encode_batch(store, model, values, positions, first, count, error);
        encoded = wari_seconds_now();
        for (uint64_t i = 0; i < count && status == WARI_OK; i++)
            status = wari_level_writer_append(writer, store->encoded + i * wari_chunk_bound(),
                                              store->bytes[i], error);
        measure->encode_seconds += encoded - start;
        measure->write_seconds += wari_seconds_now() - encoded;
    }
    return status;
}

enum wari_status wari_store_write(struct wari_store *store, const char *folder,
                                  struct wari_level_key key, const int8_t *values,
                                  uint64_t positions, struct wari_level_record *record,
                                  struct wari_level_measure *measure, const atomic_bool *stop,
                                  struct wari_error *error)
{
    struct wari_level_writer *writer;
    struct wari_model *model;
    enum wari_status status;
    double start = wari_seconds_now();

    record->payload_hash = XXH3_64bits(values, (size_t)positions);
    status = survey(store, key.seeds, values, positions, &model, stop, error);
    measure->encode_seconds += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = wari_level_writer_open(&writer, store->host, folder, key, model, false, error);
    if (status != WARI_OK) {
        wari_model_destroy(model);
        return status;
    }
    status = write_chunks(store, writer, model, values, positions, measure, stop, error);
    wari_model_destroy(model);
    if (status != WARI_OK) {
        wari_level_writer_abandon(writer);
        return status;
    }
    start = wari_seconds_now();
    status = wari_level_writer_finish(writer, record->payload_hash, record, error);
    measure->write_seconds += wari_seconds_now() - start;
    return status;
}

static enum wari_status read_chunks(struct wari_store *store,
                                    const struct wari_level_reader *reader, uint64_t chunks,
                                    int8_t *values, const atomic_bool *stop,
                                    struct wari_error *error)
{
    struct failure failure = {WARI_OK, error};

#pragma omp parallel for num_threads(store->threads) schedule(dynamic)
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        struct wari_error my_error;
        enum wari_status status;
        if (stopped(stop))
            continue;
        status = wari_level_reader_chunk(reader, store->decoder[omp_get_thread_num()], chunk,
                                         values + chunk * WARI_CHUNK_POSITIONS, &my_error);
        if (status != WARI_OK)
            note_failure(&failure, status, &my_error);
    }
    if (failure.status == WARI_OK && stopped(stop))
        return interrupted(error);
    return failure.status;
}

enum wari_status wari_store_read(struct wari_store *store, const char *folder,
                                 struct wari_level_key key, const struct wari_level_record *record,
                                 int8_t **values, const atomic_bool *stop, struct wari_error *error)
{
    const uint64_t positions = wari_level_positions(key.seeds);
    struct wari_level_reader *reader;
    void *memory = NULL;
    enum wari_status status =
        wari_level_reader_open(&reader, store->host, folder, key, record, error);

    if (status != WARI_OK)
        return status;
    status = wari_allocate(store->host, (size_t)positions, "a level read back", &memory, error);
    if (status == WARI_OK)
        status = read_chunks(store, reader, wari_chunk_count(positions), memory, stop, error);
    if (status == WARI_OK && XXH3_64bits(memory, (size_t)positions) != record->payload_hash)
        status = wari_fail(error, WARI_CORRUPT,
                           "the values of level %d in %s do not have the hash that the catalogue "
                           "gives; remove the level's file and catalogue and build again",
                           key.seeds, folder);
    wari_level_reader_close(reader);
    if (status != WARI_OK) {
        wari_release(store->host, memory);
        return status;
    }
    *values = memory;
    return WARI_OK;
}
