/* Template of the inner loops over the 64 rows of a strip. Every kernel is compiled from this
 * template, so all kernels give the same results. A file for a special instruction set defines
 * KERNEL_TABLE (the name of its table), KERNEL_TARGET (a function attribute),
 * gather_by_vectors() and nonzero_mask() before it includes this template. Without these
 * definitions the template gives the portable kernel. */
#include <string.h>

#include "verify/verify_strip.h"

#ifndef KERNEL_TABLE
#define KERNEL_TABLE wari_verify_kernel_portable
#define KERNEL_TARGET

static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                     const struct wari_verify_vectors *vectors,
                                     uint8_t codes[WARI_VERIFY_ROWS])
{
    (void)cells;
    (void)vectors;
    (void)codes;
    return false;
}

/* Returns a bit for each byte that is not 0. Each byte must be 0, 0xff or 1. */
static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
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

/* Reads one cell for each row, and 0 for the missing rows. A complete strip, the common case,
 * has its own loop, which the compiler can unroll. */
KERNEL_TARGET static inline void gather_one_by_one(const wari_verify_cell *cells,
                                                   const uint32_t *place, int rows,
                                                   uint8_t codes[WARI_VERIFY_ROWS])
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

KERNEL_TARGET static uint64_t kernel_read(const struct wari_verify_strip *strip, uint32_t column,
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
    return nonzero_mask(marks);
}

KERNEL_TARGET static inline void kernel_reach(const struct wari_verify_strip *strip,
                                              const struct wari_verify_strip_move *move,
                                              uint8_t codes[WARI_VERIFY_ROWS])
{
    const uint8_t *quiet = strip->quiet[move->t];
    const wari_verify_cell *cells = wari_verify_strip_row(strip, move);

    if (!gather_by_vectors(cells, &strip->vectors[move->t], codes))
        gather_one_by_one(cells, strip->column[move->t], strip->rows, codes);
    if (move->lands) {
        for (int row = 0; row < WARI_VERIFY_ROWS; row++)
            codes[row] &= quiet[row];
    }
}

/* The upper seven bits of a cell are MIDDLE minus its value. In the cell of a position that a move
 * reaches, these bits are the worth of the move plus MIDDLE. */
KERNEL_TARGET static void kernel_best(const struct wari_verify_strip *strip, uint32_t column,
                                      uint8_t best[WARI_VERIFY_ROWS])
{
    memset(best, 0, WARI_VERIFY_ROWS);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        kernel_reach(strip, &move, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            const uint8_t worth = reached[row] >> 1;
            best[row] = worth > best[row] ? worth : best[row];
        }
    }
}

KERNEL_TARGET static struct wari_verify_checked kernel_check(const uint8_t best[WARI_VERIFY_ROWS],
                                                             uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t wrong[WARI_VERIFY_ROWS], open[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
        const uint8_t value = (uint8_t)(WARI_VERIFY_ZERO - (codes[row] >> 1)); /* + MIDDLE */
        const uint8_t attained = codes[row] & WARI_VERIFY_MARK;
        const uint8_t unattained = attained ^ WARI_VERIFY_MARK;
        wrong[row] = (uint8_t)((best[row] > value) | ((best[row] < value) & unattained));
        open[row] =
            (uint8_t)((value < WARI_VERIFY_MIDDLE) | ((value > WARI_VERIFY_MIDDLE) & unattained));
        codes[row] = (uint8_t)((codes[row] ^ attained) | open[row]);
    }
    return (struct wari_verify_checked){nonzero_mask(wrong), nonzero_mask(open)};
}

KERNEL_TARGET static uint64_t kernel_supported(const struct wari_verify_strip *strip,
                                               uint32_t column,
                                               const uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t attained[WARI_VERIFY_ROWS] = {0}, open[WARI_VERIFY_ROWS] = {0};
    uint8_t required[WARI_VERIFY_ROWS], supported[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        required[row] = wari_verify_opposite(codes[row]);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        kernel_reach(strip, &move, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            attained[row] |= reached[row] == required[row] ? WARI_VERIFY_MARK : 0;
            open[row] |= reached[row];
        }
    }
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        supported[row] =
            (codes[row] < WARI_VERIFY_ZERO ? attained[row] : ~open[row]) & WARI_VERIFY_MARK;
    return nonzero_mask(supported);
}

const struct wari_verify_kernel KERNEL_TABLE = {kernel_read, kernel_reach, kernel_best,
                                                kernel_check, kernel_supported};
