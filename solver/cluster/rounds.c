/* Plans the rows and tiles that ranks exchange in each round.
 *
 * Sender and receiver process the same items in the same order, so that no sizes have to be sent.
 * Each sowing of each column of an item has its children in one child row. The columns of this row
 * that contain the children are sent to the rank that computes the item, unless that rank itself
 * owns the row.
 */
#include "solver/cluster/rounds.h"

#include <string.h>

/* ---- Child rows ------------------------------------------------------------------------------ */

struct wari_needed_columns wari_needed_columns_of(const struct wari_level *level,
                                                  const struct wari_item *item, int sown)
{
    const struct wari_gather *gather = wari_item_gather(level, item, sown);
    const uint32_t end = gather->first_word[item->first_strip + item->strips];
    const struct wari_word *first = &gather->word[gather->first_word[item->first_strip]];
    const struct wari_word *last = &gather->word[end - 1];

    return (struct wari_needed_columns){
        first->column, last->column + 64 - (uint32_t)__builtin_clzll(last->mask) - first->column};
}

/* The columns of one child row that an item needs. */
struct needed_row {
    int child; /* block of the child row */
    uint32_t row;
    struct wari_needed_columns need;
};

/* Finds all child rows of an item, in the order in which they are used. Returns the number of rows.
 */
static int find_needed_rows(const struct wari_level *level, const struct wari_item *item,
                            struct needed_row needed[WARI_ITEM_COLUMNS * WARI_HALF_PITS])
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
                continue; /* no move: the pit is empty, or the opponent must be fed */
            needed[count++] = (struct needed_row){mine - sown, wari_sowing_row(sowing),
                                                  wari_needed_columns_of(level, item, sown)};
        }
    }
    return count;
}

/* Returns the total number of bytes that an item needs of its child rows. Only the rows that this
 * rank owns are counted if `held` is true, and only the rows that other ranks own if it is false.
 * Copies these bytes to `out` unless `out` is NULL. Adds the bytes of each of these rows to
 * from[owner of the row] unless `from` is NULL. */
static uint64_t rows_of(const struct wari_distributed *distributed, const struct wari_item *item,
                        bool held, int8_t *out, uint64_t *from)
{
    const struct wari_level *level = distributed->level;
    struct needed_row needed[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
    const int count = find_needed_rows(level, item, needed);
    uint64_t bytes = 0;

    for (int i = 0; i < count; i++) {
        const struct needed_row *at = &needed[i];
        if (wari_owns_row(level, at->child, at->row) != held)
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

/* Returns the number of bytes of an item's tile that are sent to a rank, rounded up to a multiple
 * of the size of a cache line. */
static uint64_t tile_to(const struct wari_distributed *distributed, const struct wari_item *item,
                        int rank)
{
    const struct wari_tile_rows rows = wari_tile_rows_of(distributed, item, rank);

    return ((uint64_t)(rows.end - rows.first) * item->columns + WARI_LINE - 1) / WARI_LINE *
           WARI_LINE;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

uint32_t wari_round_items(const struct wari_round_plan *plan, int rank, uint32_t round)
{
    const uint32_t count = wari_work_count(&plan->work, rank);
    const uint32_t first = round * plan->batch;

    if (first >= count)
        return 0;
    return count - first < plan->batch ? count - first : plan->batch;
}

static struct wari_round_plan make_plan(const struct wari_distributed *distributed,
                                        enum wari_parents parents, int block, uint32_t bands,
                                        uint32_t batch)
{
    struct wari_round_plan plan = {.work = wari_work_of(&distributed->ranks, parents, block, bands),
                                   .batch = batch};
    uint32_t most = 0;

    for (int rank = 0; rank < distributed->net->ranks; rank++) {
        const uint32_t count = wari_work_count(&plan.work, rank);
        most = count > most ? count : most;
    }
    plan.rounds = (most + batch - 1) / batch;
    return plan;
}

/* Returns the size of the largest of the buffers that this rank needs in one round. */
static uint64_t buffer_for_round(const struct wari_distributed *distributed,
                                 const struct wari_round_plan *plan, uint32_t round)
{
    const bool tiles = plan->work.cut.parents == WARI_PARENTS_ROWS;
    const int me = distributed->net->rank, ranks = distributed->net->ranks;
    uint64_t bytes[4] = {0}, most = 0; /* rows sent and received, tiles sent and received */

    for (int rank = 0; rank < ranks; rank++) {
        const uint32_t items = wari_round_items(plan, rank, round);
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(plan, rank, round, i);
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

static uint64_t buffer_for_block(const struct wari_distributed *distributed,
                                 const struct wari_round_plan *plan)
{
    uint64_t most = 0;

#pragma omp parallel for num_threads(distributed->threads) schedule(dynamic) reduction(max : most)
    for (uint32_t round = 0; round < plan->rounds; round++) {
        const uint64_t bytes = buffer_for_round(distributed, plan, round);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Makes the rounds of a block smaller, since their largest buffer needs `bytes` bytes, which is too
 * much. First reduces the number of items, as long as each thread has several items, then the
 * number of strips of each item. Returns false if the rounds cannot be made smaller. */
static bool shrink_rounds(const struct wari_distributed *distributed, struct wari_round_plan *plan,
                          uint64_t bytes)
{
    enum { ROUND_ITEMS_MIN = 8 }; /* least number of items, so that each thread has several */
    uint32_t bands = plan->work.cut.item_strips / WARI_BAND_STRIPS, batch = plan->batch;

    if (bands == 1 && batch == 1)
        return false;
    for (; bytes > distributed->buffer && (bands > 1 || batch > 1); bytes /= 2) {
        if (batch > ROUND_ITEMS_MIN || bands == 1)
            batch /= 2;
        else
            bands /= 2;
    }
    *plan = make_plan(distributed, plan->work.cut.parents, plan->work.cut.block, bands, batch);
    return true;
}

/* Plans the rounds of all blocks for one kind of parents. Reduces the rounds until they fit into
 * buffers of distributed->buffer bytes, as far as this is possible. Returns the size of the buffers
 * that the rounds need. */
static uint64_t plan_blocks(struct wari_distributed *distributed, enum wari_parents parents)
{
    const int seeds = distributed->level->layout.seeds;
    struct wari_round_plan *plan = distributed->plan[parents];
    uint64_t bytes[WARI_SEEDS_MAX + 1], least = 0;
    bool fits[WARI_SEEDS_MAX + 1] = {false}, all;

    for (int block = 0; block <= seeds; block++)
        plan[block] =
            make_plan(distributed, parents, block,
                      parents == WARI_PARENTS_ROWS ? WARI_ITEM_STRIPS_MAX / WARI_BAND_STRIPS : 1,
                      WARI_ROUND_ITEMS);
    do {
        all = true;
        for (int block = 0; block <= seeds; block++)
            bytes[block] = fits[block] ? 0 : buffer_for_block(distributed, &plan[block]);
        wari_net_max(distributed->net, bytes, seeds + 1);
        for (int block = 0; block <= seeds; block++) {
            fits[block] = bytes[block] <= distributed->buffer ||
                          !shrink_rounds(distributed, &plan[block], bytes[block]);
            if (fits[block] && bytes[block] > least)
                least = bytes[block];
            all &= fits[block];
        }
    } while (!all);
    return least;
}

void wari_plan_rounds(struct wari_distributed *distributed)
{
    const uint64_t rows = plan_blocks(distributed, WARI_PARENTS_ROWS);
    const uint64_t full = plan_blocks(distributed, WARI_PARENTS_FULL);

    distributed->buffer = rows > distributed->buffer ? rows : distributed->buffer;
    distributed->buffer = full > distributed->buffer ? full : distributed->buffer;
}

/* Replaces `items` numbers of bytes, count[0], count[step], ..., by consecutive offsets that begin
 * at `at`. Returns the end of the last item. */
static uint64_t assign_offsets(uint64_t *count, uint32_t items, size_t step, uint64_t at)
{
    for (uint32_t i = 0; i < items; i++) {
        const uint64_t bytes = count[i * step];
        count[i * step] = at;
        at += bytes;
    }
    return at;
}

/* Computes the offsets of all bytes that are exchanged in a round. Bytes that are exchanged with a
 * rank begin at own_at[rank] for items of this rank, and at others_at[rank] for items of the other
 * rank. */
static void assign_all_offsets(const struct wari_distributed *distributed,
                               const struct wari_round_plan *plan, uint32_t items,
                               struct wari_round *round, uint64_t *own_at, uint64_t *others_at)
{
    const int ranks = distributed->net->ranks;
    uint64_t mine = 0, theirs = 0;

    for (int rank = 0; rank < ranks; rank++) {
        own_at[rank] = mine;
        mine = assign_offsets(round->own + rank, items, (size_t)ranks, mine);
        others_at[rank] = theirs;
        theirs = assign_offsets(round->others + (size_t)rank * plan->batch, plan->batch, 1, theirs);
    }
    own_at[ranks] = mine;
    others_at[ranks] = theirs;
}

bool wari_other_ranks_item(const struct wari_distributed *distributed,
                           const struct wari_round_plan *plan, uint32_t round, uint32_t task,
                           struct wari_item *item)
{
    const int rank = (int)(task / plan->batch);
    const uint32_t i = task % plan->batch;

    if (rank == distributed->net->rank || i >= wari_round_items(plan, rank, round))
        return false;
    *item = wari_round_item(plan, rank, round, i);
    return true;
}

void wari_pack_rows(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                    uint32_t round, struct wari_round *rows)
{
    const int me = distributed->net->rank;
    const size_t ranks = (size_t)distributed->net->ranks;
    const uint32_t tasks = (uint32_t)ranks * plan->batch, items = wari_round_items(plan, me, round);

    memset(rows->own, 0, items * ranks * sizeof *rows->own);
#pragma omp parallel num_threads(distributed->threads)
    {
        struct wari_item item;
#pragma omp for schedule(dynamic) nowait
        for (uint32_t i = 0; i < items; i++) {
            item = wari_round_item(plan, me, round, i);
            (void)rows_of(distributed, &item, false, NULL, rows->own + i * ranks);
        }
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < tasks; task++)
            rows->others[task] = wari_other_ranks_item(distributed, plan, round, task, &item)
                                     ? rows_of(distributed, &item, true, NULL, NULL)
                                     : 0;
#pragma omp single
        assign_all_offsets(distributed, plan, items, rows, rows->exchange->receive_at,
                           rows->exchange->send_at);
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < tasks; task++)
            if (wari_other_ranks_item(distributed, plan, round, task, &item))
                (void)rows_of(distributed, &item, true, rows->out + rows->others[task], NULL);
    }
}

void wari_assign_tiles(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                       uint32_t round, struct wari_round *tiles)
{
    const int me = distributed->net->rank;
    const uint32_t ranks = (uint32_t)distributed->net->ranks;
    const uint32_t items = wari_round_items(plan, me, round);
    struct wari_item item;

    for (uint32_t task = 0; task < ranks * plan->batch; task++)
        tiles->others[task] = wari_other_ranks_item(distributed, plan, round, task, &item)
                                  ? tile_to(distributed, &item, me)
                                  : 0;
    for (uint32_t i = 0; i < items; i++) {
        item = wari_round_item(plan, me, round, i);
        for (uint32_t rank = 0; rank < ranks; rank++)
            tiles->own[i * ranks + rank] =
                (int)rank == me ? 0 : tile_to(distributed, &item, (int)rank);
    }
    assign_all_offsets(distributed, plan, items, tiles, tiles->exchange->send_at,
                       tiles->exchange->receive_at);
}
