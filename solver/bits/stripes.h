/* Captures come in the order of columns (level/column_walk.h), which is no order of rows: of each
 * block it takes **stripes**, of all rows and one group of columns, or, where that fits into a
 * frame, of some groups. Those that do not fit are cut into **units** that do; the others are one
 * unit each:
 *
 *     stripe 0: unit 0 | unit 1 | ... | stripe 1: unit 0 | ...      a unit: [row][column]
 *
 * Units are pieces (pieces.h): a cut of their own, of which each "row" is a unit.
 */
#ifndef SOLVER_SCRATCH_STRIPES_H
#define SOLVER_SCRATCH_STRIPES_H

#include "solver/bits/pieces.h"
#include "solver/level/column_walk.h"

/* Those of a block. */
struct wari_stripes {
    uint32_t count; /* stripes */
    uint32_t
        groups;     /* of WARI_ITEM_COLUMNS columns, in a stripe: more than one only if runs is 1 */
    uint32_t width; /* bytes from row to row */
    uint32_t run, runs; /* rows of a unit, but for the last one; units of a stripe */
};
struct wari_stripes wari_stripes_of(const struct wari_layout *layout, int block,
                                    size_t frame_bytes);

/* Those of a level, as pieces. */
void wari_stripes_cut(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                      size_t frame_bytes);

/* What a unit is of. */
struct wari_unit {
    int block;
    uint32_t first_column, columns;
    uint32_t first_row, rows;
    uint32_t width; /* bytes from row to row */
};
struct wari_unit wari_unit_of(const struct wari_pieces_cut *cut, const struct wari_layout *layout,
                              size_t frame_bytes, uint32_t unit);

/* A walk over the units of all blocks from `first` on in that order, or only those that stripes
 * begin with. */
struct wari_stripes_walk {
    struct wari_column_walk columns;
    uint32_t groups[WARI_SEEDS_MAX + 1]; /* of a stripe */
    uint32_t runs[WARI_SEEDS_MAX + 1];   /* units of a stripe */
};
void wari_stripes_walk_begin(struct wari_stripes_walk *walk, const struct wari_layout *layout,
                             size_t frame_bytes, int first, bool all);

/* The next one in a cut of stripes, or WARI_NO_PIECE. One call after the other. */
uint32_t wari_stripes_walk_next(struct wari_stripes_walk *walk, const struct wari_pieces_cut *cut);

#endif
