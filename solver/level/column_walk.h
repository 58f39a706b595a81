/* The order in which passes that read the lower levels take the columns of a level.
 *
 * A capture from mover half m leads to a row of a lower level whose first pits are the same as
 * those of m, or differ in that one of them is empty and the pits after it have one more seed.
 * Columns of all blocks whose halves have the same first pits therefore use the same rows, and are
 * taken together, WARI_ITEM_COLUMNS columns at a time. Then even a cache that is too small for the
 * lower levels reads each chunk only once or twice; block by block it would be ten to thirty times.
 */
#ifndef SOLVER_LEVEL_COLUMN_WALK_H
#define SOLVER_LEVEL_COLUMN_WALK_H

#include "index/level.h"

/* The caller sets `layout` and `items`; the rest is private. */
struct wari_column_walk {
    const struct wari_layout *layout;
    uint32_t items[WARI_SEEDS_MAX + 1]; /* of a block: items for the same columns; 0 leaves the
                                         * block out */
    uint32_t next[WARI_SEEDS_MAX + 1];
    uint32_t key[WARI_SEEDS_MAX + 1];
};

/* Begins at the first columns. */
void wari_column_walk_begin(struct wari_column_walk *walk);

/* Finds the next item: its block, and its number in the block (wari_item_at()). Returns false if
 * there is none left. Not for several threads at once. */
bool wari_column_walk_next(struct wari_column_walk *walk, int *block, uint32_t *number);

#endif
