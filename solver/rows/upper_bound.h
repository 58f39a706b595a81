/* A cell while hopes are swept down (memory/memory_upper_bounds.c, cycle rule `own`): the hope h,
 * and what the cell needs to know beside it, in one byte.
 *
 * A hope h > 0 falls to the best of its moves, but not below the value v >= 0 that is proved, nor
 * below 0; so its code says v, and for v = 0 also the best capture c, as far as codes distinguish
 * it: values may fall below 0 later. A hope h <= 0 rises to the best of its moves, but not above 0.
 * It needs no v, for its moves stop it there (below), but the values that follow need c: its code
 * is that of the value h with best capture c (cell.h). Codes are in the order of h; for an even h
 * (cell.h) that is not above `whole`:
 *
 *     anchor[h] + k    h is the k-th even value above 0: firm
 *     ...
 *     anchor[h] + 1    falls back to the first even value above 0
 *     anchor[h]        falls back to the first code of v = 0, that is, c = 0
 *     anchor[h] - 1    to the second
 *     ...
 *     the smallest     does not know what it falls back to, and asks for c when it falls
 *
 * For any other h there are only the first and the last.
 *
 * Why a hope below 0 needs no v: values are at the fixed point of growing, v = max(c, best of the
 * quiet moves), and hopes lie on the same side of 0 as values, no nearer. If v < 0 all
 * children have values of -v and more, and hopes of no less, so no move brings the hope above v. In
 * the same way, a cell above 0 that owes its value to a quiet move never hopes for less: the child
 * is below 0, and hopes for no more than its value. So a hope that asks falls no further than it
 * should if it gets c in place of v, and cells without a hope of their own (h = v) stay what
 * they are.
 */
#ifndef SOLVER_HOPE_H
#define SOLVER_HOPE_H

#include "solver/rows/cell.h"

/* What a code of a value v <= 0 says of c, for wari_cell_low(): c, `none`, or below all that is
 * distinguished. */
static inline int wari_upper_floor(const struct wari_cells *cells, int8_t code)
{
    const int floor = cells->floor[(uint8_t)code];

    return floor < cells->none ? cells->none - 1 : floor;
}

/* What becomes of a hope whose quiet moves' smallest child has code `worst`: as wari_cell_grown().
 * wari_upper_resolved() then answers. */
static inline int8_t wari_upper_shrunk(const struct wari_cells *cells, int8_t code, int8_t worst,
                                       bool *ask)
{
    const int quiet = -cells->value[(uint8_t)worst];
    const int floor = cells->floor[(uint8_t)code];

    if (worst < cells->upper_codes.least[(uint8_t)code])
        return wari_cell_low(cells, quiet < 0 ? quiet : 0, wari_upper_floor(cells, code));
    if (worst <= cells->hold[(uint8_t)code])
        return code;
    *ask = floor < cells->none || (quiet > floor && cells->upper_codes.anchor[quiet] == INT8_MIN);
    if (*ask)
        return code;
    if (quiet <= floor)
        return cells->upper_codes.back[(uint8_t)code];
    return (int8_t)(cells->upper_codes.anchor[quiet] + cells->upper_codes.shift[(uint8_t)code]);
}

/* The code of a hope above 0 of a cell that, as far as is known, does not fall below `floor`: a
 * value of at least 0, or else a best capture, `none`, or less. */
static inline int8_t wari_upper_code(const struct wari_cells *cells, int hope, int floor)
{
    if (hope == floor)
        return cells->upper_codes.firm[hope];
    if (cells->upper_codes.anchor[hope] == INT8_MIN)
        return (int8_t)(cells->upper_codes.firm[hope] - 1);
    if (floor <= 0)
        return (int8_t)(cells->upper_codes.anchor[hope] + wari_cell_low(cells, 0, floor) -
                        cells->zero);
    if (wari_size_is_even(cells, floor))
        return (int8_t)(cells->upper_codes.anchor[hope] + wari_size_number(cells, floor));
    return (int8_t)(cells->upper_codes.anchor[hope] + wari_cell_low(cells, 0, cells->none) -
                    cells->zero - 1);
}

/* The hope that had to ask: the best capture is c, or `none`. */
static inline int8_t wari_upper_resolved(const struct wari_cells *cells, int8_t worst, int c)
{
    const int quiet = -cells->value[(uint8_t)worst];
    const int hope = quiet > c ? quiet : c;

    return hope > 0 ? wari_upper_code(cells, hope, c) : wari_cell_low(cells, 0, c);
}

/* From values to hopes: what each code becomes in blocks where the mover's row has `surplus` seeds
 * more than the opponent's; -128 where the best capture has to be asked for. `cells`: codes of
 * values, `hopes` those of hopes. */
void wari_upper_from_values(const struct wari_cells *cells, const struct wari_cells *hopes,
                            int surplus, int8_t table[256]);

/* And what a code with a best capture c (or `none`) becomes that had to ask. */
static inline int8_t wari_upper_initial(const struct wari_cells *hopes, int surplus, int c)
{
    const int hope = c > surplus ? c : surplus; /* above 0 only after a forged checkpoint */

    return hope > 0 ? wari_upper_code(hopes, hope, c) : wari_cell_low(hopes, hope, c);
}

/* From hopes to values. */
void wari_values_from_upper(const struct wari_cells *hopes, const struct wari_cells *cells,
                            int8_t table[256]);

#endif
