/* The captures of a level in a scratch file. They are found stripe by stripe (stripes.h), in the
 * place of the file behind the codes. Then each block is put together from its units in the window,
 * some rows at a time, and stored as pieces. That is one more writing and reading of the level, in
 * place of some ten decodings of all levels below. */
#include "solver/scratch/scratch.h"

#include <string.h>

#include "solver/item/first_codes.h"
#include "solver/item/full_captures.h"
#include "solver/scratch/stripes.h"

static struct wari_unit unit_of(const struct wari_level *level, uint32_t unit)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);

    return wari_unit_of(&scratch->stripes.cut, &level->layout, scratch->shape.frame_bytes, unit);
}

/* ---- Making stripes -------------------------------------------------------------------------- */

/* A group of a unit's columns, from one of them on. */
static struct wari_item group_of(const struct wari_level *level, const struct wari_unit *unit,
                                 uint32_t column)
{
    return (struct wari_item){.parents = WARI_PARENTS_ROWS,
                              .block = unit->block,
                              .first_column = unit->first_column + column,
                              .columns = (uint32_t)wari_least(WARI_GROUP, unit->columns - column),
                              .first_strip = unit->first_row / WARI_STRIP,
                              .strips = (unit->rows + WARI_STRIP - 1) / WARI_STRIP,
                              .rows = level->layout.rows[unit->block]};
}

static bool make_unit(struct wari_level *level, const struct wari_lane *lane, void *context,
                      uint32_t number)
{
    const struct wari_unit unit = unit_of(level, number);
    struct wari_worker *worker = wari_scratch_take_worker(level);

    (void)context;
    for (uint32_t column = 0; column < unit.columns; column += WARI_GROUP) {
        const struct wari_item item = group_of(level, &unit, column);
        wari_first_codes_of_item(level, worker, &item,
                                 (struct wari_first_cells){lane->cells + column, unit.width});
        wari_full_captures_write(level, worker, &item);
    }
    wari_scratch_give_worker(level, worker);
    return true;
}

static uint32_t next_in_walk(struct wari_level *level, void *walk, uint32_t i)
{
    (void)i;
    return wari_stripes_walk_next(walk, &wari_scratch_of(level)->stripes.cut);
}

static void make_stripes(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    struct wari_stripes_walk walk;
    const struct wari_scratch_pass pass = {
        .to = &scratch->stripes, .next = next_in_walk, .job = make_unit, .context = &walk};

    wari_lower_lend(level->lower, scratch->memory.aside, shape->aside + shape->window);
    wari_full_captures_begin(level);
    wari_stripes_walk_begin(&walk, &level->layout, shape->frame_bytes, 0, true);
    wari_scratch_run(level, &pass);
    wari_level_release_readers(level);
    wari_lower_return(level->lower);
    wari_full_captures_written(level);
}

/* ---- From stripes to rows -------------------------------------------------------------------- */

/* Rows of a block that are in the window: whole pieces. */
struct window {
    int block;
    uint32_t first, end;
    wari_rows_job *also;
};

/* Of each stripe, the units that have some of the rows. */
static uint32_t next_unit(struct wari_level *level, void *context, uint32_t i)
{
    const struct window *window = context;
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_stripes stripes =
        wari_stripes_of(&level->layout, window->block, scratch->shape.frame_bytes);
    const uint32_t first = window->first / stripes.run;
    const uint32_t units = (window->end - 1) / stripes.run + 1 - first;

    return i < stripes.count * units ? scratch->stripes.cut.first[window->block] +
                                           i / units * stripes.runs + first + i % units
                                     : WARI_NO_PIECE;
}

static int8_t *row_of(const struct wari_level *level, const struct window *window, uint32_t row)
{
    return wari_scratch_of(level)->memory.window +
           (size_t)(row - window->first) * level->held.pitch[window->block];
}

static bool copy_unit(struct wari_level *level, const struct wari_lane *lane, void *context,
                      uint32_t number)
{
    const struct window *window = context;
    const struct wari_unit unit = unit_of(level, number);
    const uint32_t unit_end = unit.first_row + unit.rows;
    const uint32_t end = unit_end < window->end ? unit_end : window->end;
    uint32_t row = unit.first_row > window->first ? unit.first_row : window->first;

    for (; row < end; row++)
        wari_copy_group(row_of(level, window, row) + unit.first_column,
                        lane->cells + (size_t)(row - unit.first_row) * unit.width, unit.columns);
    return false;
}

static bool store_rows(struct wari_level *level, const struct wari_lane *lane, void *context,
                       uint32_t piece)
{
    const struct window *window = context;
    const struct wari_row_run rows = wari_scratch_rows_of(level, piece, lane->cells);
    struct wari_worker *worker = wari_scratch_take_worker(level);

    memcpy(rows.cells, row_of(level, window, rows.first), (size_t)rows.count * rows.pitch);
    window->also(level, worker, NULL, &rows);
    wari_scratch_give_worker(level, worker);
    return true;
}

static void make_rows(struct wari_level *level, struct window *window)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_pieces_cut *cut = &scratch->pieces.cut;
    const struct wari_scratch_pass fill = {
        .from = &scratch->stripes, .next = next_unit, .job = copy_unit, .context = window};
    const struct wari_scratch_pass store = {
        .to = &scratch->pieces,
        .first = wari_piece_of(cut, window->block, window->first),
        .end = wari_piece_of(cut, window->block, window->end - 1) + 1,
        .job = store_rows,
        .context = window};

    wari_scratch_run(level, &fill);
    wari_scratch_run(level, &store);
}

void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);

    wari_scratch_stop_reading(level);
    make_stripes(level);
    codes->begun(level);
    for (int block = 0; block <= level->layout.seeds; block++) {
        const uint32_t all = level->layout.rows[block], piece = scratch->pieces.cut.rows[block];
        const uint64_t pieces =
            scratch->shape.window / ((uint64_t)piece * level->held.pitch[block]);
        for (uint32_t first = 0; first < all && !wari_level_stopped(level);) {
            const uint64_t end = first + pieces * piece;
            struct window window = {block, first, end < all ? (uint32_t)end : all, codes->also};
            make_rows(level, &window);
            first = window.end;
        }
    }
}
