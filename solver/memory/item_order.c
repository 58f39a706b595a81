/* Sorting the items of a level, see item_order.h. Spans of items are sorted, since items are many.
 */
#include "solver/memory/item_order.h"

#include <stddef.h>
#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
    const struct wari_span *one = a, *other = b;

    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->block < other->block ? -1 : one->block > other->block;
}

static void add_spans(struct wari_item_order *order, const struct wari_level *level, int block)
{
    const struct wari_item_cut cut = wari_items_of_block(level, order->parents, block);
    struct wari_span *last = NULL;

    for (uint32_t i = 0; i < cut.items; i++) {
        const struct wari_item item = wari_item_at(&cut, i);
        if (item.first_strip == 0) {
            const uint32_t key = wari_item_key(level->layout.seeds - block, item.first_column);
            if (!last || last->key != key) {
                last = &order->span[order->spans++];
                *last = (struct wari_span){.key = key, .block = (uint32_t)block, .first = i};
            }
        }
        last->items++;
    }
}

/* An item has at most WARI_GROUP columns, and all of them but the last one of a block have. */
uint64_t wari_item_order_most(const struct wari_level *level)
{
    uint64_t most = 0;

    for (int block = 0; block <= level->layout.seeds; block++)
        most += (level->layout.columns[block] + WARI_GROUP - 1) / WARI_GROUP;
    return most;
}

uint64_t wari_item_order_bytes(const struct wari_item_order *order)
{
    const uint64_t alignment = _Alignof(max_align_t);
    const uint64_t bytes = order->spans * sizeof(struct wari_span);

    return order->span == order->few ? 0 : (bytes + alignment - 1) / alignment * alignment;
}

void wari_item_order_make(struct wari_item_order *order, const struct wari_level *level,
                          enum wari_parents parents)
{
    const bool few = wari_item_order_most(level) <= WARI_FEW_SPANS;

    order->parents = parents;
    order->spans = 0;
    order->items = 0;
    order->span = few ? order->few : (struct wari_span *)(void *)level->events.page;
    for (int block = 0; block <= level->layout.seeds; block++)
        add_spans(order, level, block);
    qsort(order->span, order->spans, sizeof(struct wari_span), by_key);
    for (uint32_t i = 0; i < order->spans; i++) {
        order->span[i].before = order->items;
        order->items += order->span[i].items;
    }
}

struct wari_item wari_item_in_order(const struct wari_item_order *order,
                                    const struct wari_level *level, uint64_t i)
{
    uint32_t low = 0, high = order->spans; /* the span is in low .. high - 1 */

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (order->span[middle].before <= i)
            low = middle;
        else
            high = middle;
    }
    const struct wari_span *span = &order->span[low];
    const struct wari_item_cut cut = wari_items_of_block(level, order->parents, (int)span->block);
    return wari_item_at(&cut, span->first + (uint32_t)(i - span->before));
}
