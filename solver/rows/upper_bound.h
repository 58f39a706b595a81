/* The code of a cell while upper bounds shrink (memory/memory_upper_bounds.c, cycle rule `own`).
 * The code is one byte. It contains the upper bound u and, if u > 0, the limit below which u cannot
 * fall. Let v be the proved value of the cell, and c its best capture.
 *
 * An upper bound u > 0 falls to the best move of the cell, but not below v, and not below 0. So its
 * code contains v. If v = 0, the code also contains c, as far as codes distinguish captures,
 * because the value may fall below 0 later.
 *
 * An upper bound u <= 0 rises to the best move of the cell, but not above 0. Its code does not
 * contain v, because no move raises u above v (see below). When a value replaces u later, c is
 * needed. So the code of u is the code of value u with best capture c (cell.h).
 *
 * Codes are in the order of u. "Even" means: with the parity of the level's seeds (cell.h). These
 * are the codes of an even u > 0 that is not above `whole` (struct wari_cells):
 *
 *     anchor[u] + k    v = u, where u is the k-th even number above 0: firm, u cannot fall
 *     ...
 *     anchor[u] + 1    v is the first even number above 0
 *     anchor[u]        v = 0, and c = 0
 *     anchor[u] - 1    v = 0, and c is that of the second code of value 0 (cell.h)
 *     ...
 *     the smallest     v or c is unknown: if u falls, c has to be looked up
 *
 * Any other u > 0 has only the first and the last of these codes.
 *
 * The code of an upper bound below 0 does not need to contain v, for the following reason. Values
 * are at the fixed point of growing: v = max(c, best quiet move). An upper bound is on the same
 * side of 0 as the value, and at least as far from 0. If v < 0, all children have values of at
 * least -v. So their upper bounds are at least -v, too, and no move raises u above v.
 *
 * For a similar reason, c may take the place of v as the limit. If v > 0 is the value of a quiet
 * move, the child that the move reaches has the value -v. The child's upper bound is not above -v,
 * so the move never lets u fall below v. It follows that a cell with u = v does not change.
 */
#ifndef SOLVER_ROWS_UPPER_BOUND_H
#define SOLVER_ROWS_UPPER_BOUND_H

#include "solver/rows/cell.h"

/* Returns the best capture c of a cell with value v <= 0, in the form that wari_cell_low() expects:
 * c itself; `none` if there is no capture; or none - 1 if the code does not contain c. */
static inline int wari_upper_floor(const struct wari_cells *cells, int8_t code)
{
    const int floor = cells->floor[(uint8_t)code];

    return floor < cells->none ? cells->none - 1 : floor;
}

/* Returns the new code of an upper bound whose smallest child by quiet moves has code `worst`. If
 * the upper bound falls and its best capture has to be looked up, *needs_capture is set, and the
 * old code is returned; wari_upper_resolved() then computes the new code. */
static inline int8_t wari_upper_shrunk(const struct wari_cells *cells, int8_t code, int8_t worst,
                                       bool *needs_capture)
{
    const int quiet = -cells->value[(uint8_t)worst];
    const int floor = cells->floor[(uint8_t)code];

    if (worst < cells->upper_codes.least[(uint8_t)code])
        return wari_cell_low(cells, quiet < 0 ? quiet : 0, wari_upper_floor(cells, code));
    if (worst <= cells->hold[(uint8_t)code])
        return code;
    *needs_capture =
        floor < cells->none || (quiet > floor && cells->upper_codes.anchor[quiet] == INT8_MIN);
    if (*needs_capture)
        return code;
    if (quiet <= floor)
        return cells->upper_codes.back[(uint8_t)code];
    return (int8_t)(cells->upper_codes.anchor[quiet] + cells->upper_codes.shift[(uint8_t)code]);
}

/* Returns the code of an upper bound above 0. `floor` is the value of the cell if that is above 0;
 * otherwise the best capture, or `none` if there is no capture. A number below `none` means that
 * the best capture is not known. */
static inline int8_t wari_upper_code(const struct wari_cells *cells, int upper, int floor)
{
    if (upper == floor)
        return cells->upper_codes.firm[upper];
    if (cells->upper_codes.anchor[upper] == INT8_MIN)
        return (int8_t)(cells->upper_codes.firm[upper] - 1);
    if (floor <= 0)
        return (int8_t)(cells->upper_codes.anchor[upper] + wari_cell_low(cells, 0, floor) -
                        cells->zero);
    if (wari_size_is_even(cells, floor))
        return (int8_t)(cells->upper_codes.anchor[upper] + wari_size_number(cells, floor));
    return (int8_t)(cells->upper_codes.anchor[upper] + wari_cell_low(cells, 0, cells->none) -
                    cells->zero - 1);
}

/* Returns the new code of an upper bound after the best capture c was looked up. c is `none` if
 * there is no capture. */
static inline int8_t wari_upper_resolved(const struct wari_cells *cells, int8_t worst, int c)
{
    const int quiet = -cells->value[(uint8_t)worst];
    const int upper = quiet > c ? quiet : c;

    return upper > 0 ? wari_upper_code(cells, upper, c) : wari_cell_low(cells, 0, c);
}

/* Fills a table that converts values to first upper bounds, in a block where the mover's row has
 * `surplus` seeds more than the opponent's row. The index is the code of a value, as an unsigned
 * byte. The entry is the code of the first upper bound of a cell with this code, or -128 if the
 * best capture of the cell has to be looked up. `cells` defines the codes of values, and `upper`
 * the codes of upper bounds. */
void wari_upper_from_values(const struct wari_cells *cells, const struct wari_cells *upper,
                            int surplus, int8_t table[256]);

/* Returns the code of the first upper bound after the best capture c (or `none`) was looked up. */
static inline int8_t wari_upper_initial(const struct wari_cells *upper, int surplus, int c)
{
    const int bound = c > surplus ? c : surplus; /* above 0 only if a checkpoint was forged */

    return bound > 0 ? wari_upper_code(upper, bound, c) : wari_cell_low(upper, bound, c);
}

/* Fills a table that converts upper bounds to the values to which they are committed. The index is
 * the code of an upper bound, as an unsigned byte. The entry is the code of the value. */
void wari_values_from_upper(const struct wari_cells *upper, const struct wari_cells *cells,
                            int8_t table[256]);

#endif
