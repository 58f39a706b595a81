/* Where the neighbours of each cell of a chunk are, and what its mover could capture at once.
 *
 * Both follow from the level and the place alone, so the encoder and the decoder of a chunk compute
 * the same (context_codec.h says what for). FORMAT.md, "Neighbours", defines them.
 */
#ifndef DB_NEIGHBOURS_H
#define DB_NEIGHBOURS_H

#include "db/level_file.h"
#include "index/level.h"

enum {
    WARI_LANES = 4,               /* of a chunk, coded side by side */
    WARI_NO_DISTANCE = INT16_MAX, /* no such neighbour */
    WARI_NO_LANE = 16384, /* beyond any distance but that, which is more than a lane beyond it */
    WARI_NEIGHBOURS = 5,  /* of a cell, besides the one before it */
    WARI_CELLS_ROOM = WARI_CHUNK_POSITIONS + 64, /* rows are written in whole vectors */
    WARI_RUNS_ROOM = 20825 + 16, /* C(51, 3): all ways to put up to 48 seeds into three pits */
};

/* Cells of one row in one lane. */
struct wari_part {
    size_t at;   /* the first of them */
    size_t lane; /* the first cell of the lane */
    uint32_t cells;
    uint32_t skip; /* columns before them in `columns` */
    int16_t above; /* distance of the row above */
};

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

/* What all rows of a block have in common, kept from one row to the next. */
struct wari_columns {
    int seeds;      /* in the mover's half; -1: nothing is here */
    uint32_t first; /* column, and how many */
    uint32_t count;
    int16_t distance[WARI_NEIGHBOURS - 1][WARI_CELLS_ROOM];
    uint8_t reach[WARI_CELLS_ROOM]; /* bit i: some pit's last seed falls into opponent pit i */
};

/* About 230 KB; one for each encoder and decoder. */
struct wari_neighbours {
    /* What a caller reads: cells 0 .. count - 1 of the chunk. */
    uint16_t target[WARI_NEIGHBOURS][WARI_CELLS_ROOM]; /* a cell's number + 1; 0 is no cell */
    uint8_t capture[WARI_CELLS_ROOM];                  /* the largest at hand, 0 to 18 */

    wari_aim *aim;
    struct wari_columns columns;
    int16_t far[3][WARI_SEEDS_MAX + 1]; /* C(seeds + k, k), k = 2, 3, 4 */

    /* Runs: all (D, E, F) with so many seeds, one number of seeds after the other. */
    int runs;                                  /* numbers of seeds that are there */
    uint32_t first_of_run[WARI_SEEDS_MAX + 2]; /* [seeds] */
    int16_t from_d[WARI_RUNS_ROOM];
    uint8_t reach_of_run[WARI_RUNS_ROOM]; /* of D, E and F only; else as in `reach` */
};

void wari_neighbours_init(struct wari_neighbours *neighbours);

/* Cells in each lane but the last ones: cell i is in lane i / lane_cells. */
size_t wari_lane_cells(size_t count);

/* Fills in target and capture for `count` positions of a level from number `first` on. All of them
 * must exist. */
void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_layout *layout,
                        uint64_t first, size_t count);

#endif
