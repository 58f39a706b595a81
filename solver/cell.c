/* The codes of a level's cells. Made once a level; the tables must say the same as the formulas of
 * cell.h, from which the kernels compute. */
#include "solver/cell.h"

#include <string.h>

enum { CODES = 254 }; /* -128 stands for "does not rise", 127 for "no quiet move" */

/* Codes needed if |v| <= paired have a code for each pair. */
static int codes_needed(int seeds, int paired)
{
    int codes = seeds; /* v > 0 */

    for (int v = 0; v <= seeds; v++)
        codes += v <= paired ? seeds - v + 2 : 3;
    return codes;
}

static void fill_low(struct wari_cells *cells)
{
    int code = cells->zero;

    for (int v = 0; v <= cells->seeds; v++) {
        const bool paired = v <= cells->paired;
        const int codes = paired ? cells->seeds - v + 2 : 3;
        cells->first[v] = (int8_t)code;
        for (int i = 0; i < codes; i++, code--) {
            const uint8_t at = (uint8_t)(int8_t)code;
            cells->value[at] = (int8_t)-v;
            if (i == codes - 1)
                cells->floor[at] = cells->none;
            else
                cells->floor[at] = paired || i == 0 ? (int8_t)(-v - i) : (int8_t)WARI_FLOOR_ASK;
        }
    }
}

void wari_cells_init(struct wari_cells *cells, int seeds)
{
    wari_cells_init_within(cells, seeds, seeds);
}

void wari_cells_init_within(struct wari_cells *cells, int seeds, int paired)
{
    memset(cells, 0, sizeof *cells);
    cells->seeds = seeds;
    cells->zero = (int8_t)(126 - seeds);
    cells->none = (int8_t)(-seeds - 1);
    while (cells->paired < paired && codes_needed(seeds, cells->paired + 1) <= CODES)
        cells->paired++;
    fill_low(cells);
    for (int v = 1; v <= seeds; v++)
        cells->value[cells->zero + v] = cells->floor[cells->zero + v] = (int8_t)v;
    cells->value[WARI_NO_QUIET] = WARI_NO_QUIET;
    for (int worst = 0; worst < 256; worst++) {
        const int value = cells->value[worst];
        cells->rise[worst] = value < 0 ? (int8_t)(cells->zero - value) : INT8_MIN;
        cells->fall[worst] = value > 0 && value <= seeds ? cells->first[value] : cells->zero;
    }
    cells->fall[WARI_NO_QUIET] = INT8_MIN;
}
