/* Packs a database.
 *
 * The catalogue contains the hash of each level's file, but the two cannot be replaced at the
 * same moment. Therefore the catalogue is first changed to allow both the old and the new file;
 * then the new file gets its name; then the catalogue is changed to allow only the new file. A
 * reader that opens the folder in between finds one of the two files, and both have the same
 * values.
 *
 * Lower levels are packed first, so that the proof of a level (pack_proof.c) reads all lower
 * levels from packed files, as later readers will. Compared with the proof, reading and writing
 * a level take little time. */
#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include "db/maintain/pack.h"

#include <string.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "db/catalogue/variants.h"
#include "db/format/level_writer.h"
#include "db/maintain/pack_proof.h"
#include "db/probe/handle.h"

static const size_t default_memory = (size_t)256 << 20;

enum {
    HASHED_VALUES = 4096, /* number of values that are hashed at a time */
    CHUNK_OVERHEAD = 128, /* bytes of bookkeeping for each chunk of a cache, including a share of
                           * the cache's own struct */
    /* Proving a value takes this many times as long as reading or writing it. */
    PROOF_WEIGHT = 8,
};

struct run {
    const struct wari_pack *pack;
    const struct wari_host *host;
    struct wari_pack_report *report;
    struct wari_catalogue catalogue;
    struct wari_db *db; /* the database, as it was when the work on the level began; NULL once the
                         * level's values are no longer needed */
    int seeds;
    size_t proof_memory;        /* number of bytes for values to be proved */
    uint64_t positions, stored; /* number of values of the level, and number of values in its
                                 * packed file */
    int8_t values[HASHED_VALUES];
};

/* Reports progress, counted in positions read or written; a proved position counts PROOF_WEIGHT
 * times. Returns WARI_INTERRUPTED if the caller has requested a stop. */
static enum wari_status report_progress(const struct run *run, uint64_t done,
                                        struct wari_error *error)
{
    const struct wari_pack *pack = run->pack;
    if (pack->progress != NULL)
        pack->progress(pack->context, run->seeds, done,
                       run->positions + PROOF_WEIGHT * (run->positions - run->stored) +
                           run->stored);
    if (pack->stop != NULL && atomic_load_explicit(pack->stop, memory_order_relaxed))
        return wari_fail(
            error, WARI_INTERRUPTED,
            "stopped at level %d; the levels packed so far are kept, and the same command "
            "continues",
            run->seeds);
    return WARI_OK;
}

/* ---- Proof ---------------------------------------------------------------------------------- */

/* Checks that the values of the level have the payload hash that is in the catalogue. */
static enum wari_status check_values(struct run *run, struct wari_error *error)
{
    XXH3_state_t state;
    enum wari_status status = WARI_OK;
    XXH3_64bits_reset(&state);
    for (uint64_t first = 0; first < run->positions && status == WARI_OK; first += HASHED_VALUES) {
        const uint64_t left = run->positions - first;
        const size_t count = left < HASHED_VALUES ? (size_t)left : (size_t)HASHED_VALUES;
        status = wari_values(run->db, run->seeds, first, count, run->values, error);
        XXH3_64bits_update(&state, run->values, count);
        if (status == WARI_OK)
            status = report_progress(run, first + count, error);
    }
    if (status == WARI_OK &&
        XXH3_64bits_digest(&state) != run->catalogue.level[run->seeds].payload_hash)
        status = wari_fail(error, WARI_CORRUPT,
                           "the values of level %d in %s do not have the hash that the catalogue "
                           "gives; remove the level's file and catalogue and build again",
                           run->seeds, run->pack->folder);
    return status;
}

static enum wari_status report_proof(void *context, uint64_t done, struct wari_error *error)
{
    const struct run *run = context;
    return report_progress(run, run->positions + PROOF_WEIGHT * done, error);
}

/* Proves that each value that the packed file leaves out is the value of its position's best move.
 */
static enum wari_status prove_level(struct run *run, struct wari_error *error)
{
    const struct wari_proof proof = {
        .db = run->db,
        .seeds = run->seeds,
        .threads = run->pack->threads,
        .memory = run->proof_memory,
        .progress = report_proof,
        .context = run,
    };
    enum wari_status status = check_values(run, error);
    return status == WARI_OK ? wari_prove(&proof, error) : status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static enum wari_status read_values(void *context, uint64_t chunk, int8_t *values, size_t count,
                                    struct wari_error *error)
{
    struct run *run = context;
    enum wari_status status =
        wari_values(run->db, run->seeds, chunk * WARI_CHUNK_POSITIONS, count, values, error);
    const uint64_t proved = run->positions + PROOF_WEIGHT * (run->positions - run->stored);
    return status == WARI_OK ? report_progress(run, proved + chunk * WARI_CHUNK_POSITIONS, error)
                             : status;
}

static void close_database(struct run *run)
{
    wari_close(run->db);
    run->db = NULL;
}

/* Called when the new file is complete. Closes the database, which holds the old file open: some
 * network file systems do not let a rename replace an open file. */
static enum wari_status record_new_file(void *context, const struct wari_level_record *record,
                                        struct wari_error *error)
{
    struct run *run = context;
    struct wari_level_record *level = &run->catalogue.level[run->seeds];
    close_database(run);
    level->other_hash = record->header_hash;
    level->other_bytes = record->file_bytes;
    return wari_catalogue_write(&run->catalogue, run->host, run->pack->folder, error);
}

static enum wari_status replace_level(struct run *run, struct wari_error *error)
{
    const struct wari_level_address address = {
        run->host, run->pack->folder, {run->pack->variant, run->seeds}};
    struct wari_level_record *level = &run->catalogue.level[run->seeds];
    struct wari_level_record record = *level;
    const struct wari_level_ready ready = {record_new_file, run};
    const struct wari_level_source source = {
        .packed = true,
        .payload_hash = level->payload_hash,
        .read = read_values,
        .context = run,
        .ready = &ready,
    };
    enum wari_status status = wari_level_write(&address, &source, &record, error);
    if (status != WARI_OK)
        return status;
    *level = record;
    return wari_catalogue_write(&run->catalogue, run->host, run->pack->folder, error);
}

/* ---- Levels --------------------------------------------------------------------------------- */

/* Completes a replacement that a stopped process left unfinished: changes the catalogue so that it
 * allows only the file that exists. */
static enum wari_status complete_replacement(struct run *run, struct wari_error *error)
{
    struct wari_level_record *level = &run->catalogue.level[run->seeds];
    if (level->other_bytes == 0)
        return WARI_OK;
    wari_level_file_record(run->db->file[run->seeds], level);
    return wari_catalogue_write(&run->catalogue, run->host, run->pack->folder, error);
}

/* Returns the larger of two requirements. The first is two columns of the largest block of the
 * highest level. The second is one chunk of every level; it counts twice, since only half of the
 * memory is for chunks. With fewer chunks, they would be decoded again and again. (A database of
 * 13 seeds takes 1.5 s with this much memory, 0.4 s with plenty, and minutes with memory for a
 * single chunk.) */
static uint64_t least_memory(int seeds_max)
{
    const uint64_t column = wari_proof_memory_min(seeds_max);
    const uint64_t chunks = ((uint64_t)seeds_max + 1) * (WARI_CHUNK_POSITIONS + CHUNK_OVERHEAD);
    return 2 * (column > chunks / 2 ? column : chunks / 2);
}

static enum wari_status check_memory(const struct run *run, struct wari_error *error)
{
    const uint64_t least = least_memory(run->catalogue.seeds_max);
    const size_t memory = run->pack->memory;
    if (memory == 0 || memory >= least)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT,
                     "%zu bytes of memory are too little to pack levels up to %d seeds; at least "
                     "%llu bytes are needed",
                     memory, run->catalogue.seeds_max, (unsigned long long)least);
}

/* Divides the memory: at most half of it holds the values to be proved, and the rest is the
 * cache in which values are looked up. */
static void begin_level(struct run *run, struct wari_options *options)
{
    const size_t memory = run->pack->memory > 0 ? run->pack->memory : default_memory;
    const uint64_t useful = wari_proof_memory_max(run->seeds);
    run->positions = wari_level_positions(run->seeds);
    run->stored = wari_packed_positions(run->seeds);
    run->proof_memory = useful < memory / 2 ? (size_t)useful : memory / 2;
    *options = (struct wari_options){.host = run->host, .cache_bytes = memory - run->proof_memory};
}

static enum wari_status pack_level(struct run *run, struct wari_error *error)
{
    struct wari_options options;
    struct wari_level_record *level = &run->catalogue.level[run->seeds];
    begin_level(run, &options);
    enum wari_status status =
        wari_open(&run->db, run->pack->folder, &run->pack->variant, &options, error);
    if (status != WARI_OK)
        return status;
    status = complete_replacement(run, error);
    run->report->bytes_before += level->file_bytes;
    if (status == WARI_OK && !wari_level_file_packed(run->db->file[run->seeds])) {
        status = prove_level(run, error);
        if (status == WARI_OK)
            status = replace_level(run, error);
        if (status == WARI_OK)
            run->report->packed++;
    }
    close_database(run);
    run->report->bytes += level->file_bytes;
    run->report->positions += run->positions;
    run->report->levels++;
    return status;
}

static enum wari_status read_catalogue(struct run *run, struct wari_error *error)
{
    const struct wari_pack *pack = run->pack;
    enum wari_status status =
        wari_catalogue_read(&run->catalogue, run->host, pack->folder, pack->variant, error);
    if (status == WARI_OK && run->catalogue.seeds_max < 0)
        status = wari_variant_missing(run->host, pack->folder, pack->variant, error);
    if (status == WARI_OK)
        status = wari_catalogue_find_missing(&run->catalogue, run->host, pack->folder, error);
    return status;
}

/* Checks the folder before taking the lock, because taking the lock would create a missing
 * folder. */
static enum wari_status pack_locked(struct run *run, struct wari_error *error)
{
    struct wari_lock lock = {0};
    enum wari_status status = read_catalogue(run, error);
    if (status == WARI_OK && !run->pack->no_lock)
        status = wari_folder_lock(run->host, run->pack->folder, WARI_PACKING, &lock, error);
    if (status != WARI_OK)
        return status;
    status = read_catalogue(run, error);
    if (status == WARI_OK)
        status = check_memory(run, error);
    const int last = wari_catalogue_usable(&run->catalogue);
    for (int n = 0; n <= last && status == WARI_OK; n = wari_catalogue_next(n)) {
        run->seeds = n;
        status = pack_level(run, error);
    }
    if (status == WARI_OK && last < 0) /* this call fails, since level 0 is missing */
        status = wari_open(&run->db, run->pack->folder, &run->pack->variant, NULL, error);
    wari_folder_unlock(&lock);
    return status;
}

enum wari_status wari_pack(const struct wari_pack *pack, struct wari_pack_report *report,
                           struct wari_error *error)
{
    const struct wari_host *host = pack->host != NULL ? pack->host : wari_host_system();
    void *memory;
    *report = (struct wari_pack_report){0};
    if (pack->threads < 1)
        return wari_fail(error, WARI_BAD_INPUT, "packing needs at least one thread, not %d",
                         pack->threads);
    enum wari_status status = wari_allocate(host, sizeof(struct run), "packing", &memory, error);
    if (status != WARI_OK)
        return status;

    struct run *run = memory;
    memset(run, 0, sizeof *run);
    run->pack = pack;
    run->host = host;
    run->report = report;
    status = pack_locked(run, error);
    wari_release(host, run);
    return status;
}
