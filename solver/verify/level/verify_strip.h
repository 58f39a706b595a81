/* A strip: up to 64 rows of a block, whose moves are looked at side by side.
 *
 * Fix a column, a mover half, and one of its pits. All rows of the strip reach the same row then,
 * and there the cells that t seeds make of their opponent halves, which for neighbouring rows are
 * neighbours: 64 positions lie in one or two lines of the cache.
 */
#ifndef SOLVER_VERIFY_LEVEL_VERIFY_STRIP_H
#define SOLVER_VERIFY_LEVEL_VERIFY_STRIP_H

#include "solver/verify/level/verify_level.h"

struct wari_verify_strip {
    const struct wari_verify_level *level;
    int block, rows;
    bool full;
    uint32_t row[WARI_VERIFY_ROWS];   /* number; of a full one, without a seed in each pit */
    uint64_t first[WARI_VERIFY_ROWS]; /* cell of column 0; of a full one among the full */
    uint8_t pits[WARI_VERIFY_ROWS][WARI_HALF_PITS];

    /* Where t seeds lead: the column of the position reached, and 0xff if that is by a quiet move
     * although the last seed falls into the opponent's row. */
    uint32_t column[WARI_SEEDS_MAX + 1][WARI_VERIFY_ROWS];
    uint8_t quiet[WARI_SEEDS_MAX + 1][WARI_VERIFY_ROWS];
    bool any_quiet[WARI_SEEDS_MAX + 1];
};

void wari_verify_strip_fill(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                            const struct wari_verify_piece *piece);

/* The bytes of a column of the strip; 0 where there is no row. */
void wari_verify_strip_read(const struct wari_verify_strip *strip, uint32_t column,
                            uint8_t codes[WARI_VERIFY_ROWS]);

/* A quiet move of a column: of some row of the strip at least. */
struct wari_verify_step {
    int t;
    int block;    /* of the position reached */
    uint32_t row; /* likewise */
    bool lands;
};

/* By emptying `pit`; false if that is a quiet move in no row of the strip. */
bool wari_verify_strip_step(const struct wari_verify_strip *strip,
                            const struct wari_verify_column *column, int pit,
                            struct wari_verify_step *step);

/* The bytes of the positions reached; 0 where the move is not a quiet one. */
void wari_verify_strip_reach(const struct wari_verify_strip *strip,
                             const struct wari_verify_step *step, uint8_t codes[WARI_VERIFY_ROWS]);

/* Their hopes; 0 where the move is not a quiet one, or hopes are not kept in their block. */
void wari_verify_strip_hopes(const struct wari_verify_strip *strip,
                             const struct wari_verify_step *step, uint8_t hopes[WARI_VERIFY_ROWS]);

#endif
