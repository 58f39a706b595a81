/* Computes where the neighbours of each cell of a chunk are. The decoder needs this.
 *
 * FORMAT.md, "Neighbours", defines neighbours. An encoder, which knows all values, uses
 * cell_tables.h instead.
 */
#ifndef DB_FORMAT_NEIGHBOURS_H
#define DB_FORMAT_NEIGHBOURS_H

#include "db/format/kernels.h"

/* The state of one decoder, about 230 KB. The results are `target` and rows.capture, for cells 0
 * .. count - 1 of the chunk. */
struct wari_neighbours {
    uint16_t target[WARI_NEIGHBOURS][WARI_CELLS_CAPACITY]; /* number of the neighbour + 1; 0 means
                                                            * that the neighbour is absent */
    struct wari_rows rows;
    wari_locate_kernel *locate;
};

/* Prepares a decoder's neighbours. Selects the fastest kernel that this processor can run. */
void wari_neighbours_init(struct wari_neighbours *neighbours);

/* Fills in `target` and `rows.capture` for the requested cells of a range; may also fill them in
 * for other cells of the range. */
void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_chunk_range *range);

#endif
