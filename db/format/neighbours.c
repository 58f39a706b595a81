/* Locates the neighbours of the cells of a chunk: rows.c computes their distances, and
 * kernels_loop.h determines which neighbours count. */
#include "db/format/neighbours.h"

void wari_neighbours_init(struct wari_neighbours *neighbours)
{
    neighbours->locate = wari_format_kernels_fastest().locate;
    wari_rows_init(&neighbours->rows);
}

/* Locates, stream by stream, the neighbours of those cells of a row that are in the chunk. */
static void locate_row(struct wari_neighbours *neighbours, const struct wari_row_iterator *row,
                       size_t length, size_t steps)
{
    const size_t end = row->at + row->cells;
    for (size_t stream = row->at / length * length; stream < end; stream += length) {
        struct wari_row_cells range = wari_row_cells_of_stream(row, stream, length);
        if (range.at >= stream + steps)
            continue;
        if (range.cells > stream + steps - range.at)
            range.cells = (uint32_t)(stream + steps - range.at);
        neighbours->locate(neighbours, &range, length);
    }
}

void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_chunk_range *range)
{
    const size_t length = wari_stream_cells(range->count);
    struct wari_row_iterator row;
    wari_row_begin(&row, &neighbours->rows, range);
    while (wari_row_next(&row))
        locate_row(neighbours, &row, length, range->steps);
}
