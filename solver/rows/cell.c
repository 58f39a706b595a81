/* Computes the codes of a level's cells and of their upper bounds. The tables are computed once for
 * each level. They must agree with the formulas of cell.h and upper_bound.h, which the kernels
 * use. */
#include "solver/rows/cell.h"

#include <string.h>

enum {
    CODES = 254,  /* all values of int8_t except WARI_NO_QUIET and -128, which means in `rise` that
                   * the cell cannot rise */
    TOO_FAR = 63, /* in `apart`, for a c without a code of its own: greater than every entry of
                   * `reach` */
};

/* ---- Number of codes ---------------------------------------------------------------------- */

/* Returns the entry of `reach` (struct wari_low_codes) for the value -size. `deepest` is not a size
 * itself but the number of a size (wari_size_number()). */
static int reach_of(const struct wari_cells *cells, int deepest, int size)
{
    const int number = wari_size_number(cells, size), all = cells->seeds - size;
    const int reach =
        wari_size_is_even(cells, size) && number <= deepest ? deepest - number + 1 : 1;

    if (cells->own)
        return reach;
    return size == 0 || all < reach ? all : reach;
}

/* Returns the number of codes of v = 0. An upper bound may fall back to any of these codes. */
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

/* Chooses the greatest `deepest` and `whole` for which there are enough codes. If codes are
 * reserved for upper bounds, `whole` grows by two steps for each step of `deepest`. `most` is the
 * number of the greatest size allowed. */
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

/* Returns the distance from the firm code of a value to the code of a best capture that is `apart`
 * below the value. `zero` is true if the value is 0. */
static int8_t apart_of(const struct wari_cells *cells, bool zero, int apart)
{
    if (!cells->own || apart == 0)
        return (int8_t)apart;
    if (zero && cells->seeds % 2 != 0)
        apart++; /* the next size is 1, not 2 */
    return (int8_t)(apart % 2 == 0 ? apart / 2 : TOO_FAR);
}

/* Returns the entry of `floor` for a code of the value -size. The code is `distance` below the firm
 * code of this value, in the order of codes that cell.h shows. */
static int8_t floor_of(const struct wari_cells *cells, int size, int distance)
{
    const int reach = cells->low.reach[size];
    const int number = wari_size_number(cells, size);

    if (distance > reach)
        return cells->none;
    if (distance == 0)
        return (int8_t)-size;
    if (cells->own && distance == reach)
        return (int8_t)(WARI_FLOOR_BELOW - size - 1);
    if (cells->own)
        return (int8_t)-wari_numbered_size(cells, number + distance);
    return (int8_t)((distance == reach && size + reach < cells->seeds ? WARI_FLOOR_BELOW : 0) -
                    size - distance);
}

static void fill_low(struct wari_cells *cells)
{
    int code = cells->zero;

    for (int size = 0; size <= cells->seeds; size++) {
        const int reach = reach_of(cells, wari_size_number(cells, cells->deepest), size);
        cells->low.first[size] = (int8_t)code;
        cells->low.reach[size] = (int8_t)reach;
        for (int distance = 0; distance <= reach + 1; distance++, code--) {
            cells->value[code & 0xff] = (int8_t)-size;
            cells->floor[code & 0xff] = floor_of(cells, size, distance);
            cells->hold[code & 0xff] = distance == 0 ? INT8_MAX : (int8_t)(cells->zero + size);
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

/* ---- Upper bounds ---------------------------------------------------------------------------- */

/* Fills in the tables for a code of an upper bound that contains the value to which the bound falls
 * back. If that value is above 0, `shift` is its number; otherwise `shift` (0, -1, ...) is the
 * distance from the firm code of v = 0 to the code that the bound falls back to. */
static void fill_upper_bound(struct wari_cells *cells, int size, int shift)
{
    const int at = (cells->upper_codes.anchor[size] + shift) & 0xff;
    const int value = shift > 0 ? wari_numbered_size(cells, shift) : 0;

    cells->upper_codes.shift[at] = (int8_t)shift;
    cells->floor[at] = (int8_t)value;
    cells->upper_codes.back[at] =
        shift > 0 ? cells->upper_codes.firm[value] : (int8_t)(cells->zero + shift);
}

/* Fills in the tables for all codes of upper bounds with the value `size`. These codes begin at
 * `smallest`. Returns the number of codes. */
static int fill_upper_bounds_of(struct wari_cells *cells, int size, int smallest)
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
        fill_upper_bound(cells, size, shift);
    return count;
}

static void fill_upper_bounds(struct wari_cells *cells)
{
    int next = cells->zero + 1;

    memset(cells->upper_codes.least, INT8_MIN, sizeof cells->upper_codes.least);
    memset(cells->upper_codes.anchor, INT8_MIN, sizeof cells->upper_codes.anchor);
    for (int code = INT8_MIN; code <= cells->zero; code++)
        cells->hold[code & 0xff] = INT8_MAX;
    for (int size = 1; size <= cells->seeds; size++) {
        for (int distance = 0; distance <= cells->low.reach[size] + 1; distance++)
            cells->upper_codes.least[(cells->low.first[size] - distance) & 0xff] = (int8_t)next;
        next += fill_upper_bounds_of(cells, size, next);
    }
}

/* ---- All tables ------------------------------------------------------------------------------ */

static void fill(struct wari_cells *cells)
{
    memset(cells->value, 0, sizeof cells->value);
    memset(cells->floor, 0, sizeof cells->floor);
    memset(cells->hold, INT8_MAX, sizeof cells->hold);
    memset(cells->lift, INT8_MIN, sizeof cells->lift);
    fill_low(cells);
    if (cells->upper)
        fill_upper_bounds(cells);
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
