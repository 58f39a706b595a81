/* A cell of a level while it is solved: its value and its best capture in one byte.
 *
 * Let v be the value found so far, and c the value of the best capture or end of the game. A cell
 * begins with v = max(c, 0); then values grow away from 0 (solve.c). If v > 0, v is at least c and
 * never falls, so c is not needed any more, and each such v has one code. If v <= 0, v may fall,
 * but never below c. So each pair (v, c) with v <= 0 has one code, as long as there are enough
 * codes:
 *
 *     126            v = n                     codes are in the order of v, so the smallest code
 *     ...                                      of several cells has the smallest value
 *     127 - n        v = 1
 *     126 - n        v = 0,  c = 0 (firm: it cannot fall)
 *     125 - n        v = 0,  c = -1
 *     ...            v = 0,  c = -n, then: no capture
 *     first[1]       v = -1, c = -1 (firm)
 *     first[1] - 1   v = -1, c = -2
 *     ...            v = -1, c = -deepest, then: a lower c, then: no capture
 *     first[2]       v = -2, c = -2 (firm)
 *     ...
 *     first[x]       v = -x for x > deepest: firm, then: a lower c, then: no capture
 *     ...
 *
 * The code "a lower c" only says that c is below -deepest and below v. If a cell with this code
 * has to fall so far that c might stop it, c has to be looked up. `deepest` is as large as 254
 * codes allow. With cycle rule `even` it is n up to 19 seeds, so that no look-up is needed, 18 at
 * 20 seeds, 16 at 24, 12 at 36, and 5 at 48.
 *
 * With cycle rule `own`, upper bounds (upper_bound.h) need more codes above the code of value 0
 * than values need, so the code of value 0 is lower than in this list. With this rule nearly all
 * values of v and c have the parity of n or are 0, since in the end each seed usually belongs to
 * one of the sides; a draw in a lower level can lead to other values. Only the values of that
 * parity, called **even** below, and 0 are distinguished:
 *
 *     v even, or 0      firm; each even c down to -deepest; any other c below v; no capture
 *     v odd             firm; any other c below v; no capture
 *
 * With cycle rule `own`, `deepest` is 10 at 20 seeds, 8 at 24, 6 at 36, and 2 at 48, and `whole`
 * (see struct wari_cells) is 20, 20, 14, and 4. */
#ifndef SOLVER_ROWS_CELL_H
#define SOLVER_ROWS_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "game/wari_game.h"

enum {
    WARI_NO_CAPTURE = -128, /* best capture of a cell without captures or end */
    WARI_NO_QUIET = 127,    /* used instead of the code of the smallest child if a cell has no quiet
                             * move; greater than every code */
    WARI_FLOOR_BELOW = -64, /* added to an upper limit of c if an entry of `floor` (struct
                             * wari_cells) is such a limit instead of c itself */
};

/* The codes of cells with value v <= 0 and best capture c, as listed above. The code of a cell is
 *
 *     first[-v] - min(apart[v - c], reach[-v])
 *
 * or 1 less if the cell has no capture (wari_cell_low()). */
struct wari_low_codes {
    int8_t first[64];  /* [-v]: code of the firm value v */
    int8_t reach[64];  /* [-v]: number of codes directly below first[-v] that also have value v and
                        * a capture: one for each distinguished c < v, and the last one for all
                        * other c < v */
    int8_t apart[128]; /* [v - c]: number of codes from the code of c to first[-v], if every c had a
                        * code; values of 0 use [64 - c] instead */
};

/* Codes of upper bounds; see upper_bound.h. An upper bound h > 0 may fall, but not below the value
 * v of the cell, which is at least 0. If the code of h contains v, the code is anchor[h] + shift,
 * and the shift alone stands for v and, if v is 0, also for the best capture. So the shift stays
 * the same when h falls. */
struct wari_upper_codes {
    int8_t least[256]; /* [code of an upper bound]: the upper bound rises if the smallest child has
                        * a code less than this entry. The entry is -128 if the bound is 0 or more,
                        * because then it cannot rise */
    int8_t anchor[64]; /* [h] for h > 0: the code with shift 0; -128 if the codes of upper bound h
                        * do not contain v */
    int8_t firm[64];   /* [h] for h > 0: the code that means that h is firm, so it cannot fall */
    int8_t shift[256]; /* [code anchor[h] + shift]: the shift */
    int8_t back[256];  /* [code anchor[h] + shift]: the code that the bound falls back to */
};

/* The codes of one level. */
struct wari_cells {
    int seeds;
    int deepest;       /* best captures below -deepest are not distinguished */
    int whole;         /* cycle rule `own`: the codes of upper bounds up to this one contain the
                        * value that the bound falls back to */
    bool own;          /* cycle rule `own`: some codes are reserved for upper bounds */
    bool upper;        /* these are codes of upper bounds */
    int8_t zero;       /* greatest code of a value <= 0: 126 minus the number of codes of values and
                        * upper bounds above 0 */
    int8_t none;       /* -(n + 1): stands for "no capture" in `floor` */
    int8_t start[256]; /* [best capture c or WARI_NO_CAPTURE, as an unsigned byte]: initial code
                        * of a position with this best capture; its value is max(c, 0) */

    /* The following tables are indexed by a code, as an unsigned byte. */
    int8_t value[256]; /* the value v, or the upper bound */
    /* The limit below which the cell cannot fall. If v <= 0, the limit is the best capture c. It is
     * `none` if there is no capture, and WARI_FLOOR_BELOW plus an upper limit of c if the code does
     * not contain c. If v > 0, the limit is v. For an upper bound above 0 (upper_bound.h) the limit
     * is the value that the bound falls back to. If that value is unknown, because the best capture
     * has to be looked up, the limit is WARI_FLOOR_BELOW. */
    int8_t floor[256];

    /* The effect of a cell's smallest child, the child with the smallest code. If the child has
     * value x, the value of the cell is -x, unless a capture is better. If a cell has no child,
     * WARI_NO_QUIET takes the place of the child's code. */
    int8_t rise[256]; /* [code of a child with value x]: if -x is above 0, the code of value -x, to
                       * which the cell rises; otherwise -128 */
    int8_t lift[64]; /* [v] for v >= 0: greatest code of a child that raises a cell of value v; -128
                        if no child raises it. Cells below 0 use the entry of value 0 */
    /* [code of the cell]: the cell does not fall as long as the code of its smallest child is at
     * most this entry. If the child's code is greater, the cell falls, or its best capture has to
     * be looked up. The entry is 127 if the cell cannot fall: if its value is firm (equal to its
     * best capture) or above 0, or if its upper bound is firm, or 0 or less. */
    int8_t hold[256];

    struct wari_low_codes low;
    struct wari_upper_codes upper_codes; /* if these are codes of upper bounds */
};

/* Computes the codes of values of level `seeds`. With cycle rule `own`, some codes are reserved for
 * upper bounds. */
void wari_cells_init(struct wari_cells *cells, int seeds, enum wari_cycle cycle);

/* Like wari_cells_init(), but limits `deepest` and `whole` to `deepest` (0 to seeds), so that more
 * best captures have to be looked up. Also called by tests: only levels that are too large for
 * tests have more captures than codes. */
void wari_cells_init_within(struct wari_cells *cells, int seeds, enum wari_cycle cycle,
                            int deepest);

/* Converts the tables from codes of values to codes of upper bounds, or back. The codes of values
 * and upper bounds that are 0 or less are the same. */
void wari_cells_for_upper_bounds(struct wari_cells *cells, bool upper);

/* The size of a value is its absolute value. The sizes that codes distinguish have consecutive
 * numbers: with cycle rule `even`, number i stands for size i; with cycle rule `own`, numbers 0, 1,
 * 2, ... stand for 0 and for the sizes above 0 that are even or odd like `seeds`. */
static inline bool wari_size_is_even(const struct wari_cells *cells, int size)
{
    return !cells->own || size == 0 || (cells->seeds - size) % 2 == 0;
}

static inline int wari_size_number(const struct wari_cells *cells, int size)
{
    return cells->own ? (size + 1) / 2 : size;
}

static inline int wari_numbered_size(const struct wari_cells *cells, int number)
{
    return cells->own && number > 0 ? 2 * number - cells->seeds % 2 : number;
}

/* Returns the code of value v <= 0 with floor c <= v (or `none`). */
static inline int8_t wari_cell_low(const struct wari_cells *cells, int v, int c)
{
    const int reach = cells->low.reach[-v], apart = cells->low.apart[v - c + (v == 0 ? 64 : 0)];

    return (int8_t)(cells->low.first[-v] - (apart < reach ? apart : reach) - (c == cells->none));
}

/* Returns the code of value v with best capture c <= v (or WARI_NO_CAPTURE). */
static inline int8_t wari_cell_code(const struct wari_cells *cells, int v, int c)
{
    if (v > 0)
        return (int8_t)(cells->zero + v);
    return wari_cell_low(cells, v, c == WARI_NO_CAPTURE ? cells->none : c);
}

static inline int wari_cell_value(const struct wari_cells *cells, int8_t code)
{
    return cells->value[(uint8_t)code];
}

/* Return the least and the greatest code that a cell may have; all codes between them occur. */
static inline int wari_cell_least(const struct wari_cells *cells)
{
    return cells->low.first[cells->seeds] - cells->low.reach[cells->seeds] - 1;
}

static inline int wari_cell_greatest(const struct wari_cells *cells)
{
    return cells->upper && cells->seeds > 0 ? cells->upper_codes.firm[cells->seeds]
                                            : cells->zero + (cells->upper ? 0 : cells->seeds);
}

/* Returns the new code of a cell whose smallest child by quiet moves has code `worst`. If the cell
 * falls and its best capture has to be looked up, *needs_capture is set, and the old code is
 * returned; wari_cell_resolved() then computes the new code. */
static inline int8_t wari_cell_grown(const struct wari_cells *cells, int8_t code, int8_t worst,
                                     bool *needs_capture)
{
    const int8_t rise = cells->rise[(uint8_t)worst];
    int floor, value;

    if (rise > code)
        return rise;
    if (worst <= cells->hold[(uint8_t)code])
        return code;
    floor = cells->floor[(uint8_t)code];
    value = -cells->value[(uint8_t)worst];
    if (floor < cells->none) {
        floor -= WARI_FLOOR_BELOW;
        if (value <= floor) {
            *needs_capture = true;
            return code;
        }
    }
    return wari_cell_low(cells, value > floor ? value : floor, floor);
}

/* Returns the new code of a cell whose best capture c was looked up. c is not above 0, except in a
 * forged checkpoint; even then the result is a code of the level. */
static inline int8_t wari_cell_resolved(const struct wari_cells *cells, int8_t worst, int c)
{
    const int value = -cells->value[(uint8_t)worst];

    return wari_cell_code(cells, value > c ? value : c, c);
}

#endif
