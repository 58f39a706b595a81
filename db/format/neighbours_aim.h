/* Where neighbours are, and the inner loop that fills it in: a kernel for each set of instructions,
 * all of which give the same. */
#ifndef DB_ROWS_NEIGHBOURS_AIM_H
#define DB_ROWS_NEIGHBOURS_AIM_H

#include "db/format/rows.h"

struct wari_neighbours;

/* Fills in `target` for a part of a chunk whose lanes have `length` cells. */
typedef void wari_aim_kernel(struct wari_neighbours *neighbours, const struct wari_part *part,
                             size_t length);
wari_aim_kernel wari_aim_portable;
#if defined(__x86_64__)
wari_aim_kernel wari_aim_avx2;
wari_aim_kernel wari_aim_avx512;
#endif

/* About 230 KB; one for each decoder. What a caller reads: `target` and rows.capture, of cells
 * 0 .. count - 1 of the chunk. */
struct wari_neighbours {
    uint16_t target[WARI_NEIGHBOURS][WARI_CELLS_ROOM]; /* a cell's number + 1; 0 is no cell */
    struct wari_rows rows;
    wari_aim_kernel *aim;
};

#endif
