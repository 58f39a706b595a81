/* Where the neighbours of each cell of a chunk are: what a decoder goes by.
 *
 * FORMAT.md, "Neighbours", defines them. An encoder, which knows all values, does without
 * (cell_tables.h).
 */
#ifndef DB_NEIGHBOURS_H
#define DB_NEIGHBOURS_H

#include "db/rows.h"

/* Fills in `target` for a part of a chunk whose lanes have `length` cells. All kernels give the
 * same; wari_neighbours_init() takes the fastest one that the machine has instructions for. */
struct wari_neighbours;
typedef void wari_aim(struct wari_neighbours *neighbours, const struct wari_part *part,
                      size_t length);
wari_aim wari_aim_portable;
#if defined(__x86_64__)
wari_aim wari_aim_avx2;
wari_aim wari_aim_avx512;
#endif

/* About 230 KB; one for each decoder. What a caller reads: `target` and rows.capture, of cells
 * 0 .. count - 1 of the chunk. */
struct wari_neighbours {
    uint16_t target[WARI_NEIGHBOURS][WARI_CELLS_ROOM]; /* a cell's number + 1; 0 is no cell */
    struct wari_rows rows;
    wari_aim *aim;
};

void wari_neighbours_init(struct wari_neighbours *neighbours);

/* Fills in target and captures for `count` positions of a level from number `first` on: for the
 * first `steps` cells of each lane, and at most for some others. All positions must exist. */
void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_layout *layout,
                        uint64_t first, size_t count, size_t steps);

#endif
