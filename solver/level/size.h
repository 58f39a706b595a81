/* How large a level is, all of it or a share of its rows, and how rows lie in memory. */
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

/* The rows of each block that are held: all of them, or those that one rank of several has. */
struct wari_partition {
    uint32_t first_row[WARI_SEEDS_MAX + 1];
    uint32_t rows[WARI_SEEDS_MAX + 1];
};

/* All rows of all blocks. */
void wari_partition_whole(struct wari_partition *partition, int seeds);

/* Whether some children of a block's cells are in the block itself. */
bool wari_has_own_children(const struct wari_layout *layout, int block);

/* Bytes from row to row of a block with so many columns. */
uint32_t wari_level_pitch(uint32_t columns);

/* Bytes of a level's arrays, and pages of events. */
struct wari_sizes {
    uint64_t cells, copy, pages;
};

/* Those of a share of level `seeds`, and where its blocks are: `pitch` of each, and `offset`, of
 * which the last one is where they end. */
struct wari_sizes wari_level_lay_out(int seeds, const struct wari_partition *partition,
                                     uint32_t pitch[WARI_SEEDS_MAX + 1],
                                     uint64_t offset[WARI_SEEDS_MAX + 2]);

/* Those of all rows. */
struct wari_sizes wari_level_sizes(int seeds);

/* Leaves as many pages as `bytes` have room for, but at least those that will do; returns what
 * share of the pages that is. */
double wari_sizes_limit(struct wari_sizes *sizes, uint64_t bytes);

/* Bytes that a level needs while it is solved in memory; cache of lower levels, tables and team not
 * counted. And with as little room for events as will do: then some more sweeps have to look at all
 * cells. */
uint64_t wari_level_bytes(int seeds);
uint64_t wari_level_least(int seeds);

/* What wari_events.leave_share is where a level has so many bytes. */
double wari_level_events_share(int seeds, uint64_t bytes);

#endif
