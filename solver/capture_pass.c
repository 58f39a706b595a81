/* One pass before the sweeps, over the solved levels below: gives every cell its first code.
 *
 * Captures from mover half m lead to rows of lower levels whose own first pits hold what m's first
 * pits hold, or nothing in one of them and a seed more in those behind it. Parents of all blocks
 * whose halves begin alike therefore use the same rows, and have their turn together: the items of
 * all blocks are sorted by the first pits of their mover halves. A cache that is too small for the
 * levels below then reads a chunk a few times; block by block it would be about twenty times.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "solver/stream.h"
#include "solver/sweep.h"

void wari_write_patch(struct wari_level *level, const struct wari_merge *merge)
{
    const uint32_t pitch = level->pitch[merge->block];
    int8_t *cells = wari_code_row(level, merge->block, merge->first_row) + merge->first_column;
    int8_t turned[WARI_PATCH];

    level->kernel->transpose(merge->worst, turned);
    for (uint32_t row = 0; row < merge->rows; row++)
        wari_copy_group(cells + (uint64_t)row * pitch, turned + row * WARI_GROUP, merge->columns);
}

/* Writes the cells' first codes into the level. */
static void write_codes(struct wari_level *level, const struct wari_item *item, uint32_t segment,
                        const int8_t *tile)
{
    const uint32_t end = item->first_strip + item->strips;
    const uint32_t first = segment * WARI_SEGMENT_STRIPS;
    uint32_t strip = first > item->first_strip ? first : item->first_strip;

    for (; strip < first + WARI_SEGMENT_STRIPS && strip < end; strip++) {
        const struct wari_merge merge = {
            .block = item->block,
            .first_row = strip * WARI_STRIP,
            .rows = wari_strip_rows(item, strip),
            .first_column = item->first_column,
            .columns = item->columns,
            .worst = tile + (strip - first) * (size_t)WARI_PATCH,
        };
        wari_write_patch(level, &merge);
    }
}

/* wari_cell_start() for a strip. Both for c > 0 and for value 0 the code is `zero` + c. */
static void start_cells(const struct wari_cells *codes, const int8_t best[WARI_STRIP],
                        int8_t cells[WARI_STRIP])
{
    for (int i = 0; i < WARI_STRIP; i++)
        cells[i] = (int8_t)(codes->zero + (best[i] > codes->none ? best[i] : codes->none));
}

bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t segment, int8_t *tile)
{
    int8_t best[WARI_SEGMENT];

    for (uint32_t column = 0; column < item->columns; column++) {
        if (!wari_best_captures(level, worker, item, column, segment, best))
            return false;
        for (int strip = 0; strip < WARI_SEGMENT_STRIPS; strip++)
            start_cells(&level->codes, best + strip * WARI_STRIP,
                        tile + strip * WARI_PATCH + column * WARI_STRIP);
    }
    return true;
}

void wari_captures_of_item(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_item *item)
{
    const uint32_t first = item->first_strip / WARI_SEGMENT_STRIPS;
    const uint32_t end =
        (item->first_strip + item->strips + WARI_SEGMENT_STRIPS - 1) / WARI_SEGMENT_STRIPS;

    for (uint32_t segment = first; segment < end && !wari_level_stopped(level); segment++) {
        if (!wari_first_codes(level, worker, item, segment, worker->tile))
            return;
        write_codes(level, item, segment, worker->tile);
    }
}

/* ---- The order of items ---------------------------------------------------------------------- */

enum { SORTED_PITS = 3, PITS_BITS = 6 * SORTED_PITS };

/* Items of one block by columns whose mover halves begin alike. */
struct span {
    uint32_t key; /* these first pits */
    uint32_t block;
    uint32_t first, items;
    uint64_t before; /* items of all spans before this one */
};

struct order {
    uint32_t spans;
    uint64_t items;
    struct span *span;
};

static uint32_t key_of(int seeds, uint32_t column)
{
    uint8_t half[WARI_HALF_PITS];
    uint32_t key = 0;

    wari_half_unrank(seeds, column, half);
    for (int pit = 0; pit < SORTED_PITS; pit++)
        key = key << (PITS_BITS / SORTED_PITS) | half[pit];
    return key;
}

static int by_key(const void *a, const void *b)
{
    const struct span *one = a, *other = b;

    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->block < other->block ? -1 : one->block > other->block;
}

static void add_spans(const struct wari_level *level, int block, struct order *order)
{
    const uint32_t items = wari_item_count(level, WARI_PARENTS_ROWS, block);
    struct span *last = NULL;

    for (uint32_t i = 0; i < items; i++) {
        const struct wari_item item = wari_item_at(level, WARI_PARENTS_ROWS, block, i);
        if (item.first_strip == 0) {
            const uint32_t key = key_of(level->layout.seeds - block, item.first_column);
            if (!last || last->key != key) {
                last = &order->span[order->spans++];
                *last = (struct span){.key = key, .block = (uint32_t)block, .first = i};
            }
        }
        last->items++;
    }
}

/* Takes less than the events of a level, for which there is room, and of which none is left yet. */
static enum wari_status make_order(const struct wari_level *level, struct order *order,
                                   struct wari_error *error)
{
    const struct wari_layout *layout = &level->layout;
    uint64_t most = 0;
    void *memory;
    enum wari_status status;

    for (int block = 0; block <= layout->seeds; block++)
        most += (layout->columns[block] + WARI_GROUP - 1) / WARI_GROUP;
    status = wari_allocate(level->host, (size_t)most * sizeof(struct span),
                           "the order of a level's items", &memory, error);
    *order = (struct order){.span = memory};
    if (status != WARI_OK)
        return status;
    for (int block = 0; block <= layout->seeds; block++)
        add_spans(level, block, order);
    qsort(order->span, order->spans, sizeof(struct span), by_key);
    for (uint32_t i = 0; i < order->spans; i++) {
        order->span[i].before = order->items;
        order->items += order->span[i].items;
    }
    return WARI_OK;
}

static struct wari_item item_in_order(const struct wari_level *level, const struct order *order,
                                      uint64_t i)
{
    uint32_t low = 0, high = order->spans; /* the span is in low .. high - 1 */

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (order->span[middle].before <= i)
            low = middle;
        else
            high = middle;
    }
    const struct span *span = &order->span[low];
    return wari_item_at(level, WARI_PARENTS_ROWS, (int)span->block,
                        span->first + (uint32_t)(i - span->before));
}

enum wari_status wari_capture_pass(struct wari_level *level, struct wari_error *error)
{
    struct order order;
    enum wari_status status;

    if (level->stream) {
        wari_stream_captures(level);
        return WARI_OK;
    }
    status = make_order(level, &order, error);
    if (status != WARI_OK)
        return status;
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < order.items; i++) {
            const struct wari_item item = item_in_order(level, &order, i);
            wari_captures_of_item(level, worker, &item);
        }
        wari_reader_release(worker->reader);
    }
    wari_release(level->host, order.span);
    return WARI_OK;
}
