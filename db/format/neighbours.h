/* Where the neighbours of each cell of a chunk are: what a decoder goes by.
 *
 * FORMAT.md, "Neighbours", defines them. An encoder, which knows all values, does without
 * (cell_tables.h).
 */
#ifndef DB_ROWS_NEIGHBOURS_H
#define DB_ROWS_NEIGHBOURS_H

#include "db/format/kernels.h"

/* About 230 KB; one for each decoder. What a caller reads: `target` and rows.capture, of cells
 * 0 .. count - 1 of the chunk. */
struct wari_neighbours {
    uint16_t target[WARI_NEIGHBOURS][WARI_CELLS_CAPACITY]; /* a cell's number + 1; 0 is no cell */
    struct wari_rows rows;
    wari_locate_kernel *locate;
};

/* Takes the fastest kernel that the machine has instructions for. */
void wari_neighbours_init(struct wari_neighbours *neighbours);

/* Fills in target and captures of a range: of the cells that are wanted, and at most of some
 * others.
 */
void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_chunk_range *range);

#endif
