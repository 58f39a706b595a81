/* The order in which passes that read the levels below take the columns of a level.
 *
 * Captures from mover half m lead to rows of lower levels whose own first pits hold what m's first
 * pits hold, or nothing in one of them and a seed more in those behind it. Columns of all blocks
 * whose halves begin alike therefore use the same rows, and go by together, a group of them at a
 * time. A cache that is too small for the levels below then reads a chunk once or twice; block by
 * block it would be ten to thirty times.
 */
#ifndef SOLVER_ITEM_COLUMN_WALK_H
#define SOLVER_ITEM_COLUMN_WALK_H

#include "index/level.h"

struct wari_column_walk {
    const struct wari_layout *layout;
    uint32_t runs[WARI_SEEDS_MAX + 1]; /* of a block: what a group is taken as; 0: none of it is */
    uint32_t next[WARI_SEEDS_MAX + 1]; /* the rest is the walk's */
    uint32_t key[WARI_SEEDS_MAX + 1];
};

/* Begins at the first columns: the layout and `runs` have been set. */
void wari_column_walk_begin(struct wari_column_walk *walk);

/* The next run: *number = group * runs[*block] + run of the group. False: there is none. One call
 * after the other. */
bool wari_column_walk_next(struct wari_column_walk *walk, int *block, uint32_t *number);

#endif
