/* What travels in a round: how much, from where to where.
 *
 * Sender and receiver go through the same items in the same order, so neither needs to hear what
 * the other one sends. Rows are sent as the stretches that the item's strips need, one for each
 * sowing of each column; rows that the computing rank holds itself are left out.
 */
#include "solver/cluster/rounds.h"

#include <string.h>

/* ---- Needs ----------------------------------------------------------------------------------- */

struct wari_need wari_need_of(const struct wari_level *level, const struct wari_item *item,
                              int sown)
{
    const struct wari_gather *gather = wari_item_gather(level, item, sown);
    const uint32_t end = gather->first_word[item->first_strip + item->strips];
    const struct wari_word *first = &gather->word[gather->first_word[item->first_strip]];
    const struct wari_word *last = &gather->word[end - 1];

    return (struct wari_need){
        first->column, last->column + 64 - (uint32_t)__builtin_clzll(last->mask) - first->column};
}

/* What an item needs of one child row. */
struct stretch {
    int child; /* its block */
    uint32_t row;
    struct wari_need need;
};

/* All of them, in the order in which the item is computed; returns their number. */
static int stretches_of(const struct wari_level *level, const struct wari_item *item,
                        struct stretch stretches[WARI_ITEM_COLUMNS * WARI_HALF_PITS])
{
    const int mine = level->layout.seeds - item->block; /* seeds of the mover's half */
    wari_sowing sowings[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
    int count = 0;

    wari_sow_halves(&level->tables->halves, mine, item->first_column, item->columns, sowings);
    for (uint32_t column = 0; column < item->columns; column++) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const wari_sowing sowing = sowings[column][pit];
            const int sown = sowing == WARI_NO_SOWING ? 0 : wari_sowing_sown(sowing);
            if (sowing == WARI_NO_SOWING || (sown == 0 && item->block == 0))
                continue; /* an empty pit; or a move that must reach an empty row */
            stretches[count++] = (struct stretch){mine - sown, wari_sowing_row(sowing),
                                                  wari_need_of(level, item, sown)};
        }
    }
    return count;
}

/* Bytes of the child rows of an item that this rank holds, and sends for another one's item; or
 * that it does not hold, and come for its own. Puts them into `out`, and adds them to from[rank],
 * where these are not NULL. */
static uint64_t rows_of(const struct wari_distributed *distributed, const struct wari_item *item,
                        bool held, int8_t *out, uint64_t *from)
{
    const struct wari_level *level = distributed->level;
    struct stretch stretches[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
    const int count = stretches_of(level, item, stretches);
    uint64_t bytes = 0;

    for (int i = 0; i < count; i++) {
        const struct stretch *at = &stretches[i];
        if (wari_holds_row(level, at->child, at->row) != held)
            continue;
        if (out)
            memcpy(out + bytes, wari_resident_row(level, item, at->child, at->row) + at->need.first,
                   at->need.columns);
        if (from)
            from[wari_ranks_owner(&distributed->ranks, at->child, at->row)] += at->need.columns;
        bytes += at->need.columns;
    }
    return bytes;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

struct wari_tile_rows wari_tile_rows_of(const struct wari_distributed *distributed,
                                        const struct wari_item *item, int rank)
{
    const uint32_t *mine = &distributed->ranks.first_row[item->block][rank];
    const uint32_t begin = item->first_strip * WARI_STRIP;
    const uint32_t end = begin + item->strips * WARI_STRIP;
    const uint32_t first = mine[0] > begin ? mine[0] : begin;
    const uint32_t last = mine[1] < end ? mine[1] : end;

    return (struct wari_tile_rows){first, last > first ? last : first};
}

/* Bytes of an item's tile that a rank gets, filled up to a cache line. */
static uint64_t tile_to(const struct wari_distributed *distributed, const struct wari_item *item,
                        int rank)
{
    const struct wari_tile_rows rows = wari_tile_rows_of(distributed, item, rank);

    return ((uint64_t)(rows.end - rows.first) * item->columns + WARI_LINE - 1) / WARI_LINE *
           WARI_LINE;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

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
    const bool tiles = turn->work.cut.parents == WARI_PARENTS_ROWS;
    const int me = distributed->net->rank, ranks = distributed->net->ranks;
    uint64_t bytes[4] = {0}, most = 0; /* rows sent and received, tiles sent and received */

    for (int rank = 0; rank < ranks; rank++) {
        const uint32_t items = wari_round_items(turn, rank, round);
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(turn, rank, round, i);
            bytes[rank == me] += rows_of(distributed, &item, rank != me, NULL, NULL);
            if (tiles && rank != me)
                bytes[3] += tile_to(distributed, &item, me);
            for (int to = 0; tiles && rank == me && to < ranks; to++)
                bytes[2] += to == me ? 0 : tile_to(distributed, &item, to);
        }
    }
    for (int i = 0; i < 4; i++)
        most = bytes[i] > most ? bytes[i] : most;
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

/* Makes rounds smaller, for which buffers of so many bytes are needed, so that they should fit:
 * fewer items, but some for each thread; then shorter ones. False if they cannot be. */
static bool make_smaller(const struct wari_distributed *distributed, struct wari_rounds *turn,
                         uint64_t bytes)
{
    enum { SOME = 8 }; /* items, of which each thread has some */
    uint32_t run = turn->work.cut.run / WARI_RANGE_STRIPS, batch = turn->batch;

    if (run == 1 && batch == 1)
        return false;
    for (; bytes > distributed->buffer && (run > 1 || batch > 1); bytes /= 2) {
        if (batch > SOME || run == 1)
            batch /= 2;
        else
            run /= 2;
    }
    *turn = turn_of(distributed, turn->work.cut.parents, turn->work.cut.block, run, batch);
    return true;
}

/* The turns of all blocks. Returns the bytes of buffers that they need. */
static uint64_t plan_turns(struct wari_distributed *distributed, enum wari_parents parents)
{
    const int seeds = distributed->level->layout.seeds;
    struct wari_rounds *turn = distributed->turn[parents];
    uint64_t bytes[WARI_SEEDS_MAX + 1], least = 0;
    bool fits[WARI_SEEDS_MAX + 1] = {false}, all;

    for (int block = 0; block <= seeds; block++)
        turn[block] =
            turn_of(distributed, parents, block,
                    parents == WARI_PARENTS_ROWS ? WARI_ITEM_STRIPS_MAX / WARI_RANGE_STRIPS : 1,
                    WARI_ROUND_ITEMS);
    do {
        all = true;
        for (int block = 0; block <= seeds; block++)
            bytes[block] = fits[block] ? 0 : bytes_of_turn(distributed, &turn[block]);
        wari_net_max(distributed->net, bytes, seeds + 1);
        for (int block = 0; block <= seeds; block++) {
            fits[block] = bytes[block] <= distributed->buffer ||
                          !make_smaller(distributed, &turn[block], bytes[block]);
            if (fits[block] && bytes[block] > least)
                least = bytes[block];
            all &= fits[block];
        }
    } while (!all);
    return least;
}

void wari_plan_rounds(struct wari_distributed *distributed)
{
    const uint64_t rows = plan_turns(distributed, WARI_PARENTS_ROWS);
    const uint64_t full = plan_turns(distributed, WARI_PARENTS_FULL);

    distributed->buffer = rows > distributed->buffer ? rows : distributed->buffer;
    distributed->buffer = full > distributed->buffer ? full : distributed->buffer;
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

/* Gives all that travels in a round its place. `mine_at`, `theirs_at`: where what goes to or comes
 * from each rank begins, for this rank's items and for those of others. */
static void lay_out(const struct wari_distributed *distributed, const struct wari_rounds *turn,
                    uint32_t items, struct wari_round *round, uint64_t *mine_at,
                    uint64_t *theirs_at)
{
    const int ranks = distributed->net->ranks;
    uint64_t mine = 0, theirs = 0;

    for (int rank = 0; rank < ranks; rank++) {
        mine_at[rank] = mine;
        mine = lay_behind(round->mine + rank, items, (size_t)ranks, mine);
        theirs_at[rank] = theirs;
        theirs = lay_behind(round->theirs + (size_t)rank * turn->batch, turn->batch, 1, theirs);
    }
    mine_at[ranks] = mine;
    theirs_at[ranks] = theirs;
}

bool wari_others_item(const struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, uint32_t task, struct wari_item *item)
{
    const int rank = (int)(task / turn->batch);
    const uint32_t i = task % turn->batch;

    if (rank == distributed->net->rank || i >= wari_round_items(turn, rank, round))
        return false;
    *item = wari_round_item(turn, rank, round, i);
    return true;
}

void wari_pack_rows(struct wari_distributed *distributed, const struct wari_rounds *turn,
                    uint32_t round, struct wari_round *rows)
{
    const int me = distributed->net->rank;
    const size_t ranks = (size_t)distributed->net->ranks;
    const uint32_t tasks = (uint32_t)ranks * turn->batch, items = wari_round_items(turn, me, round);

    memset(rows->mine, 0, items * ranks * sizeof *rows->mine);
#pragma omp parallel num_threads(distributed->threads)
    {
        struct wari_item item;
#pragma omp for schedule(dynamic) nowait
        for (uint32_t i = 0; i < items; i++) {
            item = wari_round_item(turn, me, round, i);
            (void)rows_of(distributed, &item, false, NULL, rows->mine + i * ranks);
        }
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < tasks; task++)
            rows->theirs[task] = wari_others_item(distributed, turn, round, task, &item)
                                     ? rows_of(distributed, &item, true, NULL, NULL)
                                     : 0;
#pragma omp single
        lay_out(distributed, turn, items, rows, rows->exchange->receive_at,
                rows->exchange->send_at);
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < tasks; task++)
            if (wari_others_item(distributed, turn, round, task, &item))
                (void)rows_of(distributed, &item, true, rows->out + rows->theirs[task], NULL);
    }
}

void wari_place_tiles(struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, struct wari_round *tiles)
{
    const int me = distributed->net->rank;
    const uint32_t ranks = (uint32_t)distributed->net->ranks;
    const uint32_t items = wari_round_items(turn, me, round);
    struct wari_item item;

    for (uint32_t task = 0; task < ranks * turn->batch; task++)
        tiles->theirs[task] = wari_others_item(distributed, turn, round, task, &item)
                                  ? tile_to(distributed, &item, me)
                                  : 0;
    for (uint32_t i = 0; i < items; i++) {
        item = wari_round_item(turn, me, round, i);
        for (uint32_t rank = 0; rank < ranks; rank++)
            tiles->mine[i * ranks + rank] =
                (int)rank == me ? 0 : tile_to(distributed, &item, (int)rank);
    }
    lay_out(distributed, turn, items, tiles, tiles->exchange->send_at, tiles->exchange->receive_at);
}
