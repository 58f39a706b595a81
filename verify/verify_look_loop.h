/* The loops over the 64 rows of a strip: every table of them is made of these, so that all give the
 * same. One for instructions that not every processor has defines LOOK_TABLE and LOOK_TARGET, an
 * attribute, and has look_by_windows() and look_which(). Without these it is the portable one.
 */
#include <string.h>

#include "verify/verify_look.h"

#ifndef LOOK_TABLE
#define LOOK_TABLE wari_verify_look_portable
#define LOOK_TARGET

static inline bool look_by_windows(const wari_verify_cell *cells,
                                   const struct wari_verify_windows *windows,
                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    (void)cells;
    (void)windows;
    (void)codes;
    return false;
}

/* Bytes that are not 0; each of them has all its bits, or the lowest alone. */
static inline uint64_t look_which(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    uint64_t which = 0;
    for (int i = 0; i < WARI_VERIFY_ROWS; i += 8) {
        uint64_t rows = 0;
        for (int row = 0; row < 8; row++)
            rows |= (uint64_t)(bytes[i + row] & 1) << row;
        which |= rows << i;
    }
    return which;
}
#endif

/* One byte of each row, and 0 for those that are missing. A whole strip, the common case, has a
 * loop of its own, which the compiler can unroll. */
LOOK_TARGET static inline void look_one_by_one(const wari_verify_cell *cells, const uint32_t *place,
                                               int rows, uint8_t codes[WARI_VERIFY_ROWS])
{
    if (rows == WARI_VERIFY_ROWS) {
#pragma GCC unroll 8
        for (int row = 0; row < WARI_VERIFY_ROWS; row++)
            codes[row] = wari_verify_read(&cells[place[row]]);
        return;
    }
    memset(codes, 0, WARI_VERIFY_ROWS);
    for (int row = 0; row < rows; row++)
        codes[row] = wari_verify_read(&cells[place[row]]);
}

LOOK_TARGET static uint64_t look_read(const struct wari_verify_strip *strip, uint32_t column,
                                      uint8_t codes[WARI_VERIFY_ROWS])
{
    const wari_verify_cell *cells =
        (strip->full ? strip->level->full : strip->level->cells) + strip->first[0] + column;
    const uint64_t columns = strip->level->layout.columns[strip->block];
    const int rows = strip->rows;
    uint8_t marks[WARI_VERIFY_ROWS];

    if (rows < WARI_VERIFY_ROWS)
        memset(codes, 0, WARI_VERIFY_ROWS);
#pragma GCC unroll 8
    for (int row = 0; row < rows; row++)
        codes[row] = wari_verify_read(&cells[(uint64_t)row * columns]);
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        marks[row] = codes[row] & WARI_VERIFY_MARK;
    return look_which(marks);
}

LOOK_TARGET static inline void look_reach(const struct wari_verify_strip *strip,
                                          const struct wari_verify_step *step,
                                          uint8_t codes[WARI_VERIFY_ROWS])
{
    const uint8_t *quiet = strip->quiet[step->t];
    const wari_verify_cell *cells = wari_verify_strip_row(strip, step);

    if (!look_by_windows(cells, &strip->windows[step->t], codes))
        look_one_by_one(cells, strip->column[step->t], strip->rows, codes);
    if (step->lands) {
        for (int row = 0; row < WARI_VERIFY_ROWS; row++)
            codes[row] &= quiet[row];
    }
}

/* The byte of a position reached is MIDDLE less its value, and that is the worth of the move. */
LOOK_TARGET static void look_best(const struct wari_verify_strip *strip, uint32_t column,
                                  uint8_t best[WARI_VERIFY_ROWS])
{
    memset(best, 0, WARI_VERIFY_ROWS);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_step step;
        if (!wari_verify_strip_step(strip, &strip->moves[column], pit, &step))
            continue;
        look_reach(strip, &step, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            const uint8_t worth = reached[row] >> 1;
            best[row] = worth > best[row] ? worth : best[row];
        }
    }
}

LOOK_TARGET static uint64_t look_supported(const struct wari_verify_strip *strip, uint32_t column,
                                           const uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t attained[WARI_VERIFY_ROWS] = {0}, open[WARI_VERIFY_ROWS] = {0};
    uint8_t wanted[WARI_VERIFY_ROWS], supported[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        wanted[row] = wari_verify_opposite(codes[row]);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_step step;
        if (!wari_verify_strip_step(strip, &strip->moves[column], pit, &step))
            continue;
        look_reach(strip, &step, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            attained[row] |= reached[row] == wanted[row] ? WARI_VERIFY_MARK : 0;
            open[row] |= reached[row];
        }
    }
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        supported[row] =
            (codes[row] < WARI_VERIFY_ZERO ? attained[row] : ~open[row]) & WARI_VERIFY_MARK;
    return look_which(supported);
}

const struct wari_verify_look LOOK_TABLE = {look_read, look_reach, look_best, look_supported};
