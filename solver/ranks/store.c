/* Writes distributed levels; see files.h.
 *
 * Each rank encodes the chunks that begin in its runs, block by block. How long they are is known
 * to all before anything of a block is written, so each rank's bytes go straight to their place: by
 * its own hand in a folder that all share; on local disks everybody gets them and the keepers write
 * them. Only the hash of all values has to be made in order. It goes from run to run and costs
 * the time of reading the level once.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state that can be passed on */
#include "solver/ranks/store.h"
#include "db/file/level_part.h"
#include "db/file/level_writer.h"
#include "system/clock.h"

#include <omp.h>
#include <string.h>
#include <xxhash.h>

/* ---- The hash ------------------------------------------------------------------------------- */

/* Adds the values of a run. */
static void hash_run(const struct wari_level *level, struct wari_chunk_run run, int8_t *room,
                     uint64_t room_bytes, XXH3_state_t *hash)
{
    for (uint64_t first = run.first; first < run.end; first += room_bytes) {
        const uint64_t left = run.end - first;
        const uint64_t count = left < room_bytes ? left : room_bytes;
        const int64_t pieces = (int64_t)((count + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS);
#pragma omp parallel for num_threads(level->team->threads) schedule(static) if (pieces > 1)
        for (int64_t i = 0; i < pieces; i++) {
            const uint64_t at = (uint64_t)i * WARI_CHUNK_POSITIONS;
            wari_level_values(
                level, first + at,
                (size_t)(count - at < WARI_CHUNK_POSITIONS ? count - at : WARI_CHUNK_POSITIONS),
                room + at);
        }
        (void)XXH3_64bits_update(hash, room, (size_t)count); /* fails for NULL only */
    }
}

uint64_t wari_distributed_payload_hash(struct wari_distributed *distributed)
{
    const int me = distributed->net->rank;
    const struct wari_ranks *ranks = &distributed->ranks;
    int last = -1; /* who had the run before */
    uint64_t result = 0;
    XXH3_state_t hash, fresh;

    XXH3_INITSTATE(&fresh);
    (void)XXH3_64bits_reset(&fresh);
    hash = fresh;
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        for (int rank = 0; rank < ranks->count; rank++) {
            const struct wari_chunk_run run = wari_chunk_run_of(ranks, rank, block);
            if (run.first == run.end)
                continue;
            if (last >= 0 && last != rank && me == last)
                wari_net_pass(distributed->net, rank, &hash, sizeof hash);
            if (last >= 0 && last != rank && me == rank) {
                wari_net_take(distributed->net, last, &hash, sizeof hash);
                hash.extSecret = fresh.extSecret; /* an address of the process */
            }
            if (me == rank)
                hash_run(distributed->level, run, distributed->rows[0].out, distributed->buffer,
                         &hash);
            last = rank;
        }
    }
    result = me == last ? XXH3_64bits_digest(&hash) : 0;
    wari_net_tell(distributed->net, last, &result, sizeof result);
    return result;
}

/* ---- Encoding ------------------------------------------------------------------------------- */

/* A file being written. */
struct making {
    struct wari_distributed *distributed;
    struct wari_store *store;
    const struct wari_disks *disks;
    struct wari_level_key key;
    struct wari_chunks source;
    struct wari_tails tails;
    struct wari_model *model;
    struct wari_level_writer *writer; /* of keepers */
    struct wari_level_part *part;
    uint64_t offset; /* of the block's first chunk */

    struct { /* this rank's chunks of a block, encoded */
        char *bytes;
        uint64_t room, used;
        void *more; /* where the level's own memory is too small for them */
        struct wari_chunk_entry *entries;
    } mine;
    uint64_t *bytes;                      /* of the block, by rank */
    struct wari_chunk_entry *all_entries; /* keepers: of the whole block */
    void *memory;
};

/* Adds up what all ranks have counted, so that they all make the same model. */
static enum wari_status make_model(struct making *making, struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    const int seeds = making->key.seeds;
    size_t count;
    enum wari_status status = wari_store_begin(making->store, seeds, error);

    for (int block = 0; block <= seeds && status == WARI_OK; block++) {
        const struct wari_chunk_run run =
            wari_chunk_run_of(&making->distributed->ranks, net->rank, block);
        status = wari_store_survey(making->store, &making->source, run.first_chunk,
                                   run.end_chunk - run.first_chunk, error);
    }
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    uint32_t *counts = wari_store_counts(making->store, &count);
    wari_net_sum32(net, counts, count);
    return wari_net_agree(net, wari_store_model(making->store, &making->model, error), error);
}

/* Keeps what was encoded last, one chunk behind the other. False if there is no room. */
static bool keep_chunks(struct making *making, uint64_t chunk, uint64_t count,
                        struct wari_chunk_entry *entries)
{
    for (uint64_t i = 0; i < count; i++) {
        size_t bytes;
        const void *encoded = wari_store_chunk(making->store, i, &bytes);
        if (bytes > making->mine.room - making->mine.used)
            return false;
        memcpy(making->mine.bytes + making->mine.used, encoded, bytes);
        making->mine.used += bytes;
        entries[i] = wari_chunk_entry_of(making->key, chunk + i, encoded, bytes);
    }
    return true;
}

/* Encodes this rank's chunks of a block. *fits: there was room for all of them. */
static enum wari_status encode_run(struct making *making, struct wari_chunk_run run, bool *fits,
                                   struct wari_error *error)
{
    const uint64_t batch = wari_store_batch(making->store);
    enum wari_status status = WARI_OK;

    making->mine.used = 0;
    *fits = true;
    for (uint64_t chunk = run.first_chunk; chunk < run.end_chunk && *fits; chunk += batch) {
        const uint64_t left = run.end_chunk - chunk;
        const uint64_t count = left < batch ? left : batch;
        if (wari_level_stopped(making->distributed->level))
            return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
        status =
            wari_store_encode(making->store, &making->source, making->model, chunk, count, error);
        if (status != WARI_OK)
            return status;
        *fits = keep_chunks(making, chunk, count, making->mine.entries + (chunk - run.first_chunk));
    }
    return status;
}

/* The same, with room made for the largest that chunks can become where they do not fit. */
static enum wari_status encode_block(struct making *making, struct wari_chunk_run run,
                                     struct wari_error *error)
{
    const struct wari_host *host = making->distributed->level->host;
    const uint64_t largest = (run.end_chunk - run.first_chunk) * WARI_CHUNK_BYTES_MAX;
    bool fits;
    enum wari_status status = encode_run(making, run, &fits, error);

    if (status != WARI_OK || fits)
        return status;
    wari_release(host, making->mine.more);
    status = wari_allocate(host, (size_t)largest, "encoded chunks", &making->mine.more, error);
    if (status != WARI_OK)
        return status;
    making->mine.bytes = making->mine.more;
    making->mine.room = largest;
    return encode_run(making, run, &fits, error);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Everybody's bytes go to everybody, from rank to rank, and keepers write them. */
static enum wari_status write_everywhere(struct making *making, struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    enum wari_status status = WARI_OK;
    uint64_t offset = making->offset;

    for (int rank = 0; rank < net->ranks; rank++) {
        for (uint64_t done = 0; done < making->bytes[rank];) {
            const uint64_t left = making->bytes[rank] - done;
            const uint64_t piece =
                left < making->distributed->buffer ? left : making->distributed->buffer;
            void *bytes = rank == net->rank ? (void *)(making->mine.bytes + done)
                                            : (void *)making->distributed->rows[0].in;
            wari_net_tell(net, rank, bytes, (size_t)piece);
            if (rank == net->rank) {
                net->sent[WARI_CARGO_FILE].messages += (uint64_t)net->ranks - 1;
                net->sent[WARI_CARGO_FILE].bytes += piece * ((uint64_t)net->ranks - 1);
            }
            if (making->part && status == WARI_OK)
                status = wari_level_part_write(making->part, bytes, (size_t)piece, offset, error);
            done += piece;
            offset += piece;
        }
    }
    return status;
}

static enum wari_status write_block(struct making *making, struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    uint64_t at = making->offset;
    enum wari_status status = WARI_OK;

    wari_net_gather(net, &making->mine.used, sizeof making->mine.used, making->bytes);
    for (int rank = 0; rank < net->rank; rank++)
        at += making->bytes[rank];
    if (making->disks->local)
        status = write_everywhere(making, error);
    else if (making->mine.used > 0)
        status = wari_level_part_write(making->part, making->mine.bytes, (size_t)making->mine.used,
                                       at, error);
    for (int rank = 0; rank < net->ranks; rank++)
        making->offset += making->bytes[rank];
    return wari_net_agree(net, status, error);
}

/* The first rank, or all of them on local disks, learn what the table says of a block's chunks. */
static void share_entries(struct making *making, int block)
{
    const struct wari_ranks *ranks = &making->distributed->ranks;
    struct wari_net *net = making->distributed->net;
    char *at = (char *)making->all_entries;

    for (int rank = 0; rank < net->ranks; rank++) {
        const struct wari_chunk_run run = wari_chunk_run_of(ranks, rank, block);
        const size_t bytes =
            (size_t)(run.end_chunk - run.first_chunk) * sizeof *making->mine.entries;
        if (bytes == 0)
            continue;
        if (rank == net->rank && (rank == 0 || making->disks->local))
            memcpy(at, making->mine.entries, bytes);
        if (making->disks->local)
            wari_net_tell(net, rank, at, bytes);
        else if (rank == net->rank && rank != 0)
            wari_net_pass(net, 0, making->mine.entries, bytes);
        else if (net->rank == 0 && rank != 0)
            wari_net_take(net, rank, at, bytes);
        at += bytes;
    }
}

static enum wari_status enter_block(struct making *making, int block, struct wari_error *error)
{
    const struct wari_ranks *ranks = &making->distributed->ranks;
    const struct wari_chunk_run first = wari_chunk_run_of(ranks, 0, block);
    const struct wari_chunk_run last = wari_chunk_run_of(ranks, ranks->count - 1, block);
    enum wari_status status = WARI_OK;

    share_entries(making, block);
    if (making->writer)
        status = wari_level_writer_enter(making->writer, making->all_entries,
                                         last.end_chunk - first.first_chunk, error);
    return wari_net_agree(making->distributed->net, status, error);
}

static enum wari_status write_blocks(struct making *making, struct wari_error *error)
{
    const struct wari_distributed *distributed = making->distributed;
    struct wari_level_measure *measure = distributed->level->course.measure;
    enum wari_status status = WARI_OK;

    for (int block = 0; block <= making->key.seeds && status == WARI_OK; block++) {
        const double start = wari_seconds_now();
        double encoded;
        status = encode_block(
            making, wari_chunk_run_of(&distributed->ranks, distributed->net->rank, block), error);
        status = wari_net_agree(distributed->net, status, error);
        encoded = wari_seconds_now();
        if (status == WARI_OK)
            status = write_block(making, error);
        if (status == WARI_OK)
            status = enter_block(making, block, error);
        measure->seconds.encode += encoded - start;
        measure->seconds.write += wari_seconds_now() - encoded;
    }
    return status;
}

/* ---- The file ------------------------------------------------------------------------------- */

static enum wari_status allocate(struct making *making, struct wari_error *error)
{
    const struct wari_distributed *distributed = making->distributed;
    const bool keeps_all = distributed->net->rank == 0 || making->disks->local;
    uint64_t mine = 0, all = 0;
    enum wari_status status;

    for (int block = 0; block <= making->key.seeds; block++) {
        const struct wari_chunk_run run =
            wari_chunk_run_of(&distributed->ranks, distributed->net->rank, block);
        const struct wari_chunk_run first = wari_chunk_run_of(&distributed->ranks, 0, block);
        const struct wari_chunk_run last =
            wari_chunk_run_of(&distributed->ranks, distributed->net->ranks - 1, block);
        const uint64_t own = run.end_chunk - run.first_chunk;
        const uint64_t whole = last.end_chunk - first.first_chunk;
        mine = own > mine ? own : mine;
        all = keeps_all && whole > all ? whole : all;
    }
    status = wari_allocate(distributed->level->host,
                           (size_t)((mine + all) * sizeof *making->mine.entries +
                                    (uint64_t)distributed->net->ranks * sizeof *making->bytes) +
                               1,
                           "the table of a level's chunks", &making->memory, error);
    if (status != WARI_OK)
        return status;
    making->bytes = making->memory;
    making->mine.entries = (void *)(making->bytes + distributed->net->ranks);
    making->all_entries = making->mine.entries + mine;
    making->mine.bytes = (char *)distributed->level->held.kept; /* not needed now */
    making->mine.room = distributed->level->held.kept_bytes;
    return WARI_OK;
}

/* Keepers begin files, and everybody who writes opens the one to write into. */
static enum wari_status begin_file(struct making *making, struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    const struct wari_disks *disks = making->disks;
    const struct wari_level_address address = {making->distributed->level->host, disks->folder,
                                               making->key};
    enum wari_status status = WARI_OK;

    if (disks->keeper)
        status = wari_level_writer_open(&making->writer, &address, making->model, false, error);
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    making->offset = net->rank == 0 ? wari_level_writer_next(making->writer) : 0;
    wari_net_tell(net, 0, &making->offset, sizeof making->offset);
    if (disks->keeper || !disks->local)
        status = wari_level_part_open(&making->part, &address, error);
    return wari_net_agree(net, status, error);
}

static enum wari_status finish_file(struct making *making, struct wari_level_record *record,
                                    struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    uint64_t numbers[2];
    enum wari_status status = making->part ? wari_level_part_close(making->part, error) : WARI_OK;

    making->part = NULL;
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    if (making->writer)
        status = wari_level_writer_finish(making->writer, record->payload_hash, record, error);
    making->writer = NULL;
    status = wari_net_agree(net, status, error);
    numbers[0] = record->header_hash;
    numbers[1] = record->file_bytes;
    wari_net_tell(net, 0, numbers, sizeof numbers);
    record->header_hash = numbers[0];
    record->file_bytes = numbers[1];
    record->other_hash = record->other_bytes = 0;
    return status;
}

enum wari_status wari_distributed_write(struct wari_distributed *distributed,
                                        struct wari_store *store, const struct wari_disks *disks,
                                        struct wari_variant variant,
                                        struct wari_level_record *record, struct wari_error *error)
{
    struct making making = {
        .distributed = distributed,
        .store = store,
        .disks = disks,
        .key = {variant, distributed->level->layout.seeds},
        .source = {.level = distributed->level, .read = wari_tails_read},
    };
    const double start = wari_seconds_now();
    enum wari_status status = wari_net_agree(distributed->net, allocate(&making, error), error);

    making.source.context = &making.tails;
    if (status == WARI_OK)
        status = wari_tails_create(&making.tails, distributed, error);
    else
        making.tails.distributed = distributed;
    if (status == WARI_OK) {
        record->payload_hash = wari_distributed_payload_hash(distributed);
        status = make_model(&making, error);
    }
    distributed->level->course.measure->seconds.encode += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = begin_file(&making, error);
    if (status == WARI_OK)
        status = write_blocks(&making, error);
    if (status == WARI_OK)
        status = finish_file(&making, record, error);
    wari_level_part_abandon(making.part);
    wari_level_writer_abandon(making.writer);
    wari_model_destroy(making.model);
    wari_tails_destroy(&making.tails);
    wari_release(distributed->level->host, making.mine.more);
    wari_release(distributed->level->host, making.memory);
    return status;
}
