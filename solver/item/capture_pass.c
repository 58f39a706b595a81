/* One pass before the sweeps, over the solved levels below: gives every cell its first code.
 *
 * Items come in the order of item_order.h.
 */
#include "solver/item/capture_pass.h"

#include <omp.h>
#include <string.h>

#include "solver/item/captures.h"
#include "solver/level/item_order.h"
#include "solver/scratch/stream.h"

void wari_write_patch(struct wari_level *level, const struct wari_merge *merge)
{
    const uint32_t pitch = level->pitch[merge->block];
    int8_t *cells = wari_level_row(level, merge->block, merge->first_row) + merge->first_column;
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

bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t segment, int8_t *tile)
{
    const uint32_t strips = wari_segment_strips(item, segment);
    int8_t best[WARI_SEGMENT];

    for (uint32_t column = 0; column < item->columns; column++) {
        if (!wari_best_captures(level, worker, item, column, segment, best))
            return false;
        for (uint32_t strip = 0; strip < strips; strip++)
            level->kernel->look_up(level->codes.start, best + strip * WARI_STRIP, WARI_STRIP,
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

/* The levels below have what sweeps will need, but for the order. */
static void lend(struct wari_level *level, const struct wari_item_order *order)
{
    uint8_t *from = (uint8_t *)(void *)level->pages + wari_item_order_bytes(order);
    const uint8_t *to = (uint8_t *)level->scratch + level->scratch_bytes;

    wari_lower_lend(level->lower, from, (uint64_t)(to - from));
}

void wari_capture_pass(struct wari_level *level)
{
    const bool lends = !level->stream && !wari_lower_holds(level->lower, level->layout.seeds - 2);
    struct wari_item_order order;

    if (level->stream) {
        wari_stream_captures(level);
        return;
    }
    wari_item_order_make(&order, level, WARI_PARENTS_ROWS);
    wari_full_halves_begin(level);
    if (lends)
        lend(level, &order);
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < order.items; i++) {
            const struct wari_item item = wari_item_in_order(&order, level, i);
            wari_captures_of_item(level, worker, &item);
            wari_full_halves_write(level, worker, &item);
        }
        wari_reader_release(worker->reader);
    }
    if (lends)
        wari_lower_return(level->lower);
    wari_full_halves_written(level);
}
