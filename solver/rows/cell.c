/* The codes of a level's cells, and of its upper bounds. Made once a level; the tables must say the
 * same as the formulas of cell.h and upper_bound.h, from which the kernels compute. */
#include "solver/rows/cell.h"

#include <string.h>

enum {
    CODES = 254,  /* -128 stands for "does not rise", 127 for "no quiet move" */
    TOO_FAR = 63, /* in `apart`: further than any reach */
};

/* ---- How many codes there are ---------------------------------------------------------------- */

/* How far codes of the value -size distinguish values of c. `deepest`: number of a size. */
static int reach_of(const struct wari_cells *cells, int deepest, int size)
{
    const int number = wari_size_number(cells, size), all = cells->seeds - size;
    const int reach =
        wari_size_is_even(cells, size) && number <= deepest ? deepest - number + 1 : 1;

    if (cells->own)
        return reach;
    return size == 0 || all < reach ? all : reach;
}

/* Codes of v = 0: each is something that an upper bound may fall back to. */
static int zeros_of(const struct wari_cells *cells, int deepest)
{
    return reach_of(cells, deepest, 0) + 2;
}

static int codes_above_0(const struct wari_cells *cells, int deepest, int whole)
{
    const int zeros = zeros_of(cells, deepest);

    if (!cells->own)
        return cells->seeds;
    return whole * (whole + 1) / 2 + whole * (zeros + 1) + 2 * (cells->seeds - whole);
}

static bool fits(const struct wari_cells *cells, int deepest, int whole)
{
    int codes = codes_above_0(cells, deepest, whole);

    for (int size = 0; size <= cells->seeds; size++)
        codes += reach_of(cells, deepest, size) + 2;
    return codes <= CODES;
}

/* With codes of upper bounds: two more of these for each capture that is distinguished. `most`:
 * number of a size.
 */
static void choose(struct wari_cells *cells, int most)
{
    int deepest = 0, whole = 0;
    bool more = true;

    while (more) {
        more = false;
        for (int i = 0; i < 2 && cells->own && whole < most && fits(cells, deepest, whole + 1);
             i++) {
            whole++;
            more = true;
        }
        if (deepest < most && fits(cells, deepest + 1, whole)) {
            deepest++;
            more = true;
        }
    }
    cells->deepest = wari_numbered_size(cells, deepest);
    cells->whole = wari_numbered_size(cells, whole);
    cells->zero = (int8_t)(126 - codes_above_0(cells, deepest, whole));
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* How far a capture `apart` below the value is behind the firm code. */
static int8_t apart_of(const struct wari_cells *cells, bool zero, int apart)
{
    if (!cells->own || apart == 0)
        return (int8_t)apart;
    if (zero && cells->seeds % 2 != 0)
        apart++; /* 0 is next to -1 */
    return (int8_t)(apart % 2 == 0 ? apart / 2 : TOO_FAR);
}

/* What a code says of the best capture, by how far it is behind that of the firm value. */
static int8_t floor_of(const struct wari_cells *cells, int size, int behind)
{
    const int reach = cells->low.reach[size];
    const int number = wari_size_number(cells, size);

    if (behind > reach)
        return cells->none;
    if (behind == 0)
        return (int8_t)-size;
    if (cells->own && behind == reach)
        return (int8_t)(WARI_FLOOR_BELOW - size - 1);
    if (cells->own)
        return (int8_t)-wari_numbered_size(cells, number + behind);
    return (int8_t)((behind == reach && size + reach < cells->seeds ? WARI_FLOOR_BELOW : 0) - size -
                    behind);
}

static void fill_low(struct wari_cells *cells)
{
    int code = cells->zero;

    for (int size = 0; size <= cells->seeds; size++) {
        const int reach = reach_of(cells, wari_size_number(cells, cells->deepest), size);
        cells->low.first[size] = (int8_t)code;
        cells->low.reach[size] = (int8_t)reach;
        for (int behind = 0; behind <= reach + 1; behind++, code--) {
            cells->value[code & 0xff] = (int8_t)-size;
            cells->floor[code & 0xff] = floor_of(cells, size, behind);
            cells->hold[code & 0xff] = behind == 0 ? INT8_MAX : (int8_t)(cells->zero + size);
        }
    }
}

static void fill_values(struct wari_cells *cells)
{
    for (int v = 1; v <= cells->seeds; v++) {
        const int at = (cells->zero + v) & 0xff;
        cells->value[at] = cells->floor[at] = (int8_t)v;
    }
    for (int worst = 0; worst < 256; worst++) {
        const int value = cells->value[worst];
        cells->rise[worst] = value < 0 ? (int8_t)(cells->zero - value) : INT8_MIN;
    }
    for (int v = 0; v < cells->seeds; v++)
        cells->lift[v] = cells->low.first[v + 1];
    memset(cells->start, wari_cell_low(cells, 0, cells->none), sizeof cells->start);
    for (int c = -cells->seeds; c <= cells->seeds; c++)
        cells->start[c & 0xff] = wari_cell_code(cells, c > 0 ? c : 0, c);
}

/* ---- Upper bounds
 * ----------------------------------------------------------------------------------- */

/* An upper bound that knows what it falls back to. `shift`: the number of that value, if it is
 * above 0; otherwise one of the codes of v = 0 (0, -1, ...). */
static void fill_hope(struct wari_cells *cells, int size, int shift)
{
    const int at = (cells->upper_codes.anchor[size] + shift) & 0xff;
    const int value = shift > 0 ? wari_numbered_size(cells, shift) : 0;

    cells->upper_codes.shift[at] = (int8_t)shift;
    cells->floor[at] = (int8_t)value;
    cells->upper_codes.back[at] =
        shift > 0 ? cells->upper_codes.firm[value] : (int8_t)(cells->zero + shift);
}

/* The upper bounds of one size, from the smallest code on; returns how many. */
static int fill_hopes_of(struct wari_cells *cells, int size, int smallest)
{
    const bool whole = size <= cells->whole && wari_size_is_even(cells, size);
    const int number = wari_size_number(cells, size);
    const int zeros = zeros_of(cells, wari_size_number(cells, cells->deepest));
    const int count = whole ? 1 + zeros + number : 2;

    for (int code = smallest; code < smallest + count; code++) {
        cells->value[code & 0xff] = (int8_t)size;
        cells->hold[code & 0xff] = cells->low.first[size];
    }
    cells->floor[smallest & 0xff] = WARI_FLOOR_BELOW;
    cells->upper_codes.firm[size] = (int8_t)(smallest + count - 1);
    cells->hold[cells->upper_codes.firm[size] & 0xff] = INT8_MAX;
    cells->upper_codes.anchor[size] = whole ? (int8_t)(smallest + zeros) : INT8_MIN;
    for (int shift = 1 - zeros; shift <= number && whole; shift++)
        fill_hope(cells, size, shift);
    return count;
}

static void fill_hopes(struct wari_cells *cells)
{
    int next = cells->zero + 1;

    memset(cells->upper_codes.least, INT8_MIN, sizeof cells->upper_codes.least);
    memset(cells->upper_codes.anchor, INT8_MIN, sizeof cells->upper_codes.anchor);
    for (int code = INT8_MIN; code <= cells->zero; code++)
        cells->hold[code & 0xff] = INT8_MAX;
    for (int size = 1; size <= cells->seeds; size++) {
        for (int behind = 0; behind <= cells->low.reach[size] + 1; behind++)
            cells->upper_codes.least[(cells->low.first[size] - behind) & 0xff] = (int8_t)next;
        next += fill_hopes_of(cells, size, next);
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void fill(struct wari_cells *cells)
{
    memset(cells->value, 0, sizeof cells->value);
    memset(cells->floor, 0, sizeof cells->floor);
    memset(cells->hold, INT8_MAX, sizeof cells->hold);
    memset(cells->lift, INT8_MIN, sizeof cells->lift);
    fill_low(cells);
    if (cells->upper)
        fill_hopes(cells);
    else
        fill_values(cells);
    cells->value[WARI_NO_QUIET] = WARI_NO_QUIET;
}

void wari_cells_init_within(struct wari_cells *cells, int seeds, enum wari_cycle cycle, int deepest)
{
    int most;

    memset(cells, 0, sizeof *cells);
    cells->seeds = seeds;
    cells->own = cycle == WARI_OWN;
    cells->none = (int8_t)(-seeds - 1);
    for (int apart = 0; apart < 64; apart++) {
        cells->low.apart[apart] = apart_of(cells, false, apart);
        cells->low.apart[64 + apart] = apart_of(cells, true, apart);
    }
    most = wari_size_number(cells, deepest);
    choose(cells, wari_numbered_size(cells, most) > deepest ? most - 1 : most);
    fill(cells);
}

void wari_cells_init(struct wari_cells *cells, int seeds, enum wari_cycle cycle)
{
    wari_cells_init_within(cells, seeds, cycle, seeds);
}

void wari_cells_for_upper_bounds(struct wari_cells *cells, bool upper)
{
    cells->upper = upper;
    fill(cells);
}
