/* Writes distributed levels; see store.h.
 *
 * Each rank encodes its chunks, block by block, all at the same time. Then they go to those who
 * keep a folder, from rank to rank in the order of the file, and are appended to it there.
 */
#include "solver/cluster/store.h"

#include <string.h>

#include "db/format/level_writer.h"
#include "solver/cluster/chunks.h"
#include "system/clock.h"

/* ---- Encoding ------------------------------------------------------------------------------- */

/* A file being written. */
struct making {
    struct wari_distributed *distributed;
    struct wari_batch_encoder *store;
    const struct wari_disks *disks;
    struct wari_level_key key;
    struct wari_chunk_source source;
    struct wari_heads heads;
    struct wari_model *model;
    struct wari_level_writer *writer; /* of keepers */

    struct { /* this rank's chunks of a block, encoded */
        char *bytes;
        uint64_t room, used;
        void *more; /* where the level's own memory is too small for them */
        uint32_t *sizes;
    } mine;
    uint32_t *sizes; /* of a piece */
    uint64_t piece;  /* chunks that travel together */
    void *memory;
};

/* Adds up what all ranks have counted, so that they all make the same model. */
static enum wari_status make_model(struct making *making, struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    const int seeds = making->key.seeds;
    size_t count;
    enum wari_status status = wari_batch_encoder_begin(making->store, seeds, error);

    for (int block = 0; block <= seeds && status == WARI_OK; block++) {
        const struct wari_chunk_run run =
            wari_chunk_run_of(&making->distributed->ranks, net->rank, block);
        status = wari_batch_encoder_survey(making->store, &making->source, run.first_chunk,
                                           run.end_chunk - run.first_chunk, error);
    }
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    uint32_t *counts = wari_encoder_counts(making->store->encoder, making->store->threads, &count);
    wari_net_sum32(net, counts, count);
    return wari_net_agree(
        net,
        wari_encoder_model(&making->model, making->store->encoder, making->store->threads, error),
        error);
}

/* Makes room for so many bytes more. What is there stays. */
static enum wari_status make_room(struct making *making, size_t bytes, struct wari_error *error)
{
    const struct wari_host *host = making->distributed->level->host;
    const uint64_t room = 2 * making->mine.used + bytes;
    void *memory;
    enum wari_status status;

    if (bytes <= making->mine.room - making->mine.used)
        return WARI_OK;
    status = wari_allocate(host, (size_t)room, "encoded chunks", &memory, error);
    if (status != WARI_OK)
        return status;
    memcpy(memory, making->mine.bytes, (size_t)making->mine.used);
    wari_release(host, making->mine.more);
    making->mine.bytes = making->mine.more = memory;
    making->mine.room = room;
    return WARI_OK;
}

/* Keeps what was encoded last, one chunk behind the other. */
static enum wari_status keep_chunks(struct making *making, uint64_t count, uint32_t *sizes,
                                    struct wari_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        const size_t bytes = making->store->bytes[i];
        const enum wari_status status = make_room(making, bytes, error);
        if (status != WARI_OK)
            return status;
        memcpy(making->mine.bytes + making->mine.used, wari_batch_encoder_chunk(making->store, i),
               bytes);
        making->mine.used += bytes;
        sizes[i] = (uint32_t)bytes;
    }
    return WARI_OK;
}

/* Encodes this rank's chunks of a block. */
static enum wari_status encode_block(struct making *making, struct wari_chunk_run run,
                                     struct wari_error *error)
{
    const uint64_t batch = making->store->capacity;
    enum wari_status status = WARI_OK;

    making->mine.used = 0;
    for (uint64_t chunk = run.first_chunk; chunk < run.end_chunk && status == WARI_OK;
         chunk += batch) {
        const uint64_t left = run.end_chunk - chunk;
        const uint64_t count = left < batch ? left : batch;
        if (wari_level_stopped(making->distributed->level))
            return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
        status = wari_batch_encoder_encode(making->store, &making->source, making->model, chunk,
                                           count, error);
        if (status == WARI_OK)
            status =
                keep_chunks(making, count, making->mine.sizes + (chunk - run.first_chunk), error);
    }
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* From a rank to those who keep a folder: the first one, or all of them on local disks. */
static void bring(struct making *making, int from, void *bytes, size_t count)
{
    struct wari_net *net = making->distributed->net;
    const bool local = making->disks->local;
    const uint64_t receivers = local ? (uint64_t)net->ranks - 1 : from != 0;

    if (local)
        wari_net_broadcast(net, from, bytes, count);
    else
        wari_net_pass(net, from, 0, bytes, count);
    if (net->rank != from)
        return;
    net->sent[WARI_CARGO_FILE].messages += receivers;
    net->sent[WARI_CARGO_FILE].bytes += receivers * count;
}

/* Brings some chunks of a rank to the keepers, who append them. `mine`: on that rank, where they
 * are; it moves on. What fails ends the file, but not the journey. */
static enum wari_status write_piece(struct making *making, int from, uint64_t first, uint64_t count,
                                    char **mine, struct wari_error *error)
{
    const bool have = making->distributed->net->rank == from;
    uint32_t *sizes = have ? making->mine.sizes + first : making->sizes;
    char *bytes = have ? *mine : (char *)making->distributed->rows[0].out;
    enum wari_status status = WARI_OK;
    size_t all = 0;

    bring(making, from, sizes, (size_t)count * sizeof *sizes);
    for (uint64_t i = 0; i < count; i++)
        all += sizes[i];
    bring(making, from, bytes, all);
    if (have)
        *mine += all;
    for (uint64_t i = 0; i < count && making->writer && status == WARI_OK; i++) {
        status = wari_level_writer_append(making->writer, bytes, sizes[i], error);
        bytes += sizes[i];
    }
    if (status != WARI_OK) {
        wari_level_writer_abandon(making->writer);
        making->writer = NULL;
    }
    return status;
}

static enum wari_status write_block(struct making *making, int block, struct wari_error *error)
{
    const struct wari_ranks *ranks = &making->distributed->ranks;
    enum wari_status status = WARI_OK;
    char *mine = making->mine.bytes;

    for (int rank = 0; rank < ranks->count; rank++) {
        const struct wari_chunk_run run = wari_chunk_run_of(ranks, rank, block);
        const uint64_t chunks = run.end_chunk - run.first_chunk;
        for (uint64_t first = 0; first < chunks; first += making->piece) {
            const uint64_t left = chunks - first;
            const uint64_t count = left < making->piece ? left : making->piece;
            struct wari_error why;
            const enum wari_status now = write_piece(making, rank, first, count, &mine, &why);
            if (now != WARI_OK)
                status = wari_fail(error, now, "%s", why.text);
        }
    }
    return wari_net_agree(making->distributed->net, status, error);
}

static enum wari_status write_blocks(struct making *making, struct wari_error *error)
{
    const struct wari_distributed *distributed = making->distributed;
    struct wari_level_statistics *statistics = distributed->level->progress.statistics;
    enum wari_status status = WARI_OK;

    for (int block = 0; block <= making->key.seeds && status == WARI_OK; block++) {
        const double start = wari_seconds_now();
        double encoded;
        status = encode_block(
            making, wari_chunk_run_of(&distributed->ranks, distributed->net->rank, block), error);
        status = wari_net_agree(distributed->net, status, error);
        encoded = wari_seconds_now();
        if (status == WARI_OK)
            status = write_block(making, block, error);
        statistics->seconds.encode += encoded - start;
        statistics->seconds.write += wari_seconds_now() - encoded;
    }
    return status;
}

/* ---- The file ------------------------------------------------------------------------------- */

static enum wari_status allocate(struct making *making, struct wari_error *error)
{
    const struct wari_distributed *distributed = making->distributed;
    uint64_t most = 0;
    enum wari_status status;

    for (int block = 0; block <= making->key.seeds; block++) {
        const struct wari_chunk_run run =
            wari_chunk_run_of(&distributed->ranks, distributed->net->rank, block);
        const uint64_t chunks = run.end_chunk - run.first_chunk;
        most = chunks > most ? chunks : most;
    }
    making->piece = WARI_ROUND_BUFFERS * distributed->buffer / WARI_CHUNK_BYTES_MAX;
    const size_t bytes = (size_t)(making->piece + most) * sizeof *making->sizes;
    status = wari_allocate(distributed->level->host, bytes, "the sizes of a level's chunks",
                           &making->memory, error);
    if (status != WARI_OK)
        return status;
    memset(making->memory, 0, bytes);
    making->sizes = making->memory;
    making->mine.sizes = making->sizes + making->piece;
    making->mine.bytes = (char *)distributed->level->resident.copy; /* not needed now */
    making->mine.room = distributed->level->resident.copy_bytes;
    return WARI_OK;
}

static enum wari_status begin_file(struct making *making, struct wari_error *error)
{
    const struct wari_level_address address = {making->distributed->level->host,
                                               making->disks->folder, making->key};
    enum wari_status status = WARI_OK;

    if (making->disks->keeper)
        status = wari_level_writer_open(&making->writer, &address, making->model, false, error);
    return wari_net_agree(making->distributed->net, status, error);
}

/* All learn what the first rank, which keeps a folder, has made. */
static enum wari_status finish_file(struct making *making, struct wari_level_record *record,
                                    struct wari_error *error)
{
    struct wari_net *net = making->distributed->net;
    enum wari_status status = WARI_OK;

    if (making->writer)
        status = wari_level_writer_place(making->writer, record->payload_hash, record, error);
    making->writer = NULL;
    status = wari_net_agree(net, status, error);
    wari_net_broadcast(net, 0, &record->header_hash, sizeof record->header_hash);
    wari_net_broadcast(net, 0, &record->file_bytes, sizeof record->file_bytes);
    record->other_hash = record->other_bytes = 0;
    return status;
}

static enum wari_status write_file(struct making *making, struct wari_level_record *record,
                                   struct wari_error *error)
{
    const double start = wari_seconds_now();
    enum wari_status status = make_model(making, error);

    making->distributed->level->progress.statistics->seconds.encode += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = begin_file(making, error);
    if (status == WARI_OK)
        status = write_blocks(making, error);
    return status == WARI_OK ? finish_file(making, record, error) : status;
}

enum wari_status wari_distributed_write(struct wari_distributed *distributed,
                                        struct wari_batch_encoder *store,
                                        const struct wari_disks *disks, struct wari_variant variant,
                                        struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host *host = distributed->level->host;
    struct making making = {
        .distributed = distributed,
        .store = store,
        .disks = disks,
        .key = {variant, distributed->level->layout.seeds},
        .source = {.level = distributed->level, .read = wari_heads_read},
    };
    enum wari_status status = wari_net_agree(distributed->net, allocate(&making, error), error);

    making.source.context = &making.heads;
    if (status == WARI_OK)
        status = wari_heads_create(&making.heads, distributed, &record->payload_hash, error);
    if (status == WARI_OK)
        status = write_file(&making, record, error);
    wari_level_writer_abandon(making.writer);
    wari_model_destroy(making.model);
    wari_release(host, making.heads.values);
    wari_release(host, making.mine.more);
    wari_release(host, making.memory);
    return status;
}
