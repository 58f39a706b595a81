/* Positions of one level as numbers.
 *
 * Level n holds all positions with n seeds whose opponent half has an empty pit: all that can
 * arise from a move. (A full opponent half can be set up by hand, the start position is one; such a
 * position has no number and is answered through its moves.)
 *
 *     level n = block 0 | block 1 | ... | block n
 *     block s = row 0 | row 1 | ...           s seeds on the opponent's side; a row for each
 *                                             opponent half with an empty pit, by its number
 *     row     = cell 0 | cell 1 | ...         a cell for each mover half with n - s seeds, by
 *                                             its number
 *
 * So cell(row r, column c) of block s has the number block_offset[s] + r * columns[s] + c. This
 * order is that of the database files and of the solver's memory.
 */
#ifndef INDEX_LEVEL_H
#define INDEX_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "game/wari_game.h"

/* Stored positions of a level, 0..48 seeds. Sum over 0..46 and 48, plus the start position:
 * 889,063,398,406 (Romein & Bal 2003). */
uint64_t wari_level_positions(int seeds);

/* All ways to place the seeds, full opponent halves included: C(seeds+11, 11). */
uint64_t wari_level_placements(int seeds);

/* The shape of a level, computed once and kept where positions are numbered in bulk. */
struct wari_layout {
    int seeds;
    uint64_t block_offset[WARI_SEEDS_MAX + 2]; /* [seeds + 1] is the number of positions */
    uint32_t rows[WARI_SEEDS_MAX + 1];         /* of block s: opponent halves with an empty pit */
    uint32_t columns[WARI_SEEDS_MAX + 1];      /* of block s: mover halves with seeds - s seeds */
};

void wari_layout_init(struct wari_layout *layout, int seeds);

/* Whether the position has a number: its opponent half has an empty pit. */
bool wari_position_stored(const struct wari_position *position);

/* The number of a stored position with layout->seeds seeds, and back. */
uint64_t wari_layout_rank(const struct wari_layout *layout, const struct wari_position *position);
void wari_layout_unrank(const struct wari_layout *layout, uint64_t rank,
                        struct wari_position *position);

#endif
