/* Positions of one level as numbers.
 *
 * Level n contains all positions with n seeds whose opponent half has an empty pit. Every position
 * after a move is of this kind. (A position with a full opponent half can be set up by hand, and
 * the start position is one; it has no number, and its value is computed from its moves.)
 *
 *     level n = block 0 | block 1 | ... | block n
 *     block s = row 0 | row 1 | ...           s seeds on the opponent's side; one row for each
 *                                             opponent half with an empty pit, in order
 *     row     = cell 0 | cell 1 | ...         one cell for each mover half with n - s seeds,
 *                                             in order
 *
 * So the cell in row r and column c of block s has the number block_offset[s] + r * columns[s] + c.
 * Database files and the solver's memory are in this order.
 */
#ifndef INDEX_LEVEL_H
#define INDEX_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "game/wari_game.h"

/* Returns the number of positions of a level with 0..48 seeds. The sum over 0..46 and 48, plus the
 * start position, is 889,063,398,406 (Romein & Bal 2003). */
uint64_t wari_level_positions(int seeds);

/* Returns the number of all ways to place the seeds in the twelve pits, C(seeds+11, 11). This
 * includes the positions with a full opponent half, which have no number. */
uint64_t wari_level_placements(int seeds);

/* The shape of a level, computed once by code that ranks many positions. */
struct wari_layout {
    int seeds;
    uint64_t block_offset[WARI_SEEDS_MAX + 2]; /* number of the block's first cell; [seeds + 1]
                                                * is the number of positions */
    uint32_t rows[WARI_SEEDS_MAX + 1];         /* [s]: number of rows of block s, the opponent
                                                * halves with an empty pit */
    uint32_t columns[WARI_SEEDS_MAX + 1];      /* [s]: number of columns of block s, the mover
                                                * halves with seeds - s seeds */
};

void wari_layout_init(struct wari_layout *layout, int seeds);

/* Returns true if the position has a number, that is, if its opponent half has an empty pit. */
bool wari_position_stored(const struct wari_position *position);

/* Converts a position with layout->seeds seeds, which must have a number, to its number, and back.
 */
uint64_t wari_layout_rank(const struct wari_layout *layout, const struct wari_position *position);
void wari_layout_unrank(const struct wari_layout *layout, uint64_t rank,
                        struct wari_position *position);

#endif
