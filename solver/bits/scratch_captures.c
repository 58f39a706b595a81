/* Computes the captures of a level in a scratch file. Captures are computed for one range of
 * columns at a time. The ranges of columns are written to the file, at offsets after those of the
 * ranges of rows. Then each block is assembled from its ranges of columns in the pool, a batch of
 * rows at a time. While one batch is assembled, the batch before it is written as ranges of rows.
 * So the level is written and read once more than if captures were computed in rows. In return, the
 * lower levels are decoded about once; if captures were computed in rows, they would be decoded
 * some ten times. */
#include "solver/bits/scratch.h"

#include <string.h>

#include "solver/bits/scratch_file.h"
#include "solver/level/first_codes.h"
#include "solver/level/full_captures.h"

static struct wari_column_range column_range_of(const struct wari_level *level, uint32_t range)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);

    return wari_column_range_of(&scratch->column_ranges.division, &level->layout,
                                scratch->shape.buffer_bytes, range);
}

/* ---- Ranges of columns ----------------------------------------------------------------------- */

/* Returns the item that begins at a column of a range of columns. */
static struct wari_item item_of(const struct wari_level *level,
                                const struct wari_column_range *columns, uint32_t column)
{
    return (struct wari_item){
        .parents = WARI_PARENTS_ROWS,
        .block = columns->block,
        .first_column = columns->first_column + column,
        .columns = (uint32_t)wari_least(WARI_ITEM_COLUMNS, columns->columns - column),
        .first_strip = columns->first_row / WARI_STRIP,
        .strips = (columns->rows + WARI_STRIP - 1) / WARI_STRIP,
        .rows = level->layout.rows[columns->block]};
}

static bool make_column_range(struct wari_level *level, const struct wari_io_buffers *buffers,
                              void *context, uint32_t number)
{
    const struct wari_column_range columns = column_range_of(level, number);
    struct wari_worker *worker = wari_scratch_take_worker(level);

    (void)context;
    for (uint32_t column = 0; column < columns.columns; column += WARI_ITEM_COLUMNS) {
        const struct wari_item item = item_of(level, &columns, column);
        wari_first_codes_of_item(level, worker, &item,
                                 (struct wari_cell_area){buffers->cells + column, columns.width});
        wari_full_captures_write(level, worker, &item);
    }
    wari_scratch_release_worker(level, worker);
    return true;
}

static uint32_t next_in_walk(struct wari_level *level, void *walk, uint32_t i)
{
    (void)i;
    return wari_column_range_walk_next(walk, &wari_scratch_of(level)->column_ranges.division);
}

static void make_column_ranges(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    struct wari_column_range_walk walk;
    const struct wari_scratch_pass pass = {.to = &scratch->column_ranges,
                                           .next = next_in_walk,
                                           .job = make_column_range,
                                           .context = &walk};

    wari_lower_cache_lend(level->lower_cache, scratch->memory.reserved,
                          shape->reserved + shape->pool);
    wari_full_captures_begin(level);
    wari_ranges_begin(&scratch->column_ranges);
    wari_column_range_walk_begin(&walk, &level->layout, shape->buffer_bytes, 0, true);
    wari_scratch_run_pass(level, &pass);
    wari_level_release_readers(level);
    wari_lower_cache_return(level->lower_cache);
    wari_full_captures_written(level);
}

/* ---- From columns to rows -------------------------------------------------------------------- */

/* A batch: consecutive ranges of rows of a block, which are assembled in the pool. */
struct row_batch {
    int block;
    uint32_t first, end;
    int8_t *cells;
    uint32_t column_ranges; /* number of ranges of columns that contain some of the rows */
    uint32_t range, ranges; /* the first range of rows in the batch, and the number of ranges */
};

/* One batch is assembled while the batch before it is written, so that disk and processors do not
 * wait for each other. */
struct assembly {
    struct row_batch assembling, writing;
    wari_rows_job *rows_done;
};

/* Returns the i-th of the ranges of columns that contain rows of a batch. Each column set has one
 * or several such ranges. */
static uint32_t column_range_of_batch(const struct wari_level *level, const struct row_batch *batch,
                                      uint32_t i)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_column_sets sets =
        wari_column_sets_of(&level->layout, batch->block, scratch->shape.buffer_bytes);
    const uint32_t column_ranges = batch->column_ranges / sets.count;

    return scratch->column_ranges.division.first[batch->block] + i / column_ranges * sets.ranges +
           batch->first / sets.rows + i % column_ranges;
}

/* Returns the i-th range of a pass. The ranges of columns to be copied and the ranges of rows to be
 * written are interleaved. The number of a range of rows is increased by the number of all ranges
 * of columns, so that the two kinds can be distinguished. */
static uint32_t next_range(struct wari_level *level, void *context, uint32_t i)
{
    const struct assembly *assembly = context;
    const uint64_t ranges = assembly->writing.ranges,
                   all = assembly->assembling.column_ranges + ranges;
    const uint32_t written = i < all ? (uint32_t)(i * ranges / all) : 0;

    if (i >= all)
        return WARI_NO_RANGE;
    return (i + 1) * ranges / all > written
               ? wari_scratch_of(level)->column_ranges.division.count + assembly->writing.range +
                     written
               : column_range_of_batch(level, &assembly->assembling, i - written);
}

static int8_t *row_of(const struct wari_level *level, const struct row_batch *batch, uint32_t row)
{
    return batch->cells + (size_t)(row - batch->first) * level->resident.pitch[batch->block];
}

static void copy_column_range(struct wari_level *level, const struct wari_io_buffers *buffers,
                              const struct row_batch *batch, uint32_t number)
{
    const struct wari_column_range columns = column_range_of(level, number);
    const uint32_t columns_end = columns.first_row + columns.rows;
    const uint32_t end = columns_end < batch->end ? columns_end : batch->end;
    uint32_t row = columns.first_row > batch->first ? columns.first_row : batch->first;

    if (!wari_scratch_read_range(level, &wari_scratch_of(level)->column_ranges, buffers, number))
        return;
    for (; row < end; row++)
        wari_copy_row(row_of(level, batch, row) + columns.first_column,
                      buffers->cells + (size_t)(row - columns.first_row) * columns.width,
                      columns.columns);
}

static void write_rows(struct wari_level *level, const struct wari_io_buffers *buffers,
                       const struct assembly *assembly, uint32_t range)
{
    const struct wari_row_range rows = wari_scratch_row_range(level, range, buffers->cells);

    memcpy(rows.cells, row_of(level, &assembly->writing, rows.first),
           (size_t)rows.count * rows.pitch);
    assembly->rows_done(level, NULL, NULL, &rows);
    wari_scratch_write_range(level, &wari_scratch_of(level)->row_ranges, buffers, range);
}

static bool copy_or_write(struct wari_level *level, const struct wari_io_buffers *buffers,
                          void *context, uint32_t number)
{
    const struct assembly *assembly = context;
    const uint32_t column_ranges = wari_scratch_of(level)->column_ranges.division.count;

    if (number < column_ranges)
        copy_column_range(level, buffers, &assembly->assembling, number);
    else
        write_rows(level, buffers, assembly, number - column_ranges);
    return false;
}

static uint64_t bytes_of(const struct wari_level *level, const struct row_batch *batch)
{
    return (uint64_t)(batch->end - batch->first) * level->resident.pitch[batch->block];
}

/* Returns a batch of as many rows of a block, from `first` on, as fit into the pool. Its cells are
 * at the end of the pool if `at_end` is true, otherwise at the beginning. */
static struct row_batch batch_of(const struct wari_level *level, int block, uint32_t first,
                                 bool at_end)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_division *division = &scratch->row_ranges.division;
    const struct wari_column_sets sets =
        wari_column_sets_of(&level->layout, block, scratch->shape.buffer_bytes);
    const uint64_t ranges =
        scratch->shape.pool / ((uint64_t)division->rows[block] * level->resident.pitch[block]);
    struct row_batch batch = {.block = block,
                              .first = first,
                              .end = (uint32_t)wari_least(first + ranges * division->rows[block],
                                                          level->layout.rows[block]),
                              .range = wari_range_of(division, block, first)};

    batch.cells =
        scratch->memory.pool + (at_end ? scratch->shape.pool - bytes_of(level, &batch) : 0);
    batch.ranges = wari_range_of(division, block, batch.end - 1) + 1 - batch.range;
    batch.column_ranges = sets.count * ((batch.end - 1) / sets.rows + 1 - first / sets.rows);
    return batch;
}

/* Assembles a batch, which may be empty, and writes the batch before it. */
static void run_assembly(struct wari_level *level, struct assembly *assembly,
                         const struct row_batch *batch)
{
    const struct wari_scratch_pass pass = {
        .next = next_range, .job = copy_or_write, .context = assembly};

    assembly->assembling = *batch;
    wari_scratch_run_pass(level, &pass);
    assembly->writing = *batch;
}

/* Assembles a batch and writes the batch before it, at the same time if the pool can hold both
 * batches, otherwise one after the other. */
static void process_batch(struct wari_level *level, struct assembly *assembly,
                          const struct row_batch *batch)
{
    static const struct row_batch none = {.column_ranges = 0};
    const uint64_t both = bytes_of(level, batch) + bytes_of(level, &assembly->writing);

    if (both > wari_scratch_of(level)->shape.pool)
        run_assembly(level, assembly, &none);
    run_assembly(level, assembly, batch);
}

void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_callbacks *callbacks)
{
    struct assembly assembly = {.rows_done = callbacks->rows_done};
    struct row_batch batch = {.end = 0};
    bool at_end = false;

    wari_scratch_stop_reading(level);
    make_column_ranges(level);
    callbacks->captures_done(level);
    for (int block = 0; block <= level->layout.seeds; block++)
        for (uint32_t first = 0; first < level->layout.rows[block] && !wari_level_stopped(level);
             first = batch.end, at_end = !at_end) {
            batch = batch_of(level, block, first, at_end);
            process_batch(level, &assembly, &batch);
        }
    run_assembly(level, &assembly, &(struct row_batch){.column_ranges = 0});
}
