/* A chunk is decoded by one thread into room of its own and copied from there, clipped to what is
 * wanted. Each is checked against its hash by db/, and the offset table with these hashes hangs, by
 * way of the header, on the catalogue: a file that was changed meanwhile is noticed.
 */
#include "verify/verify_read.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

#include "verify/verify_pass.h"

enum { HASHED = 1 << 16 }; /* values at a time */

/* Takes values from number `first` on. */
typedef void taker(void *context, uint64_t first, const int8_t *values, size_t count);

struct reading {
    struct wari_verify_run *run;
    const struct wari_level_reader *reader;
    int seeds;
    uint64_t from, to; /* chunks */
    taker *take;
    void *context;
    atomic_bool ended;
    enum wari_status status; /* the first failure; guarded by the critical section */
    struct wari_error error; /* likewise */
};

static void fail_reading(struct reading *reading, enum wari_status status,
                         const struct wari_error *error)
{
#pragma omp critical(wari_verify_reading)
    {
        if (reading->status == WARI_OK) {
            reading->status = status;
            reading->error = *error;
        }
    }
    atomic_store(&reading->ended, true);
}

static void read_chunk(struct reading *reading, uint64_t chunk)
{
    const uint64_t positions = wari_level_positions(reading->seeds);
    int8_t values[WARI_CHUNK_POSITIONS];
    struct wari_error error;
    enum wari_status status;

    if (atomic_load_explicit(&reading->ended, memory_order_relaxed))
        return;
    if (wari_verify_stopped(reading->run->verify))
        status =
            wari_fail(&error, WARI_INTERRUPTED, "stopped while reading level %d", reading->seeds);
    else
        status = wari_level_reader_chunk(
            reading->reader, reading->run->decoders[omp_get_thread_num()], chunk, values, &error);
    if (status == WARI_OK)
        reading->take(reading->context, chunk * WARI_CHUNK_POSITIONS, values,
                      wari_chunk_size(chunk, positions));
    else
        fail_reading(reading, status, &error);
}

static enum wari_status read_chunks(struct reading *reading)
{
    const uint64_t chunks = reading->to - reading->from;
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(wari_verify_team(reading->run->threads, chunks))
    for (uint64_t chunk = reading->from; chunk < reading->to; chunk++)
        read_chunk(reading, chunk);
    if (reading->status != WARI_OK && reading->run->error)
        *reading->run->error = reading->error;
    return reading->status;
}

enum wari_status wari_verify_open(struct wari_verify_run *run, int seeds,
                                  struct wari_level_reader **reader)
{
    const struct wari_level_address address = {
        run->host, run->verify->folder, {run->verify->variant, seeds}};
    return wari_level_reader_open(reader, &address, &run->catalogue.level[seeds], run->error);
}

/* ---- The level at hand ---- */

static void take_cells(void *context, uint64_t first, const int8_t *values, size_t count)
{
    wari_verify_cell *cells = (wari_verify_cell *)context + first;
    for (size_t i = 0; i < count; i++)
        wari_verify_write(&cells[i], wari_verify_code(values[i]));
}

/* XXH3 of the values; the cells must not be marked. Anything if it was told to stop. */
static uint64_t hash_cells(const struct wari_verify_level *level)
{
    const uint64_t positions = wari_level_positions(level->layout.seeds);
    int8_t values[HASHED];
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (uint64_t first = 0; first < positions && !wari_verify_stopped(level->run->verify);
         first += HASHED) {
        const size_t count = positions - first < HASHED ? (size_t)(positions - first) : HASHED;
        for (size_t i = 0; i < count; i++)
            values[i] = (int8_t)wari_verify_value(wari_verify_read(&level->cells[first + i]));
        XXH3_64bits_update(&state, values, count);
    }
    return XXH3_64bits_digest(&state);
}

enum wari_status wari_verify_read_level(struct wari_verify_level *level, char *text, size_t size)
{
    const int seeds = level->layout.seeds;
    const uint64_t listed = level->run->catalogue.level[seeds].payload_hash;
    struct wari_level_reader *reader;
    enum wari_status status = wari_verify_open(level->run, seeds, &reader);
    if (status != WARI_OK)
        return status;

    wari_verify_progress(level->run->verify, seeds, "reading", 0);
    struct reading reading = {.run = level->run,
                              .reader = reader,
                              .seeds = seeds,
                              .to = wari_chunk_count(wari_level_positions(seeds)),
                              .take = take_cells,
                              .context = (void *)level->cells};
    status = read_chunks(&reading);
    const uint64_t in_file = wari_level_reader_payload_hash(reader);
    wari_level_reader_close(reader);
    if (status != WARI_OK)
        return status;
    const uint64_t found = hash_cells(level);
    if (wari_verify_stopped(level->run->verify))
        return wari_verify_interrupted(seeds, level->run->error);
    if (found != in_file || found != listed)
        snprintf(text, size,
                 "level %d: the hash of the values is %016" PRIx64 ", in the file %016" PRIx64
                 ", in the catalogue %016" PRIx64,
                 seeds, found, in_file, listed);
    return WARI_OK;
}

/* ---- Levels below ---- */

struct wanted {
    uint64_t first, end;
    int8_t *values;
};

static void take_wanted(void *context, uint64_t first, const int8_t *values, size_t count)
{
    const struct wanted *wanted = context;
    const uint64_t from = first > wanted->first ? first : wanted->first;
    const uint64_t to = first + count < wanted->end ? first + count : wanted->end;
    memcpy(wanted->values + (from - wanted->first), values + (from - first), (size_t)(to - from));
}

enum wari_status wari_verify_read_below(struct wari_verify_run *run,
                                        const struct wari_level_reader *reader, int seeds,
                                        uint64_t first, uint64_t count, int8_t *values)
{
    struct wanted wanted = {first, first + count, values};
    struct reading reading = {.run = run,
                              .reader = reader,
                              .seeds = seeds,
                              .from = first / WARI_CHUNK_POSITIONS,
                              .to = wari_chunk_count(first + count),
                              .take = take_wanted,
                              .context = &wanted};
    atomic_fetch_add(&run->chunks_read, reading.to - reading.from);
    return read_chunks(&reading);
}
