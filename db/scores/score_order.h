/* The order of the values in a score file.
 *
 * The Vrije Universiteit Amsterdam published the solution of Awari as one file for each number of
 * seeds, `scores.N`: one signed byte for each position of level N, the positions sorted by the
 * counts of f, e, d, c, b, a, F, E, D, C, B, A, each count ascending and f the most significant.
 * FORMAT.md ("Score files") describes them.
 *
 * A row of a level (index/level.h) is contiguous in a score file, too. But the rows of all blocks
 * are mixed, and the columns of a row are in another order:
 *
 *     level:       block 0 | block 1 | ...        in a block: rows in the order of a, b, ..., f
 *     score file:  row | row | row | ...          rows of all blocks, in the order of f, e, ..., a
 *
 *     a row of the level:       columns in the order of A, B, ..., F
 *     that row of the file:     columns in the order of F, E, ..., A
 *
 * The **place** of a column is its index in the row of the score file, counted from 0, that is, its
 * index in the order of F, E, ..., A. The place of a mover half is the rank of the reversed half.
 */
#ifndef DB_SCORES_SCORE_ORDER_H
#define DB_SCORES_SCORE_ORDER_H

#include "index/level.h"

enum {
    WARI_SCORE_PITS = WARI_PITS + 1,
    WARI_SCORE_SEEDS = WARI_SEEDS_MAX + 1,
};

/* Numbers from which offsets in score files are computed; the same for all levels. */
struct wari_score_order {
    uint64_t ways[WARI_SCORE_PITS][WARI_SCORE_SEEDS]; /* [pits][seeds]: ways to place the seeds in
                                                       * the pits */
};

void wari_score_order_init(struct wari_score_order *order);

/* Returns the offset in `scores.<seeds>` of the row of an opponent half, which must have an empty
 * pit and at most `seeds` seeds. */
uint64_t wari_score_row_offset(const struct wari_score_order *order, int seeds,
                               const uint8_t opponent[WARI_HALF_PITS]);

/* Returns the place of a mover half in its row. */
uint32_t wari_score_place(const uint8_t mover[WARI_HALF_PITS]);

/* Returns the offset of a position, which must have a number (wari_position_stored()), in the score
 * file of its level. */
uint64_t wari_score_offset(const struct wari_score_order *order,
                           const struct wari_position *position);

/* Fills in the places of all mover halves with `seeds` seeds: place[column]. */
void wari_score_places(int seeds, uint32_t *place);

#endif
