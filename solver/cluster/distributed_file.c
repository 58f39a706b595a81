/* Writes distributed levels as level files. The files are byte for byte those of a single process.
 *
 * The values of a level in index order are divided into ranges: each range has the values of one
 * block that one rank owns. A chunk belongs to the rank in whose range it ends. The part of the
 * chunk that lies in earlier ranges is its **head**. The head is sent to the rank that the chunk
 * belongs to.
 *
 * All ranks encode their chunks of one block at the same time. Then one rank after the other, in
 * the order of the file, sends its encoded chunks to the ranks that write to their folders. These
 * ranks append the chunks to their files.
 *
 * The hash of all values has to be computed in order. So its state is sent from rank to rank, with
 * the beginning of the current chunk. This costs the time of reading the level once.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state that can be sent to another process */
#include <string.h>
#include <xxhash.h>

#include "db/format/level_writer.h"
#include "solver/cluster/build.h"
#include "solver/cluster/distributed.h"
#include "system/clock.h"

/* ---- Chunks and heads ------------------------------------------------------------------------ */

/* The positions of a block that a rank owns, and the chunks that end among these positions. */
struct chunk_range {
    uint64_t first, end;             /* numbers of positions */
    uint64_t first_chunk, end_chunk; /* equal if no chunk ends here */
};

/* The heads of this rank's chunks. */
struct chunk_heads {
    struct wari_distributed *distributed;
    int8_t *values;
    uint32_t at[WARI_SEEDS_MAX + 1]; /* [block]: offset of the head of the range's first chunk */
};

static struct chunk_range chunk_range_of(const struct wari_ranks *ranks, int rank, int block)
{
    const uint64_t begin = ranks->layout.block_offset[block];
    const uint64_t columns = ranks->layout.columns[block];
    const uint32_t *first = ranks->first_row[block];
    const uint64_t from = begin + first[rank] * columns, to = begin + first[rank + 1] * columns;
    const bool last = to == ranks->layout.block_offset[ranks->layout.seeds + 1];

    return (struct chunk_range){
        .first = from,
        .end = to,
        .first_chunk = from / WARI_CHUNK_POSITIONS,
        .end_chunk = from == to ? from / WARI_CHUNK_POSITIONS
                     : last     ? wari_chunk_count(to)
                                : to / WARI_CHUNK_POSITIONS,
    };
}

/* The state of the hash, which is sent from rank to rank. */
struct hash_progress {
    XXH3_state_t hash;                   /* hash of all values so far */
    int8_t values[WARI_CHUNK_POSITIONS]; /* beginning of the last chunk, if it is incomplete */
};

/* Adds the values of a range to the hash. */
static void hash_range(const struct wari_distributed *distributed, struct chunk_range range,
                       XXH3_state_t *hash)
{
    const struct wari_level *level = distributed->level;
    int8_t *values = distributed->rows[0].out;

    for (uint64_t first = range.first; first < range.end; first += distributed->buffer) {
        const uint64_t left = range.end - first;
        const uint64_t count = left < distributed->buffer ? left : distributed->buffer;
        const int64_t chunks = (int64_t)wari_chunk_count(count);
#pragma omp parallel for num_threads(level->workers->count) schedule(static) if (chunks > 1)
        for (int64_t i = 0; i < chunks; i++) {
            const uint64_t at = (uint64_t)i * WARI_CHUNK_POSITIONS;
            level->backend->values(level, first + at, wari_chunk_size((uint64_t)i, count),
                                   values + at);
        }
        (void)XXH3_64bits_update(hash, values, (size_t)count); /* fails only for NULL */
    }
}

/* Copies the head of the range's first chunk from *progress to `heads`. Adds the values of the
 * range to the hash. If the last chunk of the range is incomplete, stores its beginning in
 * *progress. */
static void continue_hash(struct chunk_heads *heads, int block, struct chunk_range range,
                          struct hash_progress *progress)
{
    const uint64_t whole = range.end_chunk * WARI_CHUNK_POSITIONS;
    const uint64_t rest = whole > range.first ? whole : range.first;

    if (range.first_chunk < range.end_chunk)
        memcpy(heads->values + heads->at[block], progress->values,
               range.first % WARI_CHUNK_POSITIONS);
    if (rest < range.end)
        heads->distributed->level->backend->values(heads->distributed->level, rest,
                                                   (size_t)(range.end - rest),
                                                   progress->values + rest % WARI_CHUNK_POSITIONS);
    hash_range(heads->distributed, range, &progress->hash);
}

static uint64_t hash_level(struct chunk_heads *heads)
{
    const struct wari_ranks *ranks = &heads->distributed->ranks;
    struct wari_net *net = heads->distributed->net;
    int last = -1; /* the rank of the previous range */
    uint64_t result = 0;
    struct hash_progress progress;

    XXH3_INITSTATE(&progress.hash);
    (void)XXH3_64bits_reset(&progress.hash);
    /* This pointer is valid only in this process, so it must not be replaced by that of another
     * rank. */
    const void *const secret = progress.hash.extSecret;
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        for (int rank = 0; rank < ranks->count; rank++) {
            const struct chunk_range range = chunk_range_of(ranks, rank, block);
            if (range.first == range.end)
                continue;
            if (last >= 0)
                wari_net_send(net, last, rank, &progress, sizeof progress);
            progress.hash.extSecret = secret;
            if (net->rank == rank)
                continue_hash(heads, block, range, &progress);
            last = rank;
        }
    }
    result = net->rank == last ? XXH3_64bits_digest(&progress.hash) : 0;
    wari_net_broadcast(net, last, &result, sizeof result);
    return result;
}

static enum wari_status collect_heads(struct chunk_heads *heads,
                                      struct wari_distributed *distributed, uint64_t *payload_hash,
                                      struct wari_error *error)
{
    const struct wari_ranks *ranks = &distributed->ranks;
    uint32_t bytes = 0;
    void *memory;
    enum wari_status status;

    heads->distributed = distributed;
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        const struct chunk_range range = chunk_range_of(ranks, distributed->net->rank, block);
        heads->at[block] = bytes;
        if (range.first_chunk < range.end_chunk)
            bytes += range.first % WARI_CHUNK_POSITIONS;
    }
    status = wari_allocate(distributed->level->host, (size_t)bytes + 1,
                           "the heads of a level's chunks", &memory, error);
    heads->values = memory;
    status = wari_net_agree(distributed->net, status, error);
    if (status == WARI_OK)
        *payload_hash = hash_level(heads);
    return status;
}

static void read_chunk(const struct wari_chunk_source *chunks, uint64_t chunk, size_t size,
                       int8_t *values)
{
    const struct chunk_heads *heads = chunks->context;
    const struct wari_layout *layout = &chunks->level->layout;
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    int block = 0;

    while (first + size > layout->block_offset[block + 1])
        block++;
    const struct chunk_range range =
        chunk_range_of(&heads->distributed->ranks, heads->distributed->net->rank, block);
    const size_t head = range.first > first ? (size_t)(range.first - first) : 0;
    memcpy(values, heads->values + heads->at[block], head);
    chunks->level->backend->values(chunks->level, first + head, size - head, values + head);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* The level file that is being written. */
struct output {
    struct wari_distributed *distributed;
    struct wari_batch_encoder *encoder;
    const struct wari_disks *disks;
    const struct wari_level_ready *ready;
    struct wari_level_key key;
    struct wari_chunk_source source;
    struct chunk_heads heads;
    struct wari_model *model;
    struct wari_level_writer *writer; /* NULL if this rank does not write to its folder */

    struct { /* the encoded chunks of this rank in the current block */
        char *bytes;
        uint64_t capacity, used;
        void *allocated; /* memory of `bytes` if the level's spare memory was too small, or NULL */
        uint32_t *sizes;
    } own;
    uint32_t *sizes; /* sizes of the encoded chunks of a batch */
    uint64_t batch;  /* number of chunks that are sent together */
    void *memory;
};

/* Adds up the counts of the encoders of all ranks, so that all ranks make the same model. */
static enum wari_status make_model(struct output *output, struct wari_error *error)
{
    struct wari_net *net = output->distributed->net;
    const int seeds = output->key.seeds;
    size_t count;
    enum wari_status status = wari_batch_encoder_begin(output->encoder, seeds, error);

    for (int block = 0; block <= seeds && status == WARI_OK; block++) {
        const struct chunk_range range =
            chunk_range_of(&output->distributed->ranks, net->rank, block);
        status = wari_batch_encoder_survey(output->encoder, &output->source, range.first_chunk,
                                           range.end_chunk - range.first_chunk, error);
    }
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    uint32_t *counts =
        wari_encoder_counts(output->encoder->encoder, output->encoder->threads, &count);
    wari_net_sum32(net, counts, count);
    return wari_net_agree(net,
                          wari_encoder_model(&output->model, output->encoder->encoder,
                                             output->encoder->threads, error),
                          error);
}

/* Makes sure that `bytes` more bytes fit into the buffer of this rank's encoded chunks. */
static enum wari_status reserve(struct output *output, size_t bytes, struct wari_error *error)
{
    const struct wari_host *host = output->distributed->level->host;
    const uint64_t capacity = 2 * output->own.used + bytes;
    void *memory;
    enum wari_status status;

    if (bytes <= output->own.capacity - output->own.used)
        return WARI_OK;
    status = wari_allocate(host, (size_t)capacity, "encoded chunks", &memory, error);
    if (status != WARI_OK)
        return status;
    memcpy(memory, output->own.bytes, (size_t)output->own.used);
    wari_release(host, output->own.allocated);
    output->own.bytes = output->own.allocated = memory;
    output->own.capacity = capacity;
    return WARI_OK;
}

/* Appends the `count` chunks that were encoded last to this rank's encoded chunks. */
static enum wari_status keep_chunks(struct output *output, uint64_t count, uint32_t *sizes,
                                    struct wari_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        const size_t bytes = output->encoder->bytes[i];
        const enum wari_status status = reserve(output, bytes, error);
        if (status != WARI_OK)
            return status;
        memcpy(output->own.bytes + output->own.used, wari_batch_encoder_chunk(output->encoder, i),
               bytes);
        output->own.used += bytes;
        sizes[i] = (uint32_t)bytes;
    }
    return WARI_OK;
}

/* Encodes this rank's chunks of a block. */
static enum wari_status encode_block(struct output *output, struct chunk_range range,
                                     struct wari_error *error)
{
    const uint64_t capacity = output->encoder->capacity;
    enum wari_status status = WARI_OK;

    output->own.used = 0;
    for (uint64_t chunk = range.first_chunk; chunk < range.end_chunk && status == WARI_OK;
         chunk += capacity) {
        const uint64_t left = range.end_chunk - chunk;
        const uint64_t count = left < capacity ? left : capacity;
        if (wari_level_stopped(output->distributed->level))
            return wari_fail(error, WARI_INTERRUPTED, "stopped on request");
        status = wari_batch_encoder_encode(output->encoder, &output->source, output->model, chunk,
                                           count, error);
        if (status == WARI_OK)
            status =
                keep_chunks(output, count, output->own.sizes + (chunk - range.first_chunk), error);
    }
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Sends bytes from a rank to the ranks that write level files. These are all ranks if each has a
 * folder on a local disk, otherwise only rank 0. */
static void send_to_writers(struct output *output, int from, void *bytes, size_t count)
{
    struct wari_net *net = output->distributed->net;
    const bool local = output->disks->local;
    const uint64_t receivers = local ? (uint64_t)net->ranks - 1 : from != 0;

    if (local)
        wari_net_broadcast(net, from, bytes, count);
    else
        wari_net_send(net, from, 0, bytes, count);
    if (net->rank != from)
        return;
    net->sent[WARI_MESSAGE_FILE].messages += receivers;
    net->sent[WARI_MESSAGE_FILE].bytes += receivers * count;
}

/* Sends `count` chunks of a rank to the ranks that write to their folders, which append them to
 * their files. On the sending rank, *own points to the chunks and is advanced. If appending fails,
 * the rank abandons its file but still takes part in all later messages. */
static enum wari_status write_batch(struct output *output, int from, uint64_t first, uint64_t count,
                                    char **own, struct wari_error *error)
{
    const bool have = output->distributed->net->rank == from;
    uint32_t *sizes = have ? output->own.sizes + first : output->sizes;
    char *bytes = have ? *own : (char *)output->distributed->rows[0].out;
    enum wari_status status = WARI_OK;
    size_t all = 0;

    send_to_writers(output, from, sizes, (size_t)count * sizeof *sizes);
    for (uint64_t i = 0; i < count; i++)
        all += sizes[i];
    send_to_writers(output, from, bytes, all);
    if (have)
        *own += all;
    for (uint64_t i = 0; i < count && output->writer && status == WARI_OK; i++) {
        status = wari_level_writer_append(output->writer, bytes, sizes[i], error);
        bytes += sizes[i];
    }
    if (status != WARI_OK) {
        wari_level_writer_abandon(output->writer);
        output->writer = NULL;
    }
    return status;
}

static enum wari_status write_block(struct output *output, int block, struct wari_error *error)
{
    const struct wari_ranks *ranks = &output->distributed->ranks;
    enum wari_status status = WARI_OK;
    char *own = output->own.bytes;

    for (int rank = 0; rank < ranks->count; rank++) {
        const struct chunk_range range = chunk_range_of(ranks, rank, block);
        const uint64_t chunks = range.end_chunk - range.first_chunk;
        for (uint64_t first = 0; first < chunks; first += output->batch) {
            const uint64_t left = chunks - first;
            const uint64_t count = left < output->batch ? left : output->batch;
            struct wari_error why;
            const enum wari_status now = write_batch(output, rank, first, count, &own, &why);
            if (now != WARI_OK)
                status = wari_fail(error, now, "%s", why.text);
        }
    }
    return wari_net_agree(output->distributed->net, status, error);
}

static enum wari_status write_blocks(struct output *output, struct wari_error *error)
{
    const struct wari_distributed *distributed = output->distributed;
    struct wari_level_statistics *statistics = distributed->level->progress.statistics;
    enum wari_status status = WARI_OK;

    for (int block = 0; block <= output->key.seeds && status == WARI_OK; block++) {
        const double start = wari_seconds_now();
        double encoded;
        status = encode_block(
            output, chunk_range_of(&distributed->ranks, distributed->net->rank, block), error);
        status = wari_net_agree(distributed->net, status, error);
        encoded = wari_seconds_now();
        if (status == WARI_OK)
            status = write_block(output, block, error);
        statistics->seconds.encode += encoded - start;
        statistics->seconds.write += wari_seconds_now() - encoded;
    }
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static enum wari_status allocate(struct output *output, struct wari_error *error)
{
    const struct wari_distributed *distributed = output->distributed;
    uint64_t most = 0;
    enum wari_status status;

    for (int block = 0; block <= output->key.seeds; block++) {
        const struct chunk_range range =
            chunk_range_of(&distributed->ranks, distributed->net->rank, block);
        const uint64_t chunks = range.end_chunk - range.first_chunk;
        most = chunks > most ? chunks : most;
    }
    output->batch = WARI_ROUND_BUFFERS * distributed->buffer / WARI_CHUNK_BYTES_MAX;
    const size_t bytes = (size_t)(output->batch + most) * sizeof *output->sizes;
    status = wari_allocate(distributed->level->host, bytes, "the sizes of a level's chunks",
                           &output->memory, error);
    if (status != WARI_OK)
        return status;
    memset(output->memory, 0, bytes);
    output->sizes = output->memory;
    output->own.sizes = output->sizes + output->batch;
    output->own.bytes = (char *)distributed->level->resident.copy; /* only sweeps need the copy */
    output->own.capacity = distributed->level->resident.copy_bytes;
    return WARI_OK;
}

static enum wari_status begin_file(struct output *output, struct wari_error *error)
{
    const struct wari_level_address address = {output->distributed->level->host,
                                               output->disks->folder, output->key};
    enum wari_status status = WARI_OK;

    if (output->disks->writes)
        status = wari_level_writer_open(&output->writer, &address, output->model, false, error);
    return wari_net_agree(output->distributed->net, status, error);
}

/* Finishes the file. Sends the hash of the header and the size of the file from the record of rank
 * 0 to all ranks. Rank 0 knows both, because it always writes to its folder.
 */
static enum wari_status finish_file(struct output *output, struct wari_level_record *record,
                                    struct wari_error *error)
{
    struct wari_net *net = output->distributed->net;
    enum wari_status status = WARI_OK;

    if (output->writer)
        status = wari_level_writer_place(output->writer, record->payload_hash, output->ready,
                                         record, error);
    output->writer = NULL;
    status = wari_net_agree(net, status, error);
    wari_net_broadcast(net, 0, &record->header_hash, sizeof record->header_hash);
    wari_net_broadcast(net, 0, &record->file_bytes, sizeof record->file_bytes);
    record->other_hash = record->other_bytes = 0;
    return status;
}

static enum wari_status write_file(struct output *output, struct wari_level_record *record,
                                   struct wari_error *error)
{
    const double start = wari_seconds_now();
    enum wari_status status = make_model(output, error);

    output->distributed->level->progress.statistics->seconds.encode += wari_seconds_now() - start;
    if (status == WARI_OK)
        status = begin_file(output, error);
    if (status == WARI_OK)
        status = write_blocks(output, error);
    return status == WARI_OK ? finish_file(output, record, error) : status;
}

enum wari_status wari_distributed_write(struct wari_distributed *distributed,
                                        struct wari_batch_encoder *encoder,
                                        const struct wari_disks *disks, struct wari_variant variant,
                                        const struct wari_level_ready *ready,
                                        struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host *host = distributed->level->host;
    struct output output = {
        .distributed = distributed,
        .encoder = encoder,
        .disks = disks,
        .ready = ready,
        .key = {variant, distributed->level->layout.seeds},
        .source = {.level = distributed->level, .read = read_chunk},
    };
    enum wari_status status = wari_net_agree(distributed->net, allocate(&output, error), error);

    output.source.context = &output.heads;
    if (status == WARI_OK)
        status = collect_heads(&output.heads, distributed, &record->payload_hash, error);
    if (status == WARI_OK)
        status = write_file(&output, record, error);
    wari_level_writer_abandon(output.writer);
    wari_model_destroy(output.model);
    wari_release(host, output.heads.values);
    wari_release(host, output.own.allocated);
    wari_release(host, output.memory);
    return status;
}
