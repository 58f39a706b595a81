/* What a capture or an end is worth, held against the value of the position it is played in. */
#ifndef VERIFY_LOCAL_VERIFY_WORTH_H
#define VERIFY_LOCAL_VERIFY_WORTH_H

#include "verify/verify_level.h"

/* A row of the level at hand, stored or full. */
struct wari_verify_row {
    wari_verify_cell *cells;
    wari_verify_cell *hopes; /* of the row; NULL: captures do not bound them */
    uint64_t first;          /* cell of column 0 */
    bool full;
    bool whole; /* hopes of a byte */
};

/* `pits`: an opponent half with `block` seeds. */
struct wari_verify_row wari_verify_row(struct wari_verify_level *level, int block,
                                       const uint8_t pits[WARI_HALF_PITS]);

/* Says that a value is too low. */
void wari_verify_exceed(struct wari_verify_level *level, uint64_t cell);

/* Enters a move that captures, or an end, which is worth `worth` to the mover: a value that it
 * attains is marked, one that it exceeds is wrong. */
static inline void wari_verify_enter(struct wari_verify_level *level,
                                     const struct wari_verify_row *row, uint32_t column, int worth)
{
    wari_verify_cell *cell = &row->cells[column];

    if (row->full) {
        wari_verify_raise(cell, (uint8_t)(worth + WARI_VERIFY_MIDDLE));
        return;
    }
    const uint8_t code = wari_verify_read(cell);
    const int value = wari_verify_value(code);
    if (worth == value)
        (void)wari_verify_mark(cell);
    else if (worth > value)
        wari_verify_exceed(level, row->first + column);
    if (row->hopes)
        wari_verify_lower(row->hopes, row->whole, column, worth < 0 ? -worth : 0);
}

#endif
