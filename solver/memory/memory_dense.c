/* Dense sweeps over a level in memory.
 *
 * Values grow along lines of play, so a sweep achieves more if it computes children before their
 * parents. Blocks s and n-s form a **pair**. A move that drops no seed on the opponent's side leads
 * from one block of the pair to the other, and both sides often make many such moves in turn. Let x
 * be a half with s seeds, and y a half with n-s seeds. Cell (x, y) is in row x and column y of
 * block s: the position in which the mover has y and the opponent has x. Cell (y, x) of block n-s
 * is the same board with the other side to move. (A cell is stored only if its row has an empty
 * pit.) A move that drops no seed on the opponent's side takes the seeds of one pit and adds them
 * to pits that are less significant, so the mover's half becomes one that comes earlier in the
 * order of halves (index/half.h). Such moves lead
 *
 *     from cell (x, y) of block s to cells (y', x) of block n-s, where y' comes before y
 *     from cell (y, x) of block n-s to cells (x', y) of block s, where x' comes before x
 *
 * So if the cells of all (x, y) are computed in ascending order of x and y, all of these children
 * are computed before their parents, and one sweep follows such lines of play to their end.
 * Computing single cells would be too slow, because kernels compute 64 rows by 64 columns at once.
 * Instead, a sweep computes a **patch** at a time: a range of halves x (128 or more, if the block
 * has so many) by a range of halves y, first their cells in block s, then those in block n-s. Each
 * patch is computed twice while its cells are in the cache. A single pass would follow lines of
 * play inside the patch for one move only.
 *
 * The pairs are swept in ascending order of s. If n is even, block n/2 is a pair with itself. The
 * patch of ranges x and y then also contains the cells of the patch of y and x, so only patches in
 * which x does not come after y are swept.
 *
 * All threads compute one patch together: first its cells in one block, then, after a barrier, its
 * cells in the other. So no thread reads a cell while another one writes it (solver/README.md).
 */
#include "solver/memory/memory_dense.h"

#include <string.h>

#include "index/half.h"
#include "solver/level/sweep.h"
#include "solver/memory/memory.h"

enum {
    ITEM_STRIPS = 4,  /* strips of an item */
    PATCH_STRIPS = 2, /* a patch for one thread has 2 x 2 strips */
    PATCH_PASSES = 2, /* how often a sweep computes each patch */
    /* The number of columns that kernels read at once. They may read beyond the end of a row. */
    READ_AHEAD = WARI_STRIP,
};

/* A range of consecutive halves with the same number of seeds. In one block of a pair these halves
 * are on the mover's side: they are the `columns` columns from `column` on. In the other block they
 * are on the opponent's side. There the halves with an empty pit are rows, which are given as the
 * `strips` strips from `strip` on. Both ends are rounded to the nearest strip, except for the end
 * of the block, which is rounded up. */
struct half_range {
    uint32_t column, columns;
    uint32_t strip, strips;
};

/* Returns the number of rows that come before a half, divided by WARI_STRIP and rounded. */
static uint32_t strips_before(int seeds, uint32_t column)
{
    uint8_t pits[WARI_HALF_PITS];

    if (column == wari_half_count(seeds))
        return (wari_row_count(seeds) + WARI_STRIP - 1) / WARI_STRIP;
    wari_half_unrank(seeds, column, pits);
    while (wari_half_full(pits)) /* ends, because the last half has empty pits */
        (void)wari_half_next(pits);
    return (wari_row_rank(pits) + WARI_STRIP / 2) / WARI_STRIP;
}

/* Returns the halves from `column` on, at most `columns`. */
static struct half_range halves_from(int seeds, uint32_t column, uint32_t columns)
{
    const uint32_t left = wari_half_count(seeds) - column;
    const uint32_t count = columns < left ? columns : left;
    const uint32_t strip = strips_before(seeds, column);

    return (struct half_range){
        .column = column,
        .columns = count,
        .strip = strip,
        .strips = strips_before(seeds, column + count) - strip,
    };
}

/* Returns the number of items into which a number of strips is divided. */
static uint32_t items_of_strips(uint32_t strips, uint32_t item_strips)
{
    return (strips + item_strips - 1) / item_strips;
}

/* Returns the length of a side of a patch, in strips. It is chosen so that the cells of a whole
 * patch in one block are divided into at least two items for each thread. */
static uint32_t side_strips(uint32_t threads)
{
    uint32_t strips = PATCH_STRIPS;

    while (strips * items_of_strips(strips, ITEM_STRIPS) < 2 * threads)
        strips *= 2;
    return strips;
}

/* Returns the number of halves y of a patch with `halves` halves x: a multiple of `side`. The patch
 * has at least side * side / 4 pairs of halves, if there are so many, so that threads have enough
 * to do between two barriers. */
static uint32_t other_side(uint32_t side, uint32_t halves)
{
    const uint32_t cells_min = side * side / 4;

    return (cells_min + halves * side - 1) / (halves * side) * side;
}

/* Rows of the current block that are read from resident.copy. */
struct copied {
    uint32_t first, rows;
};

/* Called by all threads before they compute the cells in `rows` and `columns` of the middle block.
 * The children of these cells in the middle block are in the columns that have the numbers of the
 * halves `rows`. If these columns, with those that kernels read in addition, overlap `columns`,
 * threads would read cells that other threads write at the same time. In this case the function
 * copies `rows`, and children are read from the copy. Returns the rows that were copied. */
static struct copied copy_rows(struct wari_sweep_thread *thread, int block,
                               const struct half_range *rows, const struct half_range *columns)
{
    const struct wari_level *level = thread->level;
    const uint32_t all = wari_row_count(block), pitch = level->resident.pitch[block];
    const uint32_t first = rows->strip * WARI_STRIP, end = first + rows->strips * WARI_STRIP;
    const uint32_t last = end < all ? end - 1 : all - 1;
    uint8_t pits[WARI_HALF_PITS];

    if (rows->strips == 0 || thread->finished)
        return (struct copied){0};
    wari_row_unrank(block, first, pits);
    const uint32_t lowest = wari_half_rank(pits);
    wari_row_unrank(block, last, pits);
    const uint32_t to = wari_half_rank(pits) + READ_AHEAD;
    const uint32_t from = lowest > READ_AHEAD ? lowest - READ_AHEAD : 0;
    const uint32_t beyond = to > pitch ? to - pitch : 0; /* number of columns that kernels read
                                                          * beyond the row, in the next row */
    if ((to < columns->column || from >= columns->column + columns->columns) &&
        beyond <= columns->column)
        return (struct copied){0};
    const uint32_t first_copied = beyond > 0 && first > 0 ? first - 1 : first;
    for (uint32_t row = first_copied + thread->rank; row <= last; row += thread->threads)
        memcpy(level->resident.copy + (uint64_t)row * pitch + from,
               wari_level_row(level, block, row) + from, to - beyond - from);
    wari_wait_for_all(thread);
    return (struct copied){first_copied, last + 1 - first_copied};
}

void wari_memory_copy_block(struct wari_level *level, int block, uint32_t rank, uint32_t threads)
{
    const uint64_t bytes =
        (uint64_t)level->resident.partition.rows[block] * level->resident.pitch[block];
    const uint64_t from = bytes * rank / threads, to = bytes * (rank + 1) / threads;

    if (!wari_level_stopped(level))
        memcpy(level->resident.copy + from,
               level->resident.cells + level->resident.offset[block] + from, to - from);
}

/* Computes the cells of a patch in one of its blocks: those in `rows` and `columns`. Does nothing
 * if the thread has left the sweep. */
static void sweep_part(struct wari_sweep_thread *thread, int block, const struct half_range *rows,
                       const struct half_range *columns, struct copied copied)
{
    struct wari_level *level = thread->level;
    const uint32_t groups = (columns->columns + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS;
    uint32_t height = ITEM_STRIPS;

    if (rows->strips == 0 || thread->finished)
        return;
    while (height > 1 && groups * items_of_strips(rows->strips, height) < 2 * thread->threads)
        height /= 2;
    const uint32_t items_of_columns = items_of_strips(rows->strips, height);
    const uint64_t items = (uint64_t)groups * items_of_columns;
    const uint32_t end = (uint32_t)(items * (thread->rank + 1) / thread->threads);
    for (uint32_t i = (uint32_t)(items * thread->rank / thread->threads); i < end; i++) {
        const uint32_t column = i / items_of_columns * WARI_ITEM_COLUMNS;
        const uint32_t strip = i % items_of_columns * height;
        const uint32_t columns_left = columns->columns - column, strips_left = rows->strips - strip;
        const struct wari_item item = {
            .parents = WARI_PARENTS_ROWS,
            .block = block,
            .first_column = columns->column + column,
            .columns = columns_left < WARI_ITEM_COLUMNS ? columns_left : WARI_ITEM_COLUMNS,
            .first_strip = rows->strip + strip,
            .strips = strips_left < height ? strips_left : height,
            .rows = wari_row_count(block),
            .first_copied = copied.first,
            .copied_rows = copied.rows,
        };
        if (!wari_level_stopped(level))
            wari_sweep_lines(level, thread->worker, &item, thread->sweep, thread->result);
    }
    wari_wait_for_all(thread);
}

/* Sweeps the block with as many seeds on one side as on the other. */
static void sweep_middle(struct wari_sweep_thread *thread, int block, int passes)
{
    const uint32_t count = wari_half_count(block);
    const uint32_t side = side_strips(thread->threads_at_start) * WARI_STRIP;

    for (uint32_t x_first = 0; x_first < count; x_first += side) {
        const struct half_range x = halves_from(block, x_first, side);
        for (uint32_t y_first = x_first; y_first < count && !thread->finished; y_first += side) {
            const struct half_range y = halves_from(block, y_first, side);
            for (int pass = 0; pass < passes; pass++) {
                sweep_part(thread, block, &x, &y, copy_rows(thread, block, &x, &y));
                if (y_first != x_first)
                    sweep_part(thread, block, &y, &x, copy_rows(thread, block, &y, &x));
            }
        }
    }
}

/* Sweeps the blocks with `few` and `many` seeds on the opponent's side. Only block `few` can
 * contain children of its own cells, because there the mover has more seeds than the opponent. */
static void sweep_pair(struct wari_sweep_thread *thread, int few, int many, int passes)
{
    struct wari_level *level = thread->level;
    const uint32_t x_count = wari_half_count(few), y_count = wari_half_count(many);
    const uint32_t side = side_strips(thread->threads_at_start) * WARI_STRIP;
    const uint32_t y_side = other_side(side, x_count < side ? x_count : side);
    struct copied copied = {0};

    if (wari_has_own_children(&level->layout, few)) {
        wari_memory_copy_block(level, few, thread->rank, thread->threads);
        wari_wait_for_all(thread);
        copied.rows = wari_row_count(few);
    }
    for (uint32_t x_first = 0; x_first < x_count; x_first += side) {
        const struct half_range x = halves_from(few, x_first, side);
        for (uint32_t y_first = 0; y_first < y_count && !thread->finished; y_first += y_side) {
            const struct half_range y = halves_from(many, y_first, y_side);
            for (int pass = 0; pass < passes; pass++) {
                sweep_part(thread, few, &x, &y, copied);
                sweep_part(thread, many, &y, &x, (struct copied){0});
            }
        }
    }
}

/* A sweep that pushes events (level/events.h) computes each patch only once. In such a sweep, each
 * change pushes events for all parents in the pair, so these parents are computed again in the next
 * sweep anyway. */
void wari_memory_sweep_dense(struct wari_sweep_thread *thread)
{
    const int passes = thread->sweep->keep_events ? 1 : PATCH_PASSES;
    const int seeds = thread->level->layout.seeds;

    for (int few = 0; 2 * few <= seeds && !thread->finished; few++)
        if (2 * few == seeds)
            sweep_middle(thread, few, passes);
        else
            sweep_pair(thread, few, seeds - few, passes);
}
