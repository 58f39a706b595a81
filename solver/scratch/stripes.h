/* The order in which all columns of a level go by together.
 *
 * Levels below are read once or a little more, however small their cache, only if the columns of
 * all blocks go by in the order of the first pits of their mover halves (wari_item_key()); block by
 * block it would be ten to thirty times. That is no order of rows: of each block it takes
 * **stripes**, of WARI_GROUP columns and all rows, cut into **units** that fit into a frame:
 *
 *     stripe 0: unit 0 | unit 1 | ... | stripe 1: unit 0 | ...      a unit: [row][column]
 *
 * Units are pieces (pieces.h): a cut of their own, of which each "row" is a unit.
 */
#ifndef SOLVER_SCRATCH_STRIPES_H
#define SOLVER_SCRATCH_STRIPES_H

#include "solver/scratch/pieces.h"

/* Those of a block. */
struct wari_stripes {
    uint32_t groups;    /* stripes */
    uint32_t width;     /* bytes from row to row */
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

/* A walk over the columns of all blocks from one on, in that order. */
struct wari_column_order {
    const struct wari_layout *layout;
    const struct wari_pieces_cut *cut;
    int first;
    bool all;                          /* units of a stripe, or only the first one */
    uint32_t unit[WARI_SEEDS_MAX + 1]; /* of a block: the next one */
    uint32_t runs[WARI_SEEDS_MAX + 1];
    uint64_t key[WARI_SEEDS_MAX + 1]; /* of its stripe; UINT64_MAX: none is left */
};
void wari_column_order_begin(struct wari_column_order *walk, size_t frame_bytes);

/* The next unit, or WARI_NO_PIECE. */
uint32_t wari_column_order_next(struct wari_column_order *walk);

#endif
