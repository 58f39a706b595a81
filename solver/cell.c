/* The codes of a level's cells. Made once a level; the tables must say the same as the formulas of
 * cell.h, from which the kernels compute. */
#include "solver/cell.h"

#include <string.h>

enum { CODES = 254 }; /* -128 stands for "does not rise", 127 for "no quiet move" */

/* How far codes of v = -size tell values of c. */
static int reach_of(int seeds, int told, int size)
{
    const int all = seeds - size;

    if (size == 0)
        return all;
    if (size > told)
        return all < 1 ? all : 1;
    return all < told - size + 1 ? all : told - size + 1;
}

static int codes_needed(int seeds, int told)
{
    int codes = seeds; /* v > 0 */

    for (int size = 0; size <= seeds; size++)
        codes += reach_of(seeds, told, size) + 2;
    return codes;
}

static void fill_low(struct wari_cells *cells)
{
    int code = cells->zero;

    for (int size = 0; size <= cells->seeds; size++) {
        const int reach = reach_of(cells->seeds, cells->told, size);
        cells->first[size] = (int8_t)code;
        cells->reach[size] = (int8_t)reach;
        for (int i = 0; i <= reach + 1; i++, code--) {
            const uint8_t at = (uint8_t)(int8_t)code;
            cells->value[at] = (int8_t)-size;
            cells->floor[at] = i > reach ? cells->none : (int8_t)(-size - i);
            cells->hold[at] = i == 0 ? INT8_MAX : (int8_t)(cells->zero + size);
            if (i == reach && size + reach < cells->seeds)
                cells->floor[at] = (int8_t)(cells->floor[at] + WARI_FLOOR_BELOW);
        }
    }
}

void wari_cells_init(struct wari_cells *cells, int seeds)
{
    wari_cells_init_within(cells, seeds, seeds);
}

void wari_cells_init_within(struct wari_cells *cells, int seeds, int told)
{
    memset(cells, 0, sizeof *cells);
    cells->seeds = seeds;
    cells->zero = (int8_t)(126 - seeds);
    cells->none = (int8_t)(-seeds - 1);
    while (cells->told < told && codes_needed(seeds, cells->told + 1) <= CODES)
        cells->told++;
    memset(cells->hold, INT8_MAX, sizeof cells->hold);
    fill_low(cells);
    for (int v = 1; v <= seeds; v++)
        cells->value[cells->zero + v] = cells->floor[cells->zero + v] = (int8_t)v;
    cells->value[WARI_NO_QUIET] = WARI_NO_QUIET;
    for (int worst = 0; worst < 256; worst++) {
        const int value = cells->value[worst];
        cells->rise[worst] = value < 0 ? (int8_t)(cells->zero - value) : INT8_MIN;
    }
    memset(cells->lift, INT8_MIN, sizeof cells->lift);
    for (int v = 0; v < seeds; v++)
        cells->lift[v] = cells->first[v + 1];
}
