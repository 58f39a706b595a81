/* The distribution of a level over ranks. It is computed without communication, so each rank knows
 * what every other rank owns and does.
 *
 * **Cells** are distributed by rows: each rank owns consecutive rows of every block, in the order
 * of ranks. The numbers of rows are chosen so that over the whole level all ranks own about the
 * same number of bytes. (Blocks with few long rows are distributed first. Blocks with many short
 * rows follow and even out the differences.)
 *
 * **Work** is distributed by columns: the parents of a block are divided into items of 64 mover
 * halves by one or several times 1024 opponent halves. The numbers of items that two ranks compute
 * differ by at most one, and the items of a rank are consecutive. So a rank needs all columns of
 * few child rows, rather than a few columns of all child rows.
 *
 * Small levels are distributed over the first ranks only, because the messages of more ranks would
 * take longer than their work.
 */
#ifndef SOLVER_CLUSTER_RANKS_H
#define SOLVER_CLUSTER_RANKS_H

#include "solver/level/item.h"

/* The limit catches typing errors. The tables of the rows of 4096 ranks take 0.8 MB. */
enum { WARI_RANKS_MAX = 4096 };

struct wari_ranks {
    const struct wari_host *host;
    int count;
    int active; /* the level is distributed over ranks 0 to active - 1; less than `count` only if
                 * the level is small */
    struct wari_layout layout;
    /* [block][rank]: first row that the rank owns; entry [count] is the number of rows. */
    uint32_t *first_row[WARI_SEEDS_MAX + 1];
};

/* Distributes level `seeds` over `count` ranks; `count` is in 1..WARI_RANKS_MAX. */
WARI_MUST_CHECK enum wari_status wari_ranks_distribute(struct wari_ranks *ranks,
                                                       const struct wari_host *host, int seeds,
                                                       int count, struct wari_error *error);
void wari_ranks_free(struct wari_ranks *ranks);

/* Computes the partition of a rank, that is the rows that it owns. */
void wari_ranks_partition(const struct wari_ranks *ranks, int rank,
                          struct wari_partition *partition);

/* Returns the rank that owns a row. */
int wari_ranks_owner(const struct wari_ranks *ranks, int block, uint32_t row);

/* ---- Memory ---------------------------------------------------------------------------------- */

enum {
    WARI_ROUND_ITEMS = 64,  /* maximal number of items of a rank in a round */
    WARI_ROUND_BUFFERS = 8, /* number of buffers: two each for rows to be sent, rows received, tiles
                             * to be sent, and tiles received */
    /* Number of unused bytes after each buffer, which are needed since kernels read whole words. */
    WARI_ROUND_SLACK = WARI_ITEM_STRIP_CELLS + 128,
};

/* Returns the size of each of the WARI_ROUND_BUFFERS buffers, in bytes. */
uint64_t wari_ranks_buffer(int seeds, int ranks);

/* Returns an upper bound on the bytes that a rank needs for its partition of a level, as
 * wari_level_bytes() does for a whole level. The bound includes the memory for messages. */
uint64_t wari_ranks_bytes(int seeds, int ranks, int threads);

/* ---- Work ------------------------------------------------------------------------------------ */

/* The items of a block. */
struct wari_work {
    struct wari_item_cut cut;
    int ranks; /* number of active ranks */
};

/* Divides a block into items of at most `bands` bands of WARI_BAND_STRIPS strips, with `bands` in
 * 1..WARI_ITEM_STRIPS_MAX / WARI_BAND_STRIPS. */
struct wari_work wari_work_of(const struct wari_ranks *ranks, enum wari_parents parents, int block,
                              uint32_t bands);

/* Return the number of items that a rank computes, and its i-th item. Ranks begin at different
 * rows, so that they do not all send tiles to the same rank in the same round. */
uint32_t wari_work_count(const struct wari_work *work, int rank);
struct wari_item wari_work_item(const struct wari_work *work, int rank, uint32_t i);

#endif
