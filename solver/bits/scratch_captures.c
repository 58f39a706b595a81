/* The captures of a level in a scratch file. They are found stripe by stripe (stripes.h), in the
 * place of the file behind the codes. Then each block is put together from its units in the window,
 * some rows at a time, and stored as pieces, while the next rows are put together. That is one more
 * writing and reading of the level, in place of some ten decodings of all levels below. */
#include "solver/bits/scratch.h"

#include <string.h>

#include "solver/bits/stripes.h"
#include "solver/level/first_codes.h"
#include "solver/level/full_captures.h"

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
                              .columns =
                                  (uint32_t)wari_least(WARI_ITEM_COLUMNS, unit->columns - column),
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
    for (uint32_t column = 0; column < unit.columns; column += WARI_ITEM_COLUMNS) {
        const struct wari_item item = group_of(level, &unit, column);
        wari_first_codes_of_item(level, worker, &item,
                                 (struct wari_cell_area){lane->cells + column, unit.width});
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

    wari_lower_cache_lend(level->lower_cache, scratch->memory.aside, shape->aside + shape->window);
    wari_full_captures_begin(level);
    wari_pieces_begin(&scratch->stripes);
    wari_stripes_walk_begin(&walk, &level->layout, shape->frame_bytes, 0, true);
    wari_scratch_run(level, &pass);
    wari_level_release_readers(level);
    wari_lower_cache_return(level->lower_cache);
    wari_full_captures_written(level);
}

/* ---- From stripes to rows -------------------------------------------------------------------- */

/* Rows of a block in the window: whole pieces. */
struct part {
    int block;
    uint32_t first, end;
    int8_t *cells;
    uint32_t units;         /* that have some of the rows; */
    uint32_t piece, pieces; /* and where these go: the first one, and how many */
};

/* One part is put together while the one before it is stored: so neither disk nor processors wait
 * for the other. */
struct making {
    struct part filled, stored;
    wari_rows_job *also;
};

/* The i-th unit of those that have rows of a part: of each stripe, one or some. */
static uint32_t unit_of_part(const struct wari_level *level, const struct part *part, uint32_t i)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_stripes stripes =
        wari_stripes_of(&level->layout, part->block, scratch->shape.frame_bytes);
    const uint32_t units = part->units / stripes.count;

    return scratch->stripes.cut.first[part->block] + i / units * stripes.runs +
           part->first / stripes.run + i % units;
}

/* Units, and behind their numbers those of pieces: both kinds spread over the pass. */
static uint32_t next_of_part(struct wari_level *level, void *context, uint32_t i)
{
    const struct making *making = context;
    const uint64_t pieces = making->stored.pieces, all = making->filled.units + pieces;
    const uint32_t stored = i < all ? (uint32_t)(i * pieces / all) : 0;

    if (i >= all)
        return WARI_NO_PIECE;
    return (i + 1) * pieces / all > stored
               ? wari_scratch_of(level)->stripes.cut.count + making->stored.piece + stored
               : unit_of_part(level, &making->filled, i - stored);
}

static int8_t *row_of(const struct wari_level *level, const struct part *part, uint32_t row)
{
    return part->cells + (size_t)(row - part->first) * level->resident.pitch[part->block];
}

static void copy_unit(struct wari_level *level, const struct wari_lane *lane,
                      const struct part *part, uint32_t number)
{
    const struct wari_unit unit = unit_of(level, number);
    const uint32_t unit_end = unit.first_row + unit.rows;
    const uint32_t end = unit_end < part->end ? unit_end : part->end;
    uint32_t row = unit.first_row > part->first ? unit.first_row : part->first;

    if (!wari_scratch_read(level, &wari_scratch_of(level)->stripes, lane, number))
        return;
    for (; row < end; row++)
        wari_copy_group(row_of(level, part, row) + unit.first_column,
                        lane->cells + (size_t)(row - unit.first_row) * unit.width, unit.columns);
}

static void store_rows(struct wari_level *level, const struct wari_lane *lane,
                       const struct making *making, uint32_t piece)
{
    const struct wari_row_range rows = wari_scratch_rows_of(level, piece, lane->cells);

    memcpy(rows.cells, row_of(level, &making->stored, rows.first), (size_t)rows.count * rows.pitch);
    making->also(level, NULL, NULL, &rows);
    wari_scratch_write(level, &wari_scratch_of(level)->pieces, lane, piece);
}

static bool copy_or_store(struct wari_level *level, const struct wari_lane *lane, void *context,
                          uint32_t number)
{
    const struct making *making = context;
    const uint32_t units = wari_scratch_of(level)->stripes.cut.count;

    if (number < units)
        copy_unit(level, lane, &making->filled, number);
    else
        store_rows(level, lane, making, number - units);
    return false;
}

static uint64_t bytes_of(const struct wari_level *level, const struct part *part)
{
    return (uint64_t)(part->end - part->first) * level->resident.pitch[part->block];
}

/* As many rows of a block from `first` on as the window has room for: at its beginning or its end.
 */
static struct part part_of(const struct wari_level *level, int block, uint32_t first, bool at_end)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_pieces_cut *cut = &scratch->pieces.cut;
    const struct wari_stripes stripes =
        wari_stripes_of(&level->layout, block, scratch->shape.frame_bytes);
    const uint64_t pieces =
        scratch->shape.window / ((uint64_t)cut->rows[block] * level->resident.pitch[block]);
    struct part part = {
        .block = block,
        .first = first,
        .end = (uint32_t)wari_least(first + pieces * cut->rows[block], level->layout.rows[block]),
        .piece = wari_piece_of(cut, block, first)};

    part.cells =
        scratch->memory.window + (at_end ? scratch->shape.window - bytes_of(level, &part) : 0);
    part.pieces = wari_piece_of(cut, block, part.end - 1) + 1 - part.piece;
    part.units = stripes.count * ((part.end - 1) / stripes.run + 1 - first / stripes.run);
    return part;
}

/* Puts a part together, or nothing, and stores the one before it. */
static void make_part(struct wari_level *level, struct making *making, const struct part *part)
{
    const struct wari_scratch_pass pass = {
        .next = next_of_part, .job = copy_or_store, .context = making};

    making->filled = *part;
    wari_scratch_run(level, &pass);
    making->stored = *part;
}

/* Where there is no room for both, the one before it is stored first. */
static void make_part_of(struct wari_level *level, struct making *making, const struct part *part)
{
    static const struct part none = {.units = 0};
    const uint64_t both = bytes_of(level, part) + bytes_of(level, &making->stored);

    if (both > wari_scratch_of(level)->shape.window)
        make_part(level, making, &none);
    make_part(level, making, part);
}

void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes)
{
    struct making making = {.also = codes->also};
    struct part part = {.end = 0};
    bool at_end = false;

    wari_scratch_stop_reading(level);
    make_stripes(level);
    codes->begun(level);
    for (int block = 0; block <= level->layout.seeds; block++)
        for (uint32_t first = 0; first < level->layout.rows[block] && !wari_level_stopped(level);
             first = part.end, at_end = !at_end) {
            part = part_of(level, block, first, at_end);
            make_part_of(level, &making, &part);
        }
    make_part(level, &making, &(struct part){.units = 0});
}
