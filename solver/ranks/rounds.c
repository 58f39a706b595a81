/* What travels in a round: how much, from where to where.
 *
 * Sender and receiver go through the same items in the same order, so neither needs to be told what
 * the other one sends. Rows are sent as the stretches that the item's strips need, one for each
 * sowing of each column; rows that the computing rank holds itself are left out.
 */
#include "solver/ranks/rounds.h"
#include "solver/rows/sowings.h"

#include <omp.h>
#include <string.h>

enum { LINE = 64 };

/* ---- Needs ---------------------------------------------------------------------------------- */

void wari_item_needs(const struct wari_level *level, const struct wari_item *item,
                     struct wari_need needs[WARI_SOWN_MAX + 1])
{
    const int mine = level->layout.seeds - item->block; /* seeds of the mover's half */

    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++) {
        const struct wari_gather *gather = wari_item_gather(level, item, sown);
        needs[sown] = (struct wari_need){0};
        if (wari_seeds_to_sow(sown) > mine || (sown == 0 && item->block == 0))
            continue; /* no such pit; or a move that must reach an empty row */
        const uint32_t end = gather->first_word[item->first_strip + item->strips];
        const struct wari_word *first = &gather->word[gather->first_word[item->first_strip]];
        const struct wari_word *last = &gather->word[end - 1];
        needs[sown].first = first->column;
        needs[sown].columns =
            last->column + 64 - (uint32_t)__builtin_clzll(last->mask) - first->column;
    }
}

/* What the rank itself holds of a child block. */
static bool holds(const struct wari_level *level, int child, uint32_t row)
{
    return row - level->held.share.first_row[child] < level->held.share.rows[child];
}

/* Goes through the children rows of an item: `body` sees `sown`, `child` and `row`. */
#define FOR_EACH_NEED(level, item, needs, body)                                                    \
    wari_sowing sowings_[WARI_GROUP][WARI_HALF_PITS];                                              \
    wari_sow_halves(&(level)->tables->halves, (level)->layout.seeds - (item)->block,               \
                    (item)->first_column, (item)->columns, sowings_);                              \
    for (uint32_t column_ = 0; column_ < (item)->columns; column_++) {                             \
        const wari_sowing *sowing_ = sowings_[column_];                                            \
        for (int pit_ = 0; pit_ < WARI_HALF_PITS; pit_++) {                                        \
            if (sowing_[pit_] == WARI_NO_SOWING)                                                   \
                continue;                                                                          \
            const int sown = wari_sowing_sown(sowing_[pit_]);                                      \
            const int child = (level)->layout.seeds - (item)->block - sown;                        \
            const uint32_t row = wari_sowing_row(sowing_[pit_]);                                   \
            if ((needs)[sown].columns == 0)                                                        \
                continue;                                                                          \
            body                                                                                   \
        }                                                                                          \
    }

/* Bytes that this rank sends for another one's item. */
static uint64_t bytes_to(const struct wari_distributed *distributed, const struct wari_item *item)
{
    const struct wari_level *level = distributed->level;
    struct wari_need needs[WARI_SOWN_MAX + 1];
    uint64_t bytes = 0;

    wari_item_needs(level, item, needs);
    FOR_EACH_NEED(level, item, needs, {
        if (holds(level, child, row))
            bytes += needs[sown].columns;
    })
    return bytes;
}

/* Adds to bytes[rank] what comes from there for an item of this rank. */
static void bytes_from(const struct wari_distributed *distributed, const struct wari_item *item,
                       uint64_t *bytes)
{
    const struct wari_level *level = distributed->level;
    struct wari_need needs[WARI_SOWN_MAX + 1];

    wari_item_needs(level, item, needs);
    FOR_EACH_NEED(level, item, needs, {
        if (!holds(level, child, row))
            bytes[wari_ranks_owner(&distributed->ranks, child, row)] += needs[sown].columns;
    })
}

static void pack(const struct wari_distributed *distributed, const struct wari_item *item,
                 int8_t *out)
{
    const struct wari_level *level = distributed->level;
    struct wari_need needs[WARI_SOWN_MAX + 1];

    wari_item_needs(level, item, needs);
    FOR_EACH_NEED(level, item, needs, {
        if (holds(level, child, row)) {
            memcpy(out, wari_held_row(level, item, child, row) + needs[sown].first,
                   needs[sown].columns);
            out += needs[sown].columns;
        }
    })
}

uint64_t wari_tile_bytes(const struct wari_item *item, uint32_t from, uint32_t to)
{
    const uint32_t first = item->first_strip * WARI_STRIP;
    const uint32_t end = first + item->strips * WARI_STRIP;
    uint64_t bytes = 0;

    from = from > first ? from : first;
    to = to < end ? to : end;
    while (from < to) {
        const uint32_t strip_end = (from / WARI_STRIP + 1) * WARI_STRIP;
        const uint32_t until = to < strip_end ? to : strip_end;
        bytes += ((uint64_t)(until - from) * item->columns + LINE - 1) / LINE * LINE;
        from = until;
    }
    return bytes;
}

static uint64_t tile_bytes_to(const struct wari_distributed *distributed,
                              const struct wari_item *item, int rank)
{
    const uint32_t *first = distributed->ranks.first_row[item->block];

    return wari_tile_bytes(item, first[rank], first[rank + 1]);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

uint32_t wari_round_items(const struct wari_rounds *turn, int rank, uint32_t round)
{
    const uint32_t count = wari_work_count(&turn->work, rank);
    const uint32_t first = round * turn->batch;

    if (first >= count)
        return 0;
    return count - first < turn->batch ? count - first : turn->batch;
}

static struct wari_rounds turn_of(const struct wari_distributed *distributed,
                                  enum wari_parents parents, int block, uint32_t run,
                                  uint32_t batch)
{
    struct wari_rounds turn = {.work = wari_work_of(&distributed->ranks, parents, block, run),
                               .batch = batch};
    uint32_t most = 0;

    for (int rank = 0; rank < distributed->net->ranks; rank++) {
        const uint32_t count = wari_work_count(&turn.work, rank);
        most = count > most ? count : most;
    }
    turn.rounds = (most + batch - 1) / batch;
    return turn;
}

/* The largest buffer that this rank needs in one round. */
static uint64_t bytes_of_round(const struct wari_distributed *distributed,
                               const struct wari_rounds *turn, uint32_t round)
{
    const bool tiles = turn->work.parents == WARI_PARENTS_ROWS;
    const int me = distributed->net->rank;
    uint64_t rows[2] = {0}, cells[2] = {0}, most = 0; /* sent, received */
    uint64_t *from =
        distributed->cursors + (size_t)omp_get_thread_num() * (size_t)distributed->net->ranks;

    memset(from, 0, (size_t)distributed->net->ranks * sizeof *from);
    for (int rank = 0; rank < distributed->net->ranks; rank++) {
        const uint32_t items = wari_round_items(turn, rank, round);
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(turn, rank, round, i);
            if (rank == me) {
                bytes_from(distributed, &item, from);
                cells[0] += tiles ? wari_tile_bytes(&item, 0, item.rows) +
                                        (uint64_t)distributed->net->ranks * LINE
                                  : 0;
            } else {
                rows[0] += bytes_to(distributed, &item);
                cells[1] += tiles ? tile_bytes_to(distributed, &item, me) : 0;
            }
        }
    }
    for (int rank = 0; rank < distributed->net->ranks; rank++)
        rows[1] += from[rank];
    for (int i = 0; i < 2; i++) {
        most = rows[i] > most ? rows[i] : most;
        most = cells[i] > most ? cells[i] : most;
    }
    return most;
}

static uint64_t bytes_of_turn(const struct wari_distributed *distributed,
                              const struct wari_rounds *turn)
{
    uint64_t most = 0;

#pragma omp parallel for num_threads(distributed->threads) schedule(dynamic) reduction(max : most)
    for (uint32_t round = 0; round < turn->rounds; round++) {
        const uint64_t bytes = bytes_of_round(distributed, turn, round);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Makes rounds smaller: fewer items, then shorter ones. False if they cannot be. */
static bool make_smaller(const struct wari_distributed *distributed, struct wari_rounds *turn)
{
    uint32_t run = turn->work.run, batch = turn->batch;

    if (batch > 1)
        batch /= 2;
    else if (run > 1)
        run /= 2;
    else
        return false;
    *turn = turn_of(distributed, turn->work.parents, turn->work.block, run, batch);
    return true;
}

void wari_plan_rounds(struct wari_distributed *distributed)
{
    const int seeds = distributed->level->layout.seeds;
    uint64_t bytes[WARI_SEEDS_MAX + 1], least = 0;
    bool smaller;

    for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++) {
        bool fits[WARI_SEEDS_MAX + 1] = {false};
        for (int block = 0; block <= seeds; block++) {
            const struct wari_pace pace = wari_ranks_pace(
                &distributed->ranks, (enum wari_parents)kind, block, distributed->buffer);
            distributed->turn[kind][block] =
                turn_of(distributed, (enum wari_parents)kind, block, pace.run, pace.batch);
        }
        do {
            smaller = false;
            for (int block = 0; block <= seeds; block++)
                bytes[block] =
                    fits[block] ? 0 : bytes_of_turn(distributed, &distributed->turn[kind][block]);
            wari_net_most(distributed->net, bytes, seeds + 1);
            for (int block = 0; block <= seeds; block++) {
                if (fits[block])
                    continue;
                fits[block] = bytes[block] <= distributed->buffer ||
                              !make_smaller(distributed, &distributed->turn[kind][block]);
                smaller |= !fits[block];
                if (fits[block] && bytes[block] > least)
                    least = bytes[block];
            }
        } while (smaller);
    }
    if (least > distributed->buffer)
        distributed->buffer = least;
}

/* Turns numbers of bytes into places, one behind the other; count[i * step]. */
static uint64_t lay_behind(uint64_t *count, uint32_t items, size_t step, uint64_t at)
{
    for (uint32_t i = 0; i < items; i++) {
        const uint64_t bytes = count[i * step];
        count[i * step] = at;
        at += bytes;
    }
    return at;
}

/* The i-th of all ranks' items of a round, if it is another rank's and there. */
static bool others_item(const struct wari_distributed *distributed, const struct wari_rounds *turn,
                        uint32_t round, int task, struct wari_item *item)
{
    const int rank = task / (int)turn->batch;
    const uint32_t i = (uint32_t)task % turn->batch;

    if (rank == distributed->net->rank || i >= wari_round_items(turn, rank, round))
        return false;
    *item = wari_round_item(turn, rank, round, i);
    return true;
}

void wari_pack_rows(struct wari_distributed *distributed, const struct wari_rounds *turn,
                    uint32_t round, struct wari_round *rows)
{
    const int me = distributed->net->rank, ranks = distributed->net->ranks;
    const int tasks = ranks * (int)turn->batch;
    const uint32_t items = wari_round_items(turn, me, round);
    uint64_t received = 0, sent = 0;

    memset(rows->from, 0, (size_t)items * (size_t)ranks * sizeof *rows->from);
#pragma omp parallel num_threads(distributed->threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(turn, me, round, i);
            bytes_from(distributed, &item, rows->from + i * (size_t)ranks);
        }
#pragma omp for schedule(dynamic)
        for (int task = 0; task < tasks; task++) {
            struct wari_item item;
            const bool wanted = others_item(distributed, turn, round, task, &item);
            rows->to[task] = wanted ? bytes_to(distributed, &item) : 0;
        }
#pragma omp single
        for (int rank = 0; rank < ranks; rank++) {
            rows->exchange.receive_at[rank] = received;
            received = lay_behind(rows->from + rank, items, (size_t)ranks, received);
            rows->exchange.send_at[rank] = sent;
            sent = lay_behind(rows->to + (size_t)rank * turn->batch, turn->batch, 1, sent);
        }
#pragma omp for schedule(dynamic)
        for (int task = 0; task < tasks; task++) {
            struct wari_item item;
            if (others_item(distributed, turn, round, task, &item))
                pack(distributed, &item, rows->out + rows->to[task]);
        }
    }
    rows->exchange.receive_at[ranks] = received;
    rows->exchange.send_at[ranks] = sent;
}

void wari_place_tiles(struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, struct wari_round *tiles)
{
    const int me = distributed->net->rank, ranks = distributed->net->ranks;
    const uint32_t mine = wari_round_items(turn, me, round);
    uint64_t received = 0, sent = 0;

    for (int rank = 0; rank < ranks; rank++) {
        const uint32_t items = wari_round_items(turn, rank, round);
        uint64_t *from = tiles->from + (size_t)rank * turn->batch;
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(turn, rank, round, i);
            from[i] = rank == me ? 0 : tile_bytes_to(distributed, &item, me);
        }
        tiles->exchange.receive_at[rank] = received;
        received = lay_behind(from, items, 1, received);
        for (uint32_t i = 0; i < mine; i++) {
            const struct wari_item item = wari_round_item(turn, me, round, i);
            tiles->to[i * (size_t)ranks + (size_t)rank] =
                rank == me ? 0 : tile_bytes_to(distributed, &item, rank);
        }
        tiles->exchange.send_at[rank] = sent;
        sent = lay_behind(tiles->to + rank, mine, (size_t)ranks, sent);
    }
    tiles->exchange.receive_at[ranks] = received;
    tiles->exchange.send_at[ranks] = sent;
}
