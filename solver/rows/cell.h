/* A cell of a level while it is solved: value and best capture in one byte.
 *
 * While values grow away from 0 (solve.c), a value v > 0 already contains the position's best
 * capture or end, c. Where v <= 0, c is how far v may still fall: v never gets below it. So a cell
 * has a code for each v > 0, and for v <= 0 one for each pair (v, c), as far as codes go:
 *
 *     126            v = n                     codes are in the order of v, so that the smallest
 *     ...                                      code of several cells has the smallest value
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
 * A cell that knows "a lower c" only, below both -deepest and v, has to ask for c should it fall to
 * what may be c or below it. `deepest` is as large as 254 codes allow, with cycle rule `even`: n up
 * to 19 seeds, so that nobody asks, 18 at 20 seeds, 16 at 24, 12 at 36, 5 at 48.
 *
 * With cycle rule `own` codes leave space for those of upper bounds (upper_bound.h) above 0: the
 * zero of the list lies lower. Nearly all values v, and c, are as even or as odd as n there (they
 * are 0, or somebody gets every seed in the end; but draws of levels below may make others); only
 * such
 * **even** ones are distinguished:
 *
 *     v even, or 0      firm; each even c down to -deepest; any other c below v; no capture
 *     v odd             firm; any other c below v; no capture
 *
 * There `deepest` is 10 at 20 seeds, 8 at 24, 6 at 36, 2 at 48, and `whole` 20, 20, 14, 4.
 */
#ifndef SOLVER_CELL_H
#define SOLVER_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "game/wari_game.h"

enum {
    WARI_NO_CAPTURE = -128, /* best capture or end: there is none */
    WARI_NO_QUIET = 127,    /* smallest child where no quiet move exists: above every code */
    WARI_FLOOR_BELOW = -64, /* in `floor`: added to a bound of c */
};

/* Where the codes of values v <= 0 are. */
struct wari_low_codes {
    int8_t first[64];  /* [-v]: code of value v that is firm */
    int8_t reach[64];  /* [-v]: codes behind that for values of c; the last for all others */
    int8_t apart[128]; /* [v - c], for v = 0 64 more: how far behind that c would be */
};

/* Codes of upper bounds; see upper_bound.h. */
struct wari_upper_codes {
    int8_t least[256]; /* by the upper bound's code: smallest code of a child that lets it stay;
                        * -128 for one of 0 or more */
    int8_t anchor[64]; /* [h] for h > 0: what `shift` is counted from; -128 where upper bounds do
                        * not know what they fall back to */
    int8_t firm[64];   /* [h] for h > 0: code of an upper bound that is firm */
    int8_t shift[256]; /* by the code of an upper bound h > 0, anchor[h] + shift: the same for all
                        * upper bounds of one cell */
    int8_t back[256];  /* code of what it falls back to */
};

/* The codes of one level. */
struct wari_cells {
    int seeds;
    int deepest;       /* best captures below -deepest are not distinguished */
    int whole;         /* cycle rule `own`: upper bounds up to here know what they fall back to */
    bool own;          /* cycle rule `own`: some codes are reserved for upper bounds */
    bool upper;        /* these are codes of upper bounds */
    int8_t zero;       /* greatest code of a value <= 0: 126 - n, or less */
    int8_t none;       /* -(n + 1): stands for "no capture" in `floor` */
    int8_t start[256]; /* by best capture c, or WARI_NO_CAPTURE, as an unsigned byte: the first code
                        * of a position, whose value is max(c, 0) */

    /* By code, as an unsigned byte. */
    int8_t value[256];
    int8_t floor[256]; /* v <= 0: c, or `none`, or WARI_FLOOR_BELOW + a value that c may have but
                        * not exceed; v > 0: v. An upper bound above 0: what it falls back to,
                        * or WARI_FLOOR_BELOW where it asks */

    /* What its smallest child does to a cell: with x the child's value (WARI_NO_QUIET: there is
     * none) a parent is worth -x if its captures are not better. */
    int8_t rise[256]; /* by the child's code: that of -x if that is above 0, else -128: what a
                       * parent rises to */
    int8_t lift[64];  /* [v] for v >= 0: greatest code of a child that takes a cell of value v
                       * further up, -128 if none does; a cell below 0 rises as one of 0 does */
    int8_t hold[256]; /* by the cell's code: greatest code of a child that lets it stay; those above
                       * make it fall, or ask. 127 for a cell above 0 or firm; of upper bounds, for
                       * those of 0 or less or firm */

    struct wari_low_codes low;
    struct wari_upper_codes upper_codes; /* if these are codes of upper bounds */
};

/* The codes of values of level `seeds`; with cycle rule `own` some codes are
 * reserved for upper bounds. */
void wari_cells_init(struct wari_cells *cells, int seeds, enum wari_cycle cycle);

/* The same with `deepest` and `whole` at most this (0 to seeds), so that more cells have to ask;
 * for tests. */
void wari_cells_init_within(struct wari_cells *cells, int seeds, enum wari_cycle cycle,
                            int deepest);

/* From codes of values to those of upper bounds and back. Codes of what is 0 or less are the same
 * for both. */
void wari_cells_for_upper_bounds(struct wari_cells *cells, bool upper);

/* Sizes of values that are distinguished are numbered: 0, 1, 2, ..., or, with cycle rule `own`, 0
 * and then every other one, as even or odd as `seeds`. */
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

/* The code of value v <= 0 with floor c <= v (or `none`). */
static inline int8_t wari_cell_low(const struct wari_cells *cells, int v, int c)
{
    const int reach = cells->low.reach[-v], apart = cells->low.apart[v - c + (v == 0 ? 64 : 0)];

    return (int8_t)(cells->low.first[-v] - (apart < reach ? apart : reach) - (c == cells->none));
}

/* The code of value v with best capture c <= v (or WARI_NO_CAPTURE). */
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

/* The codes that a cell may have: all from the least one on to the greatest. */
static inline int wari_cell_least(const struct wari_cells *cells)
{
    return cells->low.first[cells->seeds] - cells->low.reach[cells->seeds] - 1;
}

static inline int wari_cell_greatest(const struct wari_cells *cells)
{
    return cells->upper && cells->seeds > 0 ? cells->upper_codes.firm[cells->seeds]
                                            : cells->zero + (cells->upper ? 0 : cells->seeds);
}

/* What becomes of a cell whose quiet moves' smallest child has code `worst`. If it falls and only
 * its best capture says how far, *ask is set and the cell's own code is returned;
 * wari_cell_resolved() then gives the new one. */
static inline int8_t wari_cell_grown(const struct wari_cells *cells, int8_t code, int8_t worst,
                                     bool *ask)
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
            *ask = true;
            return code;
        }
    }
    return wari_cell_low(cells, value > floor ? value : floor, floor);
}

/* The same for a cell that had to ask: its best capture is c. Such a cell is not above 0, unless it
 * comes from a forged checkpoint: it gets a code of the level then, too. */
static inline int8_t wari_cell_resolved(const struct wari_cells *cells, int8_t worst, int c)
{
    const int value = -cells->value[(uint8_t)worst];

    return wari_cell_code(cells, value > c ? value : c, c);
}

#endif
