/* A strip: up to 64 rows of a block, whose moves are looked at side by side.
 *
 * Fix a column, a mover half, and one of its pits. All rows of the strip reach the same row then,
 * and there the cells that t seeds make of their opponent halves, which for neighbouring rows are
 * neighbours: 64 positions lie in one or two lines of the cache.
 */
#ifndef VERIFY_STRIP_VERIFY_STRIP_H
#define VERIFY_STRIP_VERIFY_STRIP_H

#include "verify/verify_level.h"

/* 64 bytes of a row side by side, and which rows of the strip find theirs there. */
struct wari_verify_window {
    uint32_t first;
    uint64_t bytes; /* those that are asked for: a bit each */
    uint64_t rows;
};

/* Columns only go up from row to row, so a few windows have all that t seeds reach. */
enum { WARI_VERIFY_WINDOWS = 4 };
struct wari_verify_windows {
    int count; /* 0: it would take more */
    struct wari_verify_window window[WARI_VERIFY_WINDOWS];
    uint8_t place[WARI_VERIFY_ROWS]; /* of each row in its window */
};

struct wari_verify_strip {
    const struct wari_verify_level *level;
    const struct wari_verify_look *look;    /* set by wari_verify_look_at() */
    const struct wari_verify_column *moves; /* of column 0 */
    uint32_t columns;
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
    struct wari_verify_windows windows[WARI_SEEDS_MAX + 1];
};

void wari_verify_strip_fill(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                            const struct wari_verify_piece *piece);

/* A quiet move of a column: of some row of the strip at least. */
struct wari_verify_step {
    int t;
    int block;    /* of the position reached */
    uint32_t row; /* likewise */
    bool lands;
};

/* By emptying `pit`; false if that is a quiet move in no row of the strip. */
static inline bool wari_verify_strip_step(const struct wari_verify_strip *strip,
                                          const struct wari_verify_column *column, int pit,
                                          struct wari_verify_step *step)
{
    const int sown = column->sown[pit];
    if (sown == WARI_VERIFY_NO_MOVE)
        return false;
    step->lands = sown & WARI_VERIFY_LANDS;
    step->t = sown & ~WARI_VERIFY_LANDS;
    step->block = strip->level->layout.seeds - strip->block - step->t;
    step->row = column->row[pit];
    if (step->lands)
        return strip->any_quiet[step->t];
    return step->t > 0 || strip->block > 0; /* an empty row has to be fed */
}

/* Column 0 of the row that a step leads to. */
static inline const wari_verify_cell *wari_verify_strip_row(const struct wari_verify_strip *strip,
                                                            const struct wari_verify_step *step)
{
    const struct wari_layout *layout = &strip->level->layout;
    return strip->level->cells + layout->block_offset[step->block] +
           (uint64_t)step->row * layout->columns[step->block];
}

/* The hopes of the positions reached; 0 where the move is not a quiet one, or hopes are not kept in
 * their block. */
void wari_verify_strip_hopes(const struct wari_verify_strip *strip,
                             const struct wari_verify_step *step, uint8_t hopes[WARI_VERIFY_ROWS]);

#endif
