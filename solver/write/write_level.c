/* Writes a solved level as a file, encoding and writing at the same time.
 *
 * Threads claim chunks in order and encode each chunk into the batch, where chunk c has slot c
 * modulo the capacity. If a thread has encoded a chunk and no other thread is writing, it hashes
 * and writes all ready chunks that are next in the file. Meanwhile the other threads go on
 * encoding. So a thread has to wait only if the slot of its chunk still has a chunk that is not
 * written. The model precedes all chunks in the file, and packing the model takes as long as
 * encoding some chunks. So it is not packed in advance, but by the first thread that writes.
 * Neither the bytes of the file nor the hash depend on how chunks are distributed over threads.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state that needs no memory of its own */
#include <sched.h>
#include <xxhash.h>

#include "solver/write/batch_encoder.h"
#include "system/clock.h"

struct writing {
    struct wari_batch_encoder *batch;
    const struct wari_chunk_source *source;
    const struct wari_level *level; /* source->level */
    const struct wari_model *model;
    const char *folder;
    struct wari_level_key key;
    uint64_t positions;
    uint64_t chunks;
    _Atomic uint64_t claimed; /* number of chunks that threads have begun to encode */
    _Atomic uint64_t written; /* number of chunks in the file */

    struct { /* only the thread that has set `busy` may use these fields */
        atomic_flag busy;
        struct wari_level_writer *level; /* NULL before the file has been created */
        XXH3_state_t hash;
        double seconds;
    } file;
};

/* Returns the flag of a chunk that is set while the chunk is encoded but not yet written. */
static atomic_uchar *ready(const struct writing *writing, uint64_t chunk)
{
    return &writing->batch->ready[chunk % writing->batch->capacity];
}

static enum wari_status write_chunk(struct writing *writing, uint64_t chunk,
                                    struct wari_error *error)
{
    const struct wari_batch_encoder *batch = writing->batch;
    const uint64_t slot = chunk % batch->capacity;

    if (XXH3_64bits_update(&writing->file.hash, batch->values + slot * WARI_CHUNK_POSITIONS,
                           wari_chunk_size(chunk, writing->positions)) != XXH_OK)
        return wari_fail(error, WARI_NO_MEMORY, "cannot update a hash");
    return wari_level_writer_append(writing->file.level, wari_batch_encoder_chunk(batch, slot),
                                    batch->bytes[slot], error);
}

static void begin_file(struct writing *writing)
{
    const struct wari_level_address address = {writing->level->host, writing->folder, writing->key};
    struct wari_error error;

    if (wari_level_writer_open(&writing->file.level, &address, writing->model, false, &error) !=
        WARI_OK)
        wari_workers_fail(writing->level->workers, &error);
}

static bool next_is_ready(const struct writing *writing)
{
    const uint64_t next = atomic_load(&writing->written);

    return next < writing->chunks && atomic_load(ready(writing, next)) &&
           !wari_level_stopped(writing->level);
}

/* Writes the ready chunks in order, unless another thread is writing. No ready chunk is forgotten,
 * because each thread checks again if the next chunk is ready after it has cleared `busy`. */
static void write_ready(struct writing *writing)
{
    while (next_is_ready(writing) && !atomic_flag_test_and_set(&writing->file.busy)) {
        double start;
        if (!writing->file.level)
            begin_file(writing);
        start = wari_seconds_now();
        while (next_is_ready(writing)) {
            const uint64_t chunk = atomic_load(&writing->written);
            struct wari_error error;
            if (write_chunk(writing, chunk, &error) != WARI_OK) {
                wari_workers_fail(writing->level->workers, &error);
                break;
            }
            atomic_store(ready(writing, chunk), 0);
            atomic_store(&writing->written, chunk + 1);
        }
        writing->file.seconds += wari_seconds_now() - start;
        atomic_flag_clear(&writing->file.busy);
    }
}

/* The work of one thread. */
static void encode_and_write(struct writing *writing)
{
    while (!wari_level_stopped(writing->level)) {
        const uint64_t chunk = atomic_fetch_add(&writing->claimed, 1);
        if (chunk >= writing->chunks)
            return;
        while (chunk - atomic_load(&writing->written) >= writing->batch->capacity) {
            if (wari_level_stopped(writing->level))
                return;
            sched_yield();
        }
        wari_batch_encoder_encode_one(writing->batch, writing->source, writing->model, chunk,
                                      chunk % writing->batch->capacity);
        atomic_store(ready(writing, chunk), 1);
        write_ready(writing);
    }
}

static enum wari_status write_chunks(struct writing *writing, uint64_t *payload_hash,
                                     struct wari_error *error)
{
    struct wari_level_statistics *statistics = writing->level->progress.statistics;
    const int threads = writing->batch->threads;
    const double start = wari_seconds_now();
    enum wari_status status;

    for (uint64_t i = 0; i < writing->batch->capacity; i++)
        atomic_init(&writing->batch->ready[i], 0);
    XXH3_INITSTATE(&writing->file.hash);
    if (XXH3_64bits_reset(&writing->file.hash) != XXH_OK)
        return wari_fail(error, WARI_NO_MEMORY, "cannot begin a hash");
#pragma omp parallel num_threads(threads) if (writing->chunks > 1)
    encode_and_write(writing);
    *payload_hash = XXH3_64bits_digest(&writing->file.hash);
    writing->file.seconds /= threads;
    statistics->seconds.write += writing->file.seconds;
    statistics->seconds.encode += wari_seconds_now() - start - writing->file.seconds;
    status = wari_workers_failure(writing->level->workers, error);
    if (status == WARI_OK && atomic_load(&writing->written) < writing->chunks)
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
    return status;
}

static void read_level(const struct wari_chunk_source *source, uint64_t chunk, size_t size,
                       int8_t *values)
{
    source->level->backend->values(source->level, chunk * WARI_CHUNK_POSITIONS, size, values);
}

/* Computes the model of a level from the counts of all threads. */
static enum wari_status survey(struct wari_batch_encoder *batch,
                               const struct wari_chunk_source *source, struct wari_model **model,
                               struct wari_error *error)
{
    const int seeds = source->level->layout.seeds;
    enum wari_status status = wari_batch_encoder_begin(batch, seeds, error);

    *model = NULL;
    if (status == WARI_OK)
        status = wari_batch_encoder_survey(batch, source, 0,
                                           wari_chunk_count(wari_level_positions(seeds)), error);
    return status == WARI_OK ? wari_encoder_model(model, batch->encoder, batch->threads, error)
                             : status;
}

enum wari_status wari_write_level_file(struct wari_batch_encoder *batch, const char *folder,
                                       struct wari_variant variant, const struct wari_level *level,
                                       const struct wari_level_ready *ready,
                                       struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_level_key key = {variant, level->layout.seeds};
    const uint64_t positions = wari_level_positions(key.seeds);
    const struct wari_chunk_source source = {.level = level, .read = read_level};
    struct writing writing = {
        .batch = batch,
        .source = &source,
        .level = level,
        .folder = folder,
        .key = key,
        .positions = positions,
        .chunks = wari_chunk_count(positions),
        .file = {.busy = ATOMIC_FLAG_INIT},
    };
    struct wari_model *model;
    double start = wari_seconds_now();
    enum wari_status status = survey(batch, &source, &model, error);

    writing.model = model;
    level->progress.statistics->seconds.encode += wari_seconds_now() - start;
    if (status == WARI_OK) {
        status = write_chunks(&writing, &record->payload_hash, error);
        if (status != WARI_OK)
            wari_level_writer_abandon(writing.file.level);
    }
    wari_model_destroy(model);
    if (status != WARI_OK)
        return status;
    start = wari_seconds_now();
    status =
        wari_level_writer_place(writing.file.level, record->payload_hash, ready, record, error);
    level->progress.statistics->seconds.write += wari_seconds_now() - start;
    return status;
}
