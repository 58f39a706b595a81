/* Reads chunks of level files. One thread decodes a chunk into a buffer of its own and copies
 * the required part from there. db/ checks the hash of each chunk. These hashes are in the
 * offset table, whose hash is in the header, whose hash is in the catalogue. The level reader
 * checks the whole table each time that it opens a file. So if a file changes during the proof, the
 * change is noticed when the file is next opened. */
#include "verify/verify_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include <xxhash.h>

#include "system/spin.h"
#include "verify/verify_pass.h"

enum { HASH_BATCH = 1 << 16 }; /* values hashed at a time */

/* Receives `count` values, the first of which has the number `first`. */
typedef void chunk_consumer(void *context, uint64_t first, const int8_t *values, size_t count);

struct job {
    struct wari_verify_proof *proof;
    const struct wari_level_reader *reader;
    int seeds;
    uint64_t from, to; /* range of chunks: `from` to `to` - 1 */
    chunk_consumer *take;
    void *context;
    _Atomic uint64_t next; /* chunk to read next */
    atomic_bool ended;
    atomic_flag lock;        /* protects `status` and `error` */
    enum wari_status status; /* status of the first failure */
    struct wari_error error;
};

static void fail_job(struct job *job, enum wari_status status, const struct wari_error *error)
{
    wari_spin_lock(&job->lock);
    if (job->status == WARI_OK) {
        job->status = status;
        job->error = *error;
    }
    wari_spin_unlock(&job->lock);
    atomic_store(&job->ended, true);
}

static void read_chunk(struct job *job, int thread, uint64_t chunk)
{
    const uint64_t positions = wari_level_positions(job->seeds);
    int8_t values[WARI_CHUNK_POSITIONS];
    struct wari_error error;
    enum wari_status status;

    if (wari_verify_stopped(job->proof->verify))
        status = wari_fail(&error, WARI_INTERRUPTED, "stopped while reading level %d", job->seeds);
    else
        status = wari_level_reader_chunk(job->reader, job->proof->decoders[thread], chunk, values,
                                         &error);
    if (status == WARI_OK)
        job->take(job->context, chunk * WARI_CHUNK_POSITIONS, values,
                  wari_chunk_size(chunk, positions));
    else
        fail_job(job, status, &error);
}

static void read_next_chunks(int thread, void *context)
{
    struct job *job = context;
    uint64_t chunk;

    while (!atomic_load_explicit(&job->ended, memory_order_relaxed) &&
           (chunk = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->to)
        read_chunk(job, thread, chunk);
}

static enum wari_status read_chunks(struct job *job)
{
    atomic_init(&job->next, job->from);
    wari_verify_run(job->proof, job->to - job->from, read_next_chunks, job);
    if (job->status != WARI_OK && job->proof->error)
        *job->proof->error = job->error;
    return job->status;
}

enum wari_status wari_verify_open(struct wari_verify_proof *proof, int seeds,
                                  struct wari_level_reader **reader)
{
    const struct wari_level_address address = {
        proof->host, proof->verify->folder, {proof->verify->variant, seeds}};
    return wari_level_reader_open(reader, &address, &proof->catalogue.level[seeds], proof->error);
}

/* ---- The current level ---- */

/* Writes with plain stores, which the compiler can combine into vectors: no other thread uses these
 * cells before all cells are written. */
static void store_cells(void *context, uint64_t first, const int8_t *values, size_t count)
{
    uint8_t *codes = (uint8_t *)context + first;
    for (size_t i = 0; i < count; i++)
        codes[i] = wari_verify_code(values[i]);
}

/* Returns the XXH3 hash of the values. The cells must be unmarked, and no other thread may use
 * them. The result is undefined if the stop flag was set. */
static uint64_t hash_cells(const struct wari_verify_level *level)
{
    const uint64_t positions = wari_level_positions(level->layout.seeds);
    const uint8_t *codes = (const uint8_t *)(const void *)level->cells;
    int8_t values[HASH_BATCH];
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (uint64_t first = 0; first < positions && !wari_verify_stopped(level->proof->verify);
         first += HASH_BATCH) {
        const size_t count =
            positions - first < HASH_BATCH ? (size_t)(positions - first) : HASH_BATCH;
        for (size_t i = 0; i < count; i++)
            values[i] = (int8_t)wari_verify_value(codes[first + i]);
        XXH3_64bits_update(&state, values, count);
    }
    return XXH3_64bits_digest(&state);
}

enum wari_status wari_verify_read_level(struct wari_verify_level *level, char *text, size_t size)
{
    const int seeds = level->layout.seeds;
    const uint64_t listed = level->proof->catalogue.level[seeds].payload_hash;
    struct wari_level_reader *reader;
    enum wari_status status = wari_verify_open(level->proof, seeds, &reader);
    if (status != WARI_OK)
        return status;

    wari_verify_progress(level->proof->verify, seeds, "reading", 0);
    struct job job = {.proof = level->proof,
                      .lock = ATOMIC_FLAG_INIT,
                      .reader = reader,
                      .seeds = seeds,
                      .to = wari_chunk_count(wari_level_positions(seeds)),
                      .take = store_cells,
                      .context = (void *)level->cells};
    status = read_chunks(&job);
    const uint64_t in_file = wari_level_reader_payload_hash(reader);
    wari_level_reader_close(reader);
    if (status != WARI_OK)
        return status;
    const uint64_t found = hash_cells(level);
    if (wari_verify_stopped(level->proof->verify))
        return wari_verify_interrupted(seeds, level->proof->error);
    if (found != in_file || found != listed)
        snprintf(text, size,
                 "level %d: the hash of the values is %016" PRIx64 ", but the file says %016" PRIx64
                 ", and the catalogue %016" PRIx64,
                 seeds, found, in_file, listed);
    return WARI_OK;
}

/* ---- Lower levels ---- */

struct range {
    uint64_t first, end;
    int8_t *values;
};

static void store_range(void *context, uint64_t first, const int8_t *values, size_t count)
{
    const struct range *range = context;
    const uint64_t from = first > range->first ? first : range->first;
    const uint64_t to = first + count < range->end ? first + count : range->end;
    memcpy(range->values + (from - range->first), values + (from - first), (size_t)(to - from));
}

enum wari_status wari_verify_read_lower(struct wari_verify_proof *proof,
                                        const struct wari_level_reader *reader, int seeds,
                                        uint64_t first, uint64_t count, int8_t *values)
{
    struct range range = {first, first + count, values};
    struct job job = {.proof = proof,
                      .lock = ATOMIC_FLAG_INIT,
                      .reader = reader,
                      .seeds = seeds,
                      .from = first / WARI_CHUNK_POSITIONS,
                      .to = wari_chunk_count(first + count),
                      .take = store_range,
                      .context = &range};
    atomic_fetch_add(&proof->chunks_read, job.to - job.from);
    return read_chunks(&job);
}
