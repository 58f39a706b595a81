/* A cell of a level while it is solved: value and best capture in one byte.
 *
 * While values grow away from 0 (sweep.c), a value v > 0 already contains the position's best
 * capture or end, c. Where v <= 0, c is how far v may still fall: v never gets below it. So a cell
 * has a code for each v > 0, and for v <= 0 one for each pair (v, c), as far as codes go:
 *
 *     126            v = n                     codes are in the order of v, so that the smallest
 *     ...                                      code of several cells has the smallest value
 *     127 - n        v = 1
 *     126 - n        v = 0,  c = 0 (held: it cannot fall)
 *     125 - n        v = 0,  c = -1
 *     ...            v = 0,  c = -n, then: no capture
 *     first[1]       v = -1, c = -1 (held)
 *     first[1] - 1   v = -1, c = -2
 *     ...            v = -1, c = -told, then: a lower c, then: no capture
 *     first[2]       v = -2, c = -2 (held)
 *     ...
 *     first[x]       v = -x for x > told: held, then: a lower c, then: no capture
 *     ...
 *
 * A cell that is told "a lower c" only, below both -told and v, has to ask for c should it fall to
 * what may be c or below it. `told` is as large as 254 codes allow: n up to 19 seeds, so that
 * nobody asks, 18 at 20 seeds, 16 at 24, 12 at 36, 5 at 48.
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

/* The codes of one level. */
struct wari_cells {
    int seeds;
    int told;         /* best captures below -told are not told apart where v < 0 */
    int8_t zero;      /* 126 - n: greatest code of a value <= 0 */
    int8_t none;      /* -(n + 1): stands for "no capture" in `floor` */
    int8_t first[64]; /* [-v]: code of value v <= 0 that is held */
    int8_t reach[64]; /* [-v]: codes behind that for values of c; the last for all from v - reach
                       * down */

    /* By code, as an unsigned byte. */
    int8_t value[256];
    int8_t floor[256]; /* v <= 0: c, or `none`, or WARI_FLOOR_BELOW + a value that c may have but
                        * not exceed; v > 0: v */

    /* What its smallest child does to a cell: with x the child's value (WARI_NO_QUIET: there is
     * none) a parent is worth -x if its captures are not better. */
    int8_t rise[256]; /* by the child's code: that of -x if that is above 0, else -128: what a
                       * parent rises to */
    int8_t
        lift[64]; /* [v] for v >= 0: greatest code of a child that takes a cell of value v further
                   * up, -128 if none does; a cell below 0 rises as one of value 0 does */
    int8_t hold[256]; /* by the cell's code: greatest code of a child that lets it stay; those above
                       * make it fall, or ask. 127 for a cell above 0 or held */
};

void wari_cells_init(struct wari_cells *cells, int seeds);

/* The same with `told` at most this (0 to seeds), so that more cells have to ask; for tests. */
void wari_cells_init_within(struct wari_cells *cells, int seeds, int told);

/* The code of value v <= 0 with floor c <= v (or `none`). */
static inline int8_t wari_cell_low(const struct wari_cells *cells, int v, int c)
{
    const int reach = cells->reach[-v];

    return (int8_t)(cells->first[-v] - (v - c < reach ? v - c : reach) - (c == cells->none));
}

/* The code of value v with best capture c <= v (or WARI_NO_CAPTURE). */
static inline int8_t wari_cell_code(const struct wari_cells *cells, int v, int c)
{
    if (v > 0)
        return (int8_t)(cells->zero + v);
    return wari_cell_low(cells, v, c == WARI_NO_CAPTURE ? cells->none : c);
}

/* The first code of a position: max(c, 0) for best capture c. */
static inline int8_t wari_cell_start(const struct wari_cells *cells, int c)
{
    return wari_cell_code(cells, c > 0 ? c : 0, c);
}

static inline int wari_cell_value(const struct wari_cells *cells, int8_t code)
{
    return cells->value[(uint8_t)code];
}

/* What becomes of a cell whose quiet moves' smallest child has code `worst`. If it falls and only
 * its best capture says how far, *ask is set and the cell's own code is returned;
 * wari_cell_asked() then gives the new one. */
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

/* The same for a cell that had to ask: its best capture is c. */
static inline int8_t wari_cell_asked(const struct wari_cells *cells, int8_t worst, int c)
{
    const int value = -cells->value[(uint8_t)worst];

    return wari_cell_low(cells, value > c ? value : c, c);
}

#endif
