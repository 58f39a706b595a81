/* How a level is distributed over ranks, by arithmetic alone: each of them can compute what every
 * other one holds and does.
 *
 * **Cells** are distributed by rows: of every block each rank holds one run of rows, in the order
 * of ranks, so long that the ranks' bytes come out even over the whole level. (Blocks with few rows
 * and long ones come first; those with many short rows even out what is left.)
 *
 * **Work** is distributed by columns: the parents of a block are cut into groups of 64 mover halves
 * by some segments of 1024 opponent halves, and each rank computes as many of these items, one
 * group after the other. So a rank needs few child rows in full rather than a bit of all of them.
 *
 * Small levels are distributed over the first ranks only: the others would cost more in messages
 * than they can do.
 */
#ifndef SOLVER_RANKS_H
#define SOLVER_RANKS_H

#include "solver/level/item.h"

enum { WARI_RANKS_MAX = 4096 }; /* their lists of rows take 0.8 MB; catches slips of the finger */

struct wari_ranks {
    const struct wari_host *host;
    int count;
    int busy; /* the first ones, to which the level is distributed: fewer than all where it is small
               */
    struct wari_layout layout;
    uint32_t *first_row[WARI_SEEDS_MAX + 1]; /* [block][rank]; [count]: the number of rows */
};

/* Distributes level `seeds` over `count` ranks, 1 to WARI_RANKS_MAX. */
WARI_MUST_CHECK enum wari_status wari_ranks_distribute(struct wari_ranks *ranks,
                                                       const struct wari_host *host, int seeds,
                                                       int count, struct wari_error *error);
void wari_ranks_free(struct wari_ranks *ranks);

/* The rows that a rank holds. */
void wari_ranks_partition(const struct wari_ranks *ranks, int rank,
                          struct wari_partition *partition);

/* Who holds a row. */
int wari_ranks_owner(const struct wari_ranks *ranks, int block, uint32_t row);

/* ---- Memory ---------------------------------------------------------------------------------- */

enum {
    WARI_ROUND_ITEMS = 64,  /* that a rank computes in a round, at most */
    WARI_ROUND_BUFFERS = 8, /* rows and tiles, out and in, two of each */
    WARI_ROUND_SLACK =
        WARI_ITEM_STRIP_CELLS + 128, /* behind each: kernels read whole words and patches */
};

/* Bytes of a buffer for what ranks exchange. */
uint64_t wari_ranks_buffer(int seeds, int ranks);

/* Bytes that a rank needs at most while its share of a level is solved, as wari_level_bytes() for a
 * whole one, with what it takes to exchange. */
uint64_t wari_ranks_bytes(int seeds, int ranks, int threads);

/* ---- Work ------------------------------------------------------------------------------------ */

/* The work of a block's turn. */
struct wari_work {
    struct wari_item_cut cut;
    int ranks; /* those that are busy */
};

/* With items of at most `run` segments, 1 .. WARI_ITEM_STRIPS_MAX / WARI_RANGE_STRIPS. */
struct wari_work wari_work_of(const struct wari_ranks *ranks, enum wari_parents parents, int block,
                              uint32_t run);

/* Items of a rank, and the i-th of them. Ranks begin at different segments, so that in no round all
 * of them send tiles to the same rank. */
uint32_t wari_work_count(const struct wari_work *work, int rank);
struct wari_item wari_work_item(const struct wari_work *work, int rank, uint32_t i);

#endif
