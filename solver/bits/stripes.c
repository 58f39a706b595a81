/* Stripes and their units, see stripes.h. */
#include "solver/bits/stripes.h"

#include "solver/level/item.h"

/* Groups of a stripe. Level 24 in 128 MB decodes 80,200 chunks with one, 80,500 with 4, 88,100
 * with as many as fit: 63,359 are there. With one, most transfers were of 4 KB. */
enum { GROUPS_MOST = 4 };

struct wari_stripes wari_stripes_of(const struct wari_layout *layout, int block, size_t frame_bytes)
{
    const uint32_t rows = layout->rows[block], columns = layout->columns[block];
    const uint64_t fit = (frame_bytes - WARI_PIECE_PADDING) / rows / WARI_ITEM_COLUMNS;
    const uint32_t wide =
        (uint32_t)wari_least((columns + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS, GROUPS_MOST);
    const uint32_t groups = fit > 1 ? (uint32_t)wari_least(fit, wide) : 1;
    const uint32_t width = (uint32_t)wari_least(columns, (uint64_t)groups * WARI_ITEM_COLUMNS);
    const uint64_t room = (frame_bytes - WARI_PIECE_PADDING) / width;
    /* whole segments if possible: captures are looked up by these */
    const uint64_t most = room / WARI_RANGE_ROWS * WARI_RANGE_ROWS;
    struct wari_stripes stripes = {
        .count = (columns + width - 1) / width, .groups = groups, .width = width, .run = rows};

    if (rows > room)
        stripes.run = (uint32_t)(most > 0 ? most : room / WARI_STRIP * WARI_STRIP);
    stripes.runs = (rows + stripes.run - 1) / stripes.run;
    return stripes;
}

void wari_stripes_cut(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                      size_t frame_bytes)
{
    *cut = (struct wari_pieces_cut){.seeds = layout->seeds};
    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_stripes stripes = wari_stripes_of(layout, block, frame_bytes);
        cut->rows[block] = 1;
        cut->block_rows[block] = stripes.count * stripes.runs;
        cut->pitch[block] = stripes.run * stripes.width;
    }
    wari_pieces_number(cut);
}

struct wari_unit wari_unit_of(const struct wari_pieces_cut *cut, const struct wari_layout *layout,
                              size_t frame_bytes, uint32_t unit)
{
    const int block = wari_piece_block(cut, unit);
    const struct wari_stripes stripes = wari_stripes_of(layout, block, frame_bytes);
    const uint32_t number = unit - cut->first[block];
    const uint32_t column = number / stripes.runs * stripes.width;
    const uint32_t row = number % stripes.runs * stripes.run;

    return (struct wari_unit){
        .block = block,
        .first_column = column,
        .columns = (uint32_t)wari_least(stripes.width, layout->columns[block] - column),
        .first_row = row,
        .rows = (uint32_t)wari_least(stripes.run, layout->rows[block] - row),
        .width = stripes.width};
}

/* ---- The walk -------------------------------------------------------------------------------- */

void wari_stripes_walk_begin(struct wari_stripes_walk *walk, const struct wari_layout *layout,
                             size_t frame_bytes, int first, bool all)
{
    walk->columns.layout = layout;
    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_stripes stripes = wari_stripes_of(layout, block, frame_bytes);
        walk->groups[block] = stripes.groups;
        walk->runs[block] = stripes.runs;
        walk->columns.runs[block] = block < first ? 0 : all ? walk->runs[block] : 1;
    }
    wari_column_walk_begin(&walk->columns);
}

uint32_t wari_stripes_walk_next(struct wari_stripes_walk *walk, const struct wari_pieces_cut *cut)
{
    uint32_t number;
    int block;

    do { /* a stripe goes by with the first of its groups */
        if (!wari_column_walk_next(&walk->columns, &block, &number))
            return WARI_NO_PIECE;
    } while (number % walk->groups[block] != 0);
    return cut->first[block] +
           number / walk->groups[block] * (walk->runs[block] / walk->columns.runs[block]);
}
