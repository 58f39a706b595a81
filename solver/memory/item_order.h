/* The order in which a pass over the levels below takes the items of a level.
 *
 * Captures from mover half m lead to rows of lower levels whose own first pits hold what m's first
 * pits hold, or nothing in one of them and a seed more in those behind it. Parents of all blocks
 * whose halves begin alike therefore use the same rows, and have their turn together: the items of
 * all blocks are sorted by the first pits of their mover halves. A cache that is too small for the
 * levels below then reads a chunk once or twice; block by block it would be about twenty times.
 */
#ifndef SOLVER_ITEM_ORDER_H
#define SOLVER_ITEM_ORDER_H

#include "solver/level/item.h"

/* Items of one block by columns whose mover halves begin alike. */
struct wari_span {
    uint32_t key; /* these first pits */
    uint32_t block;
    uint32_t first, items;
    uint64_t before; /* items of all spans before this one */
};

enum { WARI_FEW_SPANS = 32 };

struct wari_item_order {
    enum wari_parents parents;
    uint32_t spans;
    uint64_t items; /* of the level */
    struct wari_span *span;
    struct wari_span few[WARI_FEW_SPANS]; /* a small level's, which has no room for events either */
};

/* Stands where the level's events stand, which must have been forgotten: so it takes no memory (but
 * what qsort() may take for a moment), and is over when the next events are left. For a whole level
 * in memory. */
void wari_item_order_make(struct wari_item_order *order, const struct wari_level *level,
                          enum wari_parents parents);

/* Bytes where events stand that it takes; a multiple of what malloc() aligns to. */
uint64_t wari_item_order_bytes(const struct wari_item_order *order);

/* How many spans there are at most: there is room for so many. */
uint64_t wari_item_order_most(const struct wari_level *level);

/* Item i, 0 .. order->items - 1. */
struct wari_item wari_item_in_order(const struct wari_item_order *order,
                                    const struct wari_level *level, uint64_t i);

#endif
