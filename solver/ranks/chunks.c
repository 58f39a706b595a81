/* Whose chunks are whose, and their last values; see files.h. All ranks know all runs, so nobody
 * asks: the exchange is planned by going through the runs in order of the file. */
#include <string.h>

#include "solver/ranks/chunks.h"

struct wari_chunk_run wari_chunk_run_of(const struct wari_ranks *ranks, int rank, int block)
{
    const uint64_t begin = ranks->layout.block_offset[block];
    const uint64_t columns = ranks->layout.columns[block];
    const uint32_t *first = ranks->first_row[block];
    const uint64_t from = begin + first[rank] * columns, to = begin + first[rank + 1] * columns;

    return (struct wari_chunk_run){
        .first = from,
        .end = to,
        .first_chunk = (from + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS,
        .end_chunk = (to + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS,
    };
}

/* Values at the beginning of a run that belong to a chunk of another one. */
struct transfer {
    int from, to; /* ranks */
    int to_block;
    uint64_t first, count;
};

/* Goes through all runs. */
struct transfers {
    const struct wari_ranks *ranks;
    int block, rank; /* the next run */
    int owner, owner_block;
};

static bool next_transfer(struct transfers *all, struct transfer *transfer)
{
    for (; all->block <= all->ranks->layout.seeds; all->rank = 0, all->block++) {
        for (; all->rank < all->ranks->count; all->rank++) {
            const struct wari_chunk_run run = wari_chunk_run_of(all->ranks, all->rank, all->block);
            const uint64_t chunk_end = run.first_chunk * WARI_CHUNK_POSITIONS;
            const uint64_t end = run.end < chunk_end ? run.end : chunk_end;
            if (run.first == run.end)
                continue;
            *transfer = (struct transfer){all->rank, all->owner, all->owner_block, run.first,
                                          end > run.first ? end - run.first : 0};
            if (run.first_chunk < run.end_chunk) {
                all->owner = all->rank;
                all->owner_block = all->block;
            }
            if (transfer->count == 0)
                continue;
            all->rank++;
            return true;
        }
    }
    return false;
}

/* Bytes to and from each rank; what a rank keeps to itself counts as sent to it. */
static void count(const struct wari_distributed *distributed, struct wari_exchange *exchange)
{
    const int me = distributed->net->rank, ranks = distributed->net->ranks;
    struct transfers all = {.ranks = &distributed->ranks};
    struct transfer transfer;

    memset(exchange->send_at, 0, ((size_t)ranks + 1) * sizeof(uint64_t));
    memset(exchange->receive_at, 0, ((size_t)ranks + 1) * sizeof(uint64_t));
    while (next_transfer(&all, &transfer)) {
        if (transfer.from == me)
            exchange->send_at[transfer.to + 1] += transfer.count;
        if (transfer.to == me)
            exchange->receive_at[transfer.from + 1] += transfer.count;
    }
    for (int rank = 0; rank < ranks; rank++) {
        exchange->send_at[rank + 1] += exchange->send_at[rank];
        exchange->receive_at[rank + 1] += exchange->receive_at[rank];
    }
}

/* Sends what others need. `next`: for each rank where to put it, or where to take it from. */
static void pack(const struct wari_distributed *distributed, const struct wari_exchange *exchange,
                 int8_t *out, uint64_t *next)
{
    struct transfers all = {.ranks = &distributed->ranks};
    struct transfer transfer;

    memcpy(next, exchange->send_at, (size_t)distributed->net->ranks * sizeof *next);
    while (next_transfer(&all, &transfer)) {
        if (transfer.from != distributed->net->rank)
            continue;
        wari_level_values(distributed->level, transfer.first, (size_t)transfer.count,
                          out + next[transfer.to]);
        next[transfer.to] += transfer.count;
    }
}

static void unpack(struct wari_tails *tails, const struct wari_exchange *exchange, const int8_t *in,
                   uint64_t *next)
{
    struct transfers all = {.ranks = &tails->distributed->ranks};
    struct transfer transfer;
    uint32_t at = 0;
    int block = 0;

    memcpy(next, exchange->receive_at, (size_t)tails->distributed->net->ranks * sizeof *next);
    memset(tails->at, 0, sizeof tails->at);
    while (next_transfer(&all, &transfer)) {
        if (transfer.to != tails->distributed->net->rank)
            continue;
        while (block < transfer.to_block)
            tails->at[++block] = at;
        memcpy(tails->values + at, in + next[transfer.from], (size_t)transfer.count);
        next[transfer.from] += transfer.count;
        at += (uint32_t)transfer.count;
    }
}

enum wari_status wari_tails_create(struct wari_tails *tails, struct wari_distributed *distributed,
                                   struct wari_error *error)
{
    struct wari_exchange *exchange = &distributed->rows[0].exchange;
    const void *const usual_send = exchange->send;
    void *const usual_receive = exchange->receive;
    const int me = distributed->net->rank;
    uint64_t out, in;
    void *memory;
    enum wari_status status;

    count(distributed, exchange);
    out = exchange->send_at[distributed->net->ranks];
    in = exchange->receive_at[distributed->net->ranks];
    status = wari_allocate(distributed->level->host, (size_t)(out + 2 * in) + 1,
                           "the ends of a level's chunks", &memory, error);
    *tails = (struct wari_tails){.distributed = distributed, .values = memory};
    status = wari_net_agree(distributed->net, status, error);
    if (status != WARI_OK) {
        wari_tails_destroy(tails);
        return status;
    }
    int8_t *sent = tails->values + in, *received = sent + out;
    pack(distributed, exchange, sent, distributed->cursors);
    memcpy(received + exchange->receive_at[me], sent + exchange->send_at[me],
           (size_t)(exchange->send_at[me + 1] - exchange->send_at[me]));
    exchange->cargo = WARI_CARGO_FILE;
    exchange->send = sent;
    exchange->receive = received;
    wari_exchange_begin(exchange, distributed->net);
    wari_exchange_end(exchange);
    unpack(tails, exchange, received, distributed->cursors);
    exchange->send = usual_send;
    exchange->receive = usual_receive;
    return WARI_OK;
}

void wari_tails_destroy(struct wari_tails *tails)
{
    wari_release(tails->distributed->level->host, tails->values);
    tails->values = NULL;
}

void wari_tails_read(const struct wari_chunks *chunks, uint64_t chunk, size_t size, int8_t *values)
{
    const struct wari_tails *tails = chunks->context;
    const struct wari_layout *layout = &chunks->level->layout;
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    int block = 0;

    while (first >= layout->block_offset[block + 1])
        block++;
    const struct wari_chunk_run run =
        wari_chunk_run_of(&tails->distributed->ranks, tails->distributed->net->rank, block);
    const size_t here = run.end - first < size ? (size_t)(run.end - first) : size;
    wari_level_values(chunks->level, first, here, values);
    memcpy(values + here, tails->values + tails->at[block], size - here);
}
