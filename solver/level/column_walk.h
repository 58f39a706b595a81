/* The order in which passes that read the lower levels visit the columns of a level.
 *
 * A capture from mover half m leads to a row of a lower level whose first pits equal the first pits
 * of m, or differ from them in this way: one pit is empty, and the pits after it have one more
 * seed. So columns of all blocks whose halves have the same first pits use the same rows, and are
 * visited together, WARI_ITEM_COLUMNS columns at a time. Then even with a cache that is too small
 * for the lower levels, each chunk is read only once or twice; if one block were visited after the
 * other, each chunk would be read ten to thirty times. */
#ifndef SOLVER_LEVEL_COLUMN_WALK_H
#define SOLVER_LEVEL_COLUMN_WALK_H

#include "index/level.h"

/* The caller sets `layout` and `items`; the rest is private. */
struct wari_column_walk {
    const struct wari_layout *layout;
    uint32_t items[WARI_SEEDS_MAX + 1]; /* [block]: number of items that have the same columns; 0
                                         * leaves the block out */
    uint32_t next[WARI_SEEDS_MAX + 1];
    uint32_t key[WARI_SEEDS_MAX + 1];
};

/* Starts at the first columns of each block. */
void wari_column_walk_begin(struct wari_column_walk *walk);

/* Finds the next item: its block, and its number in the block (wari_item_at()). Returns false if no
 * item is left. Not thread-safe. */
bool wari_column_walk_next(struct wari_column_walk *walk, int *block, uint32_t *number);

#endif
