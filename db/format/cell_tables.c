/* Computes the tables of the cells of a chunk, row by row. The vector code is in kernels_loop.h;
 * this file prepares the data that is kept from one row to the next. */
#include "db/format/cell_tables.h"

#include <string.h>

#include "index/half.h"

void wari_cell_tables_init(struct wari_cell_tables *tables)
{
    memset(tables, 0, sizeof *tables); /* clears all bytes, because vectors may load bytes that
                                        * were never written; the values of these bytes are
                                        * ignored */
    wari_rows_init(&tables->rows);
    tables->shifts.seeds = -1;
    tables->find = wari_format_kernels_fastest().find;
}

/* Adds a range of columns, from column `at` on, in which the distance to the neighbour by pit A, B
 * or C (k = 4, 3 or 2) is the same: C(seeds + k, k) cells. The range has exactly C(seeds + k, k)
 * columns. If it begins before the first column kept, it may extend into the next range; the cells
 * of the next range are then copied again. */
static void add_shift(struct wari_cell_shifts *shifts, int k, uint32_t at, int own, int16_t cells)
{
    if (own > 0 && cells != WARI_NO_DISTANCE)
        shifts->shift[k - 2][shifts->shifts[k - 2]++] =
            (struct wari_cell_shift){(uint16_t)at, (uint16_t)cells};
}

static void make_shifts(struct wari_cell_shifts *shifts, const struct wari_rows *rows)
{
    const struct wari_columns *columns = &rows->columns;
    uint8_t half[WARI_HALF_PITS];
    int32_t at = 0;
    *shifts = (struct wari_cell_shifts){
        .seeds = columns->seeds, .first = columns->first, .count = columns->count};
    wari_half_unrank(columns->seeds, columns->first, half);
    do {
        const int d = half[3];
        const int seeds = d + half[4] + half[5];
        const int after_a = columns->seeds - half[0];
        const bool first = shifts->runs == 0;
        if (first || (half[1] == 0 && half[2] == 0))
            add_shift(shifts, 4, (uint32_t)at, half[0], rows->far[2][after_a]);
        if (first || half[2] == 0)
            add_shift(shifts, 3, (uint32_t)at, half[1], rows->far[1][after_a - half[1]]);
        add_shift(shifts, 2, (uint32_t)at, half[2], rows->far[0][seeds]);
        at -= d * (seeds + 1) - d * (d - 1) / 2 + half[4]; /* the start of the run */
        shifts->run[shifts->runs++] = (struct wari_cell_run){(int16_t)at, (int16_t)seeds};
        at += (seeds + 2) * (seeds + 1) / 2;
        half[3] = (uint8_t)seeds;
        half[4] = half[5] = 0;
    } while ((uint32_t)at < columns->count && wari_half_next(half));
}

void wari_cell_tables_of(struct wari_cell_tables *tables, const struct wari_chunk_range *range,
                         const int8_t *values)
{
    const struct wari_columns *columns = &tables->rows.columns;
    const struct wari_cell_shifts *shifts = &tables->shifts;
    const size_t length = wari_stream_cells(range->count);
    struct wari_row_iterator row;

    tables->seeds = range->layout->seeds;
    memcpy(tables->value, values, range->count);
    wari_row_begin(&row, &tables->rows, range);
    while (wari_row_next(&row)) {
        if (shifts->seeds != columns->seeds || shifts->first != columns->first ||
            shifts->count != columns->count)
            make_shifts(&tables->shifts, &tables->rows);
        tables->find(tables, &row, length);
    }
}
