/* Visits the columns of all blocks in the order of the first pits of their halves; see
 * column_walk.h. */
#include "solver/level/column_walk.h"

#include "index/half.h"
#include "solver/kernel/kernel.h"

#define NO_KEY UINT32_MAX

/* Computes the key by which the columns of different blocks are ordered: the first pits of the next
 * column of a block, read as a number. */
static void find_key(struct wari_column_walk *walk, int block)
{
    enum { SORTED_PITS = 3, SEEDS_BITS = 6 };
    const uint32_t items = walk->items[block];
    const uint32_t column = items > 0 ? walk->next[block] / items * WARI_ITEM_COLUMNS : 0;
    uint8_t half[WARI_HALF_PITS];

    walk->key[block] = NO_KEY;
    if (items == 0 || column >= walk->layout->columns[block])
        return;
    wari_half_unrank(walk->layout->seeds - block, column, half);
    walk->key[block] = 0;
    for (int pit = 0; pit < SORTED_PITS; pit++)
        walk->key[block] = walk->key[block] << SEEDS_BITS | half[pit];
}

void wari_column_walk_begin(struct wari_column_walk *walk)
{
    for (int block = 0; block <= walk->layout->seeds; block++) {
        walk->next[block] = 0;
        find_key(walk, block);
    }
}

bool wari_column_walk_next(struct wari_column_walk *walk, int *block, uint32_t *number)
{
    int best = 0;

    for (int other = 1; other <= walk->layout->seeds; other++)
        if (walk->key[other] < walk->key[best])
            best = other;
    if (walk->key[best] == NO_KEY)
        return false;
    *block = best;
    *number = walk->next[best]++;
    if (walk->next[best] % walk->items[best] == 0)
        find_key(walk, best);
    return true;
}
