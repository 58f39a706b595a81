/* Sweeps all cells of an item. The smallest child of each cell is gathered in the worker's tile, by
 * reading along child rows. Then the tile is transposed and merged into the block, strip by strip.
 *
 * The items of dense sweeps in memory have few strips (memory/memory_dense.c). All moves of such an
 * item that drop the same number of seeds are processed together, one strip at a time. Taking one
 * column after the other would be slow: the loops over strips and words would be short, and their
 * lengths would depend on the number of seeds sown, which branch predictors cannot learn. The items
 * of a cluster have many strips, and are computed column by column in wari_compute_item(). Their
 * tile stays in the L2 cache. */
#include <stddef.h>
#include <string.h>

#include "solver/level/captures.h"
#include "solver/level/notify.h"
#include "solver/level/sweep.h"

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

/* Prefetches the children of a strip: one or two cache lines. The lines are read when the children
 * of all moves of the item have been found. */
static void fetch_ahead(const int8_t *cells)
{
    __builtin_prefetch(cells);
    __builtin_prefetch(cells + WARI_STRIP - 1);
}

static uint32_t first_column_of(const struct wari_gather *gather, uint32_t strip)
{
    return gather->word[gather->first_word[strip]].column;
}

/* Returns the moves of an item's columns. They stay valid until the function is called again for
 * the same worker. */
static const struct wari_sorted_moves *
moves_of(const struct wari_level *level, struct wari_worker *worker, const struct wari_item *item)
{
    const struct wari_kept_moves *kept = &level->kept_moves;
    const int seeds = level->layout.seeds - item->block;

    if (kept->groups)
        return &kept->groups[kept->first[seeds] + item->first_column / WARI_ITEM_COLUMNS];
    wari_sort_moves(&level->tables->halves, seeds, item->first_column, item->columns,
                    &worker->moves);
    return &worker->moves;
}

/* Finds the children of the moves that drop `sown` seeds, and prefetches their cells for the item's
 * first strip. Returns the number of children. */
static int find_children(const struct wari_level *level, const struct wari_item *item,
                         const struct wari_sorted_moves *moves, int sown,
                         struct wari_child children[])
{
    const int child_block = level->layout.seeds - item->block - sown;
    const int first = moves->first[sown], count = moves->first[sown + 1] - first;

    if (count == 0 || (sown == 0 && item->block == 0)) /* feeding: an opponent's empty row must get
                                                        * seeds */
        return 0;
    const int8_t *rows = wari_level_row(level, child_block, 0);
    const size_t pitch = level->resident.pitch[child_block];
    const uint32_t first_column =
        first_column_of(wari_item_gather(level, item, sown), item->first_strip);
    const ptrdiff_t to_copy =
        level->resident.copy - (level->resident.cells + level->resident.offset[item->block]);
    for (int i = 0; i < count; i++) {
        const wari_sorted_move move = moves->move[first + i];
        const uint32_t row = wari_move_row(move);
        const int8_t *cells =
            rows + row * pitch + (wari_item_copied(item, child_block, row) ? to_copy : 0);
        children[i] = (struct wari_child){cells, wari_move_half(move), wari_move_last(move)};
        fetch_ahead(cells + first_column);
    }
    return count;
}

/* Computes the smallest children of an item's cells. */
static void compute_strips(const struct wari_level *level, struct wari_worker *worker,
                           const struct wari_item *item)
{
    const struct wari_gather *gathers = level->tables->gather[item->parents][item->block];
    const struct wari_sorted_moves *moves = moves_of(level, worker, item);
    struct wari_child children[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
    int count[WARI_SOWN_MAX + 1], found = 0;

    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++) {
        count[sown] = find_children(level, item, moves, sown, children + found);
        found += count[sown];
    }
    memset(worker->tile, WARI_NO_QUIET, (size_t)item->strips * WARI_ITEM_STRIP_CELLS);
    found = 0;
    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++) {
        for (uint32_t strip = 0; strip < item->strips && count[sown] > 0; strip++)
            level->kernel->worst_of_strip(&gathers[sown], item->first_strip + strip,
                                          children + found, count[sown],
                                          worker->tile + (size_t)strip * WARI_ITEM_STRIP_CELLS);
        found += count[sown];
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
    compute_strips(level, worker, item);
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
