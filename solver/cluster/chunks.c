/* Whose chunks are whose, their heads, and the hash of all values; see chunks.h.
 *
 * The hash has to be made in order, so its state goes from run to run and takes the beginning of
 * the chunk at hand with it. It costs the time of reading the level once.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state that can be passed on */
#include "solver/cluster/chunks.h"

#include <string.h>
#include <xxhash.h>

struct wari_chunk_run wari_chunk_run_of(const struct wari_ranks *ranks, int rank, int block)
{
    const uint64_t begin = ranks->layout.block_offset[block];
    const uint64_t columns = ranks->layout.columns[block];
    const uint32_t *first = ranks->first_row[block];
    const uint64_t from = begin + first[rank] * columns, to = begin + first[rank + 1] * columns;
    const bool last = to == ranks->layout.block_offset[ranks->layout.seeds + 1];

    return (struct wari_chunk_run){
        .first = from,
        .end = to,
        .first_chunk = from / WARI_CHUNK_POSITIONS,
        .end_chunk = from == to ? from / WARI_CHUNK_POSITIONS
                     : last     ? wari_chunk_count(to)
                                : to / WARI_CHUNK_POSITIONS,
    };
}

/* What goes from rank to rank. */
struct baton {
    XXH3_state_t hash;                   /* of all values before */
    int8_t values[WARI_CHUNK_POSITIONS]; /* the last chunk's, if it is not whole yet */
};

/* Adds the values of a run. */
static void hash_run(const struct wari_distributed *distributed, struct wari_chunk_run run,
                     XXH3_state_t *hash)
{
    const struct wari_level *level = distributed->level;
    int8_t *room = distributed->rows[0].out;

    for (uint64_t first = run.first; first < run.end; first += distributed->buffer) {
        const uint64_t left = run.end - first;
        const uint64_t count = left < distributed->buffer ? left : distributed->buffer;
        const int64_t pieces = (int64_t)wari_chunk_count(count);
#pragma omp parallel for num_threads(level->workers->count) schedule(static) if (pieces > 1)
        for (int64_t i = 0; i < pieces; i++) {
            const uint64_t at = (uint64_t)i * WARI_CHUNK_POSITIONS;
            level->backend->values(level, first + at, wari_chunk_size((uint64_t)i, count),
                                   room + at);
        }
        (void)XXH3_64bits_update(hash, room, (size_t)count); /* fails for NULL only */
    }
}

/* Takes the head that this rank needs, and leaves the beginning of the chunk behind the run. */
static void carry(struct wari_heads *heads, int block, struct wari_chunk_run run,
                  struct baton *baton)
{
    const uint64_t whole = run.end_chunk * WARI_CHUNK_POSITIONS;
    const uint64_t rest = whole > run.first ? whole : run.first;

    if (run.first_chunk < run.end_chunk)
        memcpy(heads->values + heads->at[block], baton->values, run.first % WARI_CHUNK_POSITIONS);
    if (rest < run.end)
        heads->distributed->level->backend->values(heads->distributed->level, rest,
                                                   (size_t)(run.end - rest),
                                                   baton->values + rest % WARI_CHUNK_POSITIONS);
    hash_run(heads->distributed, run, &baton->hash);
}

static uint64_t carry_all(struct wari_heads *heads)
{
    const struct wari_ranks *ranks = &heads->distributed->ranks;
    struct wari_net *net = heads->distributed->net;
    int last = -1; /* who had the run before */
    uint64_t result = 0;
    struct baton baton;

    XXH3_INITSTATE(&baton.hash);
    (void)XXH3_64bits_reset(&baton.hash);
    const void *const secret = baton.hash.extSecret; /* an address of the process */
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        for (int rank = 0; rank < ranks->count; rank++) {
            const struct wari_chunk_run run = wari_chunk_run_of(ranks, rank, block);
            if (run.first == run.end)
                continue;
            if (last >= 0)
                wari_net_pass(net, last, rank, &baton, sizeof baton);
            baton.hash.extSecret = secret;
            if (net->rank == rank)
                carry(heads, block, run, &baton);
            last = rank;
        }
    }
    result = net->rank == last ? XXH3_64bits_digest(&baton.hash) : 0;
    wari_net_broadcast(net, last, &result, sizeof result);
    return result;
}

enum wari_status wari_heads_create(struct wari_heads *heads, struct wari_distributed *distributed,
                                   uint64_t *payload_hash, struct wari_error *error)
{
    const struct wari_ranks *ranks = &distributed->ranks;
    uint32_t bytes = 0;
    void *memory;
    enum wari_status status;

    heads->distributed = distributed;
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        const struct wari_chunk_run run = wari_chunk_run_of(ranks, distributed->net->rank, block);
        heads->at[block] = bytes;
        if (run.first_chunk < run.end_chunk)
            bytes += run.first % WARI_CHUNK_POSITIONS;
    }
    status = wari_allocate(distributed->level->host, (size_t)bytes + 1,
                           "the heads of a level's chunks", &memory, error);
    heads->values = memory;
    status = wari_net_agree(distributed->net, status, error);
    if (status == WARI_OK)
        *payload_hash = carry_all(heads);
    return status;
}

void wari_heads_read(const struct wari_chunk_source *chunks, uint64_t chunk, size_t size,
                     int8_t *values)
{
    const struct wari_heads *heads = chunks->context;
    const struct wari_layout *layout = &chunks->level->layout;
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    int block = 0;

    while (first + size > layout->block_offset[block + 1])
        block++;
    const struct wari_chunk_run run =
        wari_chunk_run_of(&heads->distributed->ranks, heads->distributed->net->rank, block);
    const size_t head = run.first > first ? (size_t)(run.first - first) : 0;
    memcpy(values, heads->values + heads->at[block], head);
    chunks->level->backend->values(chunks->level, first + head, size - head, values + head);
}
