/* The size of a level, or of a partition of it, in memory, and the layout of its rows. */
#ifndef SOLVER_LEVEL_SIZE_H
#define SOLVER_LEVEL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "index/level.h"

enum { WARI_BLOCK_PADDING = 64, WARI_LINE = 64 /* bytes of a cache line */ };

static inline uint64_t wari_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The rows of each block that a process stores: all rows, or the rows of one rank if several
 * processes solve the level. */
struct wari_partition {
    uint32_t first_row[WARI_SEEDS_MAX + 1];
    uint32_t rows[WARI_SEEDS_MAX + 1];
};

/* Sets a partition to all rows of all blocks. */
void wari_partition_whole(struct wari_partition *partition, int seeds);

/* Returns true if a block contains children of its own cells. */
bool wari_has_own_children(const struct wari_layout *layout, int block);

/* Returns the number of bytes from one row to the next of a block with `columns` columns. */
uint32_t wari_level_pitch(uint32_t columns);

/* The sizes of a level's arrays: the bytes of the cells and of the copy of a block, and the number
 * of event buffers. */
struct wari_sizes {
    uint64_t cells, copy, event_buffers;
};

/* Lays out a partition of level `seeds`: computes the pitch and the offset of each block, and
 * returns the sizes. The last offset is the end of the last block. */
struct wari_sizes wari_level_lay_out(int seeds, const struct wari_partition *partition,
                                     uint32_t pitch[WARI_SEEDS_MAX + 1],
                                     uint64_t offset[WARI_SEEDS_MAX + 2]);

/* Returns the sizes for all rows of a level. */
struct wari_sizes wari_level_sizes(int seeds);

/* Reduces the number of event buffers so that all arrays fit into `bytes`. Keeps the smallest
 * number of buffers, which wari_level_least() assumes, even if the arrays do not fit then. Returns
 * the new number of buffers divided by the old one. */
double wari_sizes_limit(struct wari_sizes *sizes, uint64_t bytes);

/* Returns the bytes that a level needs while it is solved in memory, without the lower-level cache,
 * tables and workers. */
uint64_t wari_level_bytes(int seeds);

/* Returns the bytes that a level needs in memory with the smallest number of event buffers. With
 * so few buffers, a few more sweeps have to compute all cells. */
uint64_t wari_level_least(int seeds);

/* Returns the default of wari_events.leave_share (events.h). If `bytes` bytes of memory are not
 * enough for all event buffers of the level, the default is reduced in the same proportion as the
 * number of buffers. */
double wari_level_events_share(int seeds, uint64_t bytes);

#endif
