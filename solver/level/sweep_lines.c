/* Sweeps all cells of an item. For each column, the smallest children of all strips are gathered in
 * the worker's tile by reading along child rows; then the tile is transposed and merged into the
 * block, strip by strip. The tile stays in the L2 cache. In a block with few strips this would be
 * slow: the loops over strips and words are short, and their lengths depend on the number of seeds
 * sown, which branch predictors cannot learn. In such a block, all moves of an item that drop the
 * same number of seeds are processed together, one strip at a time. */
#include <string.h>

#include "solver/level/captures.h"
#include "solver/level/notify.h"
#include "solver/level/sweep.h"

/* Blocks of at most this many strips are processed strip by strip. The value is an estimate:
 * building levels 0 to 18 on a busy machine took 3.7 s of processor time with 4, 3.8 s with 8, and
 * 4.3 s with 16. */
enum { FEW_STRIPS = 8 };

/* The sources of one column: one source for each of its quiet moves. */
struct sources {
    int count;
    struct wari_source source[WARI_HALF_PITS];
};

/* Makes the kernel prefetch the child rows of the next column while it processes the child rows of
 * the current column. */
static void set_prefetch(struct sources *now, const struct sources *next)
{
    for (int i = 0; i < now->count; i++)
        now->source[i].ahead = i < next->count ? &next->source[i] : NULL;
}

/* The moves of an item, sorted by the number of seeds they drop. Empty pits are sorted as if they
 * dropped SOWN_NUMBERS - 1 seeds, a number that no move can drop. */
enum { ITEM_MOVES = WARI_ITEM_COLUMNS * WARI_HALF_PITS, SOWN_NUMBERS = 32 };

struct moves {
    int first[SOWN_NUMBERS + 1];
    struct wari_child child[ITEM_MOVES];
};

/* Prefetches the children of a strip: one or two cache lines. The children are read when all moves
 * of the item have been sorted. */
static void fetch_ahead(const int8_t *cells)
{
    __builtin_prefetch(cells);
    __builtin_prefetch(cells + WARI_STRIP - 1);
}

static uint32_t first_column_of(const struct wari_gather *gather, uint32_t strip)
{
    return gather->word[gather->first_word[strip]].column;
}

/* The addresses of the child blocks, indexed by the number of seeds that a move drops on the
 * opponent's side. */
struct bases {
    const int8_t *rows[SOWN_NUMBERS];
    size_t pitch[SOWN_NUMBERS];
    uint32_t first_column[SOWN_NUMBERS];
};

static void find_bases(const struct wari_level *level, const struct wari_item *item,
                       struct bases *bases)
{
    for (int t = 0; t < SOWN_NUMBERS; t++) {
        bases->rows[t] = level->resident.cells; /* a valid address for empty pits, which are
                                                 * prefetched, too */
        bases->pitch[t] = bases->first_column[t] = 0;
    }
    for (int t = 0; t <= WARI_SOWN_MAX && t <= level->layout.seeds - item->block; t++) {
        const int child = level->layout.seeds - item->block - t;
        const struct wari_gather *gather = wari_item_gather(level, item, t);
        if (!gather->memory)
            continue; /* no mover half of the block drops this many seeds */
        bases->rows[t] = wari_resident_row(level, item, child, 0);
        bases->pitch[t] = level->resident.pitch[child];
        bases->first_column[t] = first_column_of(gather, item->first_strip);
    }
}

/* Sorts the moves of an item by the number of seeds they drop, with a counting sort. The loops have
 * no branch for each move. Moves are counted separately for each pit, so that successive increments
 * are independent of each other. The function takes a large part of the time of blocks with few
 * rows. */
static void sort_moves(const struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, struct moves *moves)
{
    const wari_sowing(*sowings)[WARI_HALF_PITS] = wari_item_sowings(level, worker, item, 0);
    struct bases bases;
    uint16_t place[SOWN_NUMBERS][WARI_HALF_PITS] = {{0}}, next = 0;

    find_bases(level, item, &bases);
    for (uint32_t column = 0; column < item->columns; column++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            place[wari_sowing_sown(sowings[column][pit])][pit]++;
    for (int t = 0; t < SOWN_NUMBERS; t++) {
        moves->first[t] = next;
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const uint16_t count = place[t][pit];
            place[t][pit] = next;
            next = (uint16_t)(next + count);
        }
    }
    moves->first[SOWN_NUMBERS] = next;
    for (uint32_t column = 0; column < item->columns; column++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const wari_sowing sowing = sowings[column][pit];
            const int t = wari_sowing_sown(sowing);
            const int8_t *row = bases.rows[t] + wari_sowing_row(sowing) * bases.pitch[t];
            moves->child[place[t][pit]++] =
                (struct wari_child){row, column, wari_sowing_last(sowing)};
            fetch_ahead(row + bases.first_column[t]);
        }
    if (item->block == 0)
        moves->first[0] = moves->first[1]; /* feeding: an opponent's empty row must get seeds */
}

static void compute_few_strips(const struct wari_level *level, struct wari_worker *worker,
                               const struct wari_item *item)
{
    const struct wari_gather *gathers = level->tables->gather[item->parents][item->block];
    struct moves moves;

    sort_moves(level, worker, item, &moves);
    memset(worker->tile, WARI_NO_QUIET, (size_t)item->strips * WARI_ITEM_STRIP_CELLS);
    for (int t = 0; t <= WARI_SOWN_MAX; t++) {
        const int count = moves.first[t + 1] - moves.first[t];
        for (uint32_t strip = 0; strip < item->strips && count > 0; strip++)
            level->kernel->worst_of_strip(&gathers[t], item->first_strip + strip,
                                          &moves.child[moves.first[t]], count,
                                          worker->tile + (size_t)strip * WARI_ITEM_STRIP_CELLS);
    }
}

void wari_compute_item(const struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, wari_child_row *child_row)
{
    struct sources sources[2];

    sources[0].count = wari_item_sources(level, worker, item, 0, child_row, sources[0].source);
    for (uint32_t column = 0; column < item->columns; column++) {
        struct sources *now = &sources[column % 2], *next = &sources[(column + 1) % 2];
        next->count =
            column + 1 == item->columns
                ? 0
                : wari_item_sources(level, worker, item, column + 1, child_row, next->source);
        set_prefetch(now, next);
        level->kernel->worst(now->source, now->count, item->first_strip, item->strips,
                             worker->tile + column * WARI_STRIP, WARI_ITEM_STRIP_CELLS);
    }
}

/* Looks up the best captures that a merge needed, and updates the cells and the result. */
static void resolve_queries(struct wari_level *level, struct wari_worker *worker,
                            const struct wari_merge *merge, const struct wari_item_strip *strip)
{
    struct wari_merge_result *merged = &worker->merged;

    for (int i = 0; i < merged->query_count; i++) {
        const struct wari_capture_query *query = &merged->query[i];
        int8_t *cell = strip->cells + query->row * strip->pitch + query->column;
        const struct wari_coordinates coordinates = {merge->block, merge->first_row + query->row,
                                                     merge->first_column + query->column};
        const int8_t code = wari_resolve_query(level, worker, coordinates, query->worst, *cell);
        if (code == *cell)
            continue;
        if (!(merged->rows >> query->row & 1))
            merged->differ[query->row] = 0;
        merged->rows |= UINT64_C(1) << query->row;
        merged->differ[query->row] |= UINT64_C(1) << query->column;
        merged->changed++;
        *cell = code;
    }
}

/* Notifies the parents of the cells of a row that a merge has changed. The old codes of these cells
 * are no longer known. */
static void notify_row(struct wari_level *level, struct wari_worker *worker,
                       const struct wari_merge *merge, const int8_t *cells, uint32_t row,
                       uint64_t differ)
{
    wari_event change[WARI_ITEM_COLUMNS];
    struct wari_board board[WARI_ITEM_COLUMNS];
    uint32_t count = 0;

    for (; differ != 0; differ &= differ - 1) {
        const uint32_t column = (uint32_t)__builtin_ctzll(differ);
        change[count++] =
            wari_event_of(row, merge->first_column + column, cells[column], WARI_CODE_UNKNOWN);
    }
    wari_boards_of_cells(level, merge->block, change, count, board);
    wari_notify_parents(level, worker, merge->block, &(struct wari_changes){change, board, count},
                        true);
}

/* Notifies the parents of all cells that a merge has changed. */
static void notify(struct wari_level *level, struct wari_worker *worker,
                   const struct wari_merge *merge, const struct wari_item_strip *strip)
{
    for (uint64_t rows = worker->merged.rows; rows != 0; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(rows);
        notify_row(level, worker, merge, strip->cells + row * strip->pitch, merge->first_row + row,
                   worker->merged.differ[row]);
    }
}

void wari_merge_item_strip(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_merge *merge, const struct wari_sweep *sweep,
                           struct wari_sweep_result *result)
{
    const int block = merge->block;
    const struct wari_item_strip strip = {
        .codes = &level->codes,
        .worst = merge->worst,
        .cells = wari_level_row(level, block, merge->first_row) + merge->first_column,
        .pitch = level->resident.pitch[block],
        .rows = (int)merge->rows,
        .width = (int)merge->columns,
    };
    struct wari_merge_result *merged = &worker->merged;

    if (level->codes.upper)
        level->kernel->shrink(&strip, merged);
    else
        level->kernel->grow(&strip, merged);
    resolve_queries(level, worker, merge, &strip);
    if (sweep->keep_events)
        notify(level, worker, merge, &strip);
    result->changed += merged->changed;
    result->cells += (uint64_t)merge->rows * merge->columns;
}

void wari_sweep_lines(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, const struct wari_sweep *sweep,
                      struct wari_sweep_result *result)
{
    if (item->strips <= FEW_STRIPS)
        compute_few_strips(level, worker, item);
    else
        wari_compute_item(level, worker, item, wari_resident_row);
    for (uint32_t i = 0; i < item->strips; i++) {
        const struct wari_merge merge = {
            .block = item->block,
            .first_row = (item->first_strip + i) * WARI_STRIP,
            .rows = wari_strip_rows(item, item->first_strip + i),
            .first_column = item->first_column,
            .columns = item->columns,
            .worst = worker->tile + (size_t)i * WARI_ITEM_STRIP_CELLS,
        };
        wari_merge_item_strip(level, worker, &merge, sweep, result);
    }
}
