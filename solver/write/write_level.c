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
#include <string.h>
#include <xxhash.h>

#include "solver/write/batch_encoder.h"
#include "system/clock.h"

/* The states of a slot of the batch. */
enum slot_state {
    SLOT_FREE,
    SLOT_ENCODED,
    SLOT_ZERO /* a chunk of zeros, encoded; its values are not in the batch */
};

struct writing {
    struct wari_batch_encoder *batch;
    const struct wari_chunk_source *source;
    const struct wari_write_options *options;
    const struct wari_level *level; /* source->level */
    const struct wari_model *model;
    const char *folder;
    struct wari_level_key key;
    uint64_t positions;
    uint64_t chunks;
    uint64_t stored;          /* number of chunks in the complete file; less than `chunks` if it is
                               * packed */
    uint32_t group;           /* number of chunks that a thread claims at once */
    _Atomic uint64_t claimed; /* number of groups that threads have begun to encode */
    _Atomic uint64_t written; /* number of chunks that are in the file or left out of it */
    uint8_t *zero;            /* a full chunk of zeros, encoded; NULL if nothing is known about
                               * zeros */
    size_t zero_bytes;

    struct { /* only the thread that has set `busy` may use these fields */
        atomic_flag busy;
        struct wari_level_writer *level; /* NULL before the file has been created */
        XXH3_state_t hash;
        double seconds;
        bool failed; /* a chunk could not be written, so `hash` is no longer that of the file */
    } file;
};

/* Returns the state of a chunk's slot. */
static atomic_uchar *ready(const struct writing *writing, uint64_t chunk)
{
    return &writing->batch->ready[chunk % writing->batch->capacity];
}

static struct wari_written state_after(const struct writing *writing, uint64_t chunks)
{
    return (struct wari_written){
        .writer = writing->file.level, .chunks = chunks, .hash = &writing->file.hash};
}

static enum wari_status write_chunk(struct writing *writing, uint64_t chunk,
                                    struct wari_error *error)
{
    const struct wari_batch_encoder *batch = writing->batch;
    const uint64_t slot = chunk % batch->capacity;
    const bool zero = atomic_load(ready(writing, chunk)) == SLOT_ZERO;
    struct wari_written written = state_after(writing, chunk + 1);
    enum wari_status status = WARI_OK;

    written.values = zero ? NULL : batch->values + slot * WARI_CHUNK_POSITIONS;
    written.count = wari_chunk_size(chunk, writing->positions);
    if (!zero && XXH3_64bits_update(&writing->file.hash, written.values, written.count) != XXH_OK)
        return wari_fail(error, WARI_NO_MEMORY, "cannot update a hash");
    if (chunk < writing->stored)
        status = wari_level_writer_append(
            writing->file.level, wari_batch_encoder_chunk(batch, slot), batch->bytes[slot], error);
    if (status == WARI_OK && writing->options->written)
        status = writing->options->written(writing->options->context, &written, error);
    return status;
}

static void begin_file(struct writing *writing)
{
    const struct wari_level_address address = {writing->level->host, writing->folder, writing->key};
    struct wari_error error;

    if (wari_level_writer_open(&writing->file.level, &address, writing->model,
                               writing->options->packed, &error) != WARI_OK)
        wari_workers_fail(writing->level->workers, &error);
}

static bool next_is_ready(const struct writing *writing)
{
    const uint64_t next = atomic_load(&writing->written);

    return next < writing->chunks && atomic_load(ready(writing, next)) &&
           !wari_level_stopped(writing->level);
}

/* Writes the ready chunks in order, unless another thread is writing. After a thread has cleared
 * `busy`, it checks again for a ready chunk, so no ready chunk is forgotten. */
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
                writing->file.failed = true;
                wari_workers_fail(writing->level->workers, &error);
                break;
            }
            atomic_store(ready(writing, chunk), SLOT_FREE);
            atomic_store(&writing->written, chunk + 1);
        }
        writing->file.seconds += wari_seconds_now() - start;
        atomic_flag_clear(&writing->file.busy);
    }
}

/* Encodes a chunk whose values were read, or are known to be zero, and marks it as ready. A chunk
 * that is left out of the file is marked as ready without being encoded, because its values still
 * have to be hashed. */
static void encode_chunk(struct writing *writing, uint64_t chunk, bool zero)
{
    struct wari_batch_encoder *batch = writing->batch;
    const uint64_t slot = chunk % batch->capacity;
    const uint64_t in_file = wari_source_positions(writing->source);
    const bool full = (chunk + 1) * WARI_CHUNK_POSITIONS <= in_file;

    if (!zero && writing->level->lower_cache)
        wari_lower_cache_offer(writing->level->lower_cache, writing->key.seeds, chunk,
                               batch->values + slot * WARI_CHUNK_POSITIONS);
    if (chunk < writing->stored && zero && full) {
        memcpy(wari_batch_encoder_chunk(batch, slot), writing->zero, writing->zero_bytes);
        batch->bytes[slot] = writing->zero_bytes;
    } else if (chunk < writing->stored) {
        if (zero)
            memset(batch->values + slot * WARI_CHUNK_POSITIONS, 0, WARI_CHUNK_POSITIONS);
        wari_batch_encoder_encode_values(batch, writing->source, writing->model, chunk, slot);
    }
    atomic_store(ready(writing, chunk), zero ? SLOT_ZERO : SLOT_ENCODED);
    write_ready(writing);
}

/* Waits until the slots of all chunks before `end` are free. Returns false after a stop. */
static bool wait_for_slots(const struct writing *writing, uint64_t end)
{
    while (end - atomic_load(&writing->written) > writing->batch->capacity) {
        if (wari_level_stopped(writing->level))
            return false;
        sched_yield();
    }
    return true;
}

/* Reads and encodes the chunks `first` to `end` - 1, whose slots are adjacent. */
static void encode_group(struct writing *writing, uint64_t first, uint64_t end)
{
    const struct wari_write_options *options = writing->options;
    const uint64_t position = first * WARI_CHUNK_POSITIONS;
    const uint64_t left = writing->positions - position;
    const uint64_t all = (end - first) * WARI_CHUNK_POSITIONS, count = left < all ? left : all;
    const bool zero = writing->zero && options->are_zero(options->context, position, count);

    if (!zero)
        writing->source->read(writing->source, first, (size_t)count,
                              writing->batch->values +
                                  first % writing->batch->capacity * WARI_CHUNK_POSITIONS);
    for (uint64_t chunk = first; chunk < end && !wari_level_stopped(writing->level); chunk++)
        encode_chunk(writing, chunk, zero);
}

/* The work of one thread. */
static void encode_and_write(struct writing *writing)
{
    const uint64_t resumed = writing->options->resumed ? writing->options->resumed->chunks : 0;

    while (!wari_level_stopped(writing->level)) {
        uint64_t first = atomic_fetch_add(&writing->claimed, 1) * writing->group;
        const uint64_t rest = writing->chunks - (first < writing->chunks ? first : writing->chunks);
        const uint64_t end = first + (rest < writing->group ? rest : writing->group);
        if (first < resumed)
            first = resumed;
        if (rest == 0 || !wait_for_slots(writing, end))
            return;
        if (first < end)
            encode_group(writing, first, end);
    }
}

/* Encodes a full chunk of zeros. If the model has the same frequencies in all contexts, as the
 * model of a level of zeros has, all full chunks of zeros have the same bytes. */
static enum wari_status encode_zeros(struct writing *writing, struct wari_error *error)
{
    struct wari_batch_encoder *batch = writing->batch;
    const uint64_t full = wari_source_positions(writing->source) / WARI_CHUNK_POSITIONS;
    const uint64_t samples[] = {0, full / 3, full / 2, full - 1};
    size_t bytes = 0;

    if (!writing->options->are_zero || full == 0)
        return WARI_OK;
    memset(batch->values, 0, WARI_CHUNK_POSITIONS);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct wari_chunk_values values = {samples[i], batch->values, WARI_CHUNK_POSITIONS};
        const enum wari_status status =
            wari_chunk_encode(batch->encoder[0], writing->model, &values,
                              wari_batch_encoder_chunk(batch, 1), &bytes, error);
        if (status != WARI_OK)
            return status;
        if (i == 0)
            memcpy(writing->zero, wari_batch_encoder_chunk(batch, 1), bytes);
        else if (bytes != writing->zero_bytes ||
                 memcmp(writing->zero, wari_batch_encoder_chunk(batch, 1), bytes) != 0)
            return wari_fail(error, WARI_BAD_INPUT, "chunks of zeros are encoded differently");
        writing->zero_bytes = bytes;
    }
    return WARI_OK;
}

/* Begins the hash of all values, or restores the state to resume from. After that, the state may be
 * saved at any time: a stop request can also come during the survey. */
static enum wari_status begin_or_resume(struct writing *writing, struct wari_error *error)
{
    const struct wari_written *resumed = writing->options->resumed;

    XXH3_INITSTATE(&writing->file.hash);
    if (XXH3_64bits_reset(&writing->file.hash) != XXH_OK)
        return wari_fail(error, WARI_NO_MEMORY, "cannot begin a hash");
    if (!resumed)
        return WARI_OK;
    XXH3_copyState(&writing->file.hash, resumed->hash);
    writing->file.level = resumed->writer;
    atomic_store(&writing->written, resumed->chunks);
    atomic_store(&writing->claimed, resumed->chunks / writing->group);
    return WARI_OK;
}

static enum wari_status write_chunks(struct writing *writing, uint64_t *payload_hash,
                                     struct wari_error *error)
{
    struct wari_level_statistics *statistics = writing->level->progress.statistics;
    const int threads = writing->batch->threads;
    const double start = wari_seconds_now();
    enum wari_status status;

    for (uint64_t i = 0; i < writing->batch->capacity; i++)
        atomic_init(&writing->batch->ready[i], SLOT_FREE);
    status = encode_zeros(writing, error);
    if (status != WARI_OK)
        return status;
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

static void read_zeros(const struct wari_chunk_source *source, uint64_t chunk, size_t size,
                       int8_t *values)
{
    (void)source;
    (void)chunk;
    memset(values, 0, size);
}

/* Computes the model of a level from the counts of all threads. */
static enum wari_status survey(struct wari_batch_encoder *batch,
                               const struct wari_chunk_source *source, struct wari_model **model,
                               struct wari_error *error)
{
    enum wari_status status = wari_batch_encoder_begin(batch, source->level->layout.seeds, error);

    *model = NULL;
    if (status == WARI_OK)
        status = wari_batch_encoder_survey(batch, source, 0,
                                           wari_chunk_count(wari_source_positions(source)), error);
    return status == WARI_OK ? wari_encoder_model(model, batch->encoder, batch->threads, error)
                             : status;
}

/* Ends the writing of chunks with `status`, which is not WARI_OK. */
static void abandon(const struct writing *writing, enum wari_status status)
{
    const struct wari_write_options *options = writing->options;
    const struct wari_written written = state_after(writing, atomic_load(&writing->written));
    const bool may_continue = status == WARI_INTERRUPTED || status == WARI_IO;

    if (may_continue && options->stopped && writing->file.level &&
        options->stopped(options->context, writing->file.failed ? NULL : &written))
        wari_level_writer_close(writing->file.level);
    else
        wari_level_writer_abandon(writing->file.level);
}

enum wari_status wari_write_level_with(struct wari_batch_encoder *batch, const char *folder,
                                       struct wari_variant variant, const struct wari_level *level,
                                       const struct wari_write_options *options,
                                       const struct wari_level_ready *ready,
                                       struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_level_key key = {variant, level->layout.seeds};
    const uint64_t positions = wari_level_positions(key.seeds);
    const struct wari_chunk_source source = {
        .level = level, .packed = options->packed, .read = read_level};
    const struct wari_chunk_source zeros = {
        .level = level, .packed = options->packed, .read = read_zeros};
    uint8_t zero[WARI_CHUNK_BYTES_MAX];
    struct writing writing = {
        .batch = batch,
        .source = &source,
        .options = options,
        .level = level,
        .folder = folder,
        .key = key,
        .positions = positions,
        .chunks = wari_chunk_count(positions),
        .stored = wari_chunk_count(wari_source_positions(&source)),
        .group = options->group ? options->group : 1,
        .zero = options->are_zero ? zero : NULL,
        .file = {.busy = ATOMIC_FLAG_INIT},
    };
    struct wari_model *model = NULL;
    double start = wari_seconds_now();
    enum wari_status status = begin_or_resume(&writing, error);

    if (status == WARI_OK)
        status = survey(batch, options->are_zero ? &zeros : &source, &model, error);
    writing.model = model;
    level->progress.statistics->seconds.encode += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = write_chunks(&writing, &record->payload_hash, error);
    if (status != WARI_OK)
        abandon(&writing, status);
    wari_model_destroy(model);
    if (status != WARI_OK)
        return status;
    start = wari_seconds_now();
    status =
        wari_level_writer_place(writing.file.level, record->payload_hash, ready, record, error);
    level->progress.statistics->seconds.write += wari_seconds_now() - start;
    return status;
}

enum wari_status wari_write_level_file(struct wari_batch_encoder *batch, const char *folder,
                                       struct wari_variant variant, const struct wari_level *level,
                                       const struct wari_level_ready *ready,
                                       struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_write_options options = {0};

    return wari_write_level_with(batch, folder, variant, level, &options, ready, record, error);
}
