/* Passes over a level in memory whose order does not matter: captures, which go by in the order of
 * item_order.h, so that the levels below are read once; rows for those who have something to do
 * with them; the count; and values in index order. */
#include "solver/memory/rows.h"

#include <omp.h>

#include "solver/item/first_codes.h"
#include "solver/item/full_captures.h"
#include "solver/item/histogram.h"
#include "solver/memory/item_order.h"

/* The levels below have what sweeps will need, but for the order. */
static void lend(struct wari_level *level, const struct wari_item_order *order)
{
    uint8_t *from = (uint8_t *)(void *)level->events.page + wari_item_order_bytes(order);
    const uint8_t *to = (uint8_t *)level->held.kept + level->held.kept_bytes;

    wari_lower_lend(level->lower, from, (uint64_t)(to - from));
}

void wari_memory_captures(struct wari_level *level)
{
    const bool lends = !wari_lower_holds(level->lower, level->layout.seeds - 2);
    struct wari_item_order order;

    wari_full_captures_begin(level);
    wari_item_order_make(&order, level, WARI_PARENTS_ROWS);
    if (lends)
        lend(level, &order);
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < order.items; i++) {
            const struct wari_item item = wari_item_in_order(&order, level, i);
            const uint32_t row = item.first_strip * WARI_STRIP;
            wari_first_codes_of_item(level, worker, &item,
                                     (struct wari_first_cells){
                                         wari_level_row(level, item.block, row) + item.first_column,
                                         level->held.pitch[item.block]});
            wari_full_captures_write(level, worker, &item);
        }
        wari_reader_release(worker->reader);
    }
    if (lends)
        wari_lower_return(level->lower);
    wari_full_captures_written(level);
}

void wari_memory_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                           void *context)
{
    enum { RUN = 64 };

    (void)access; /* all rows are there */
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (int block = 0; block <= level->layout.seeds; block++) {
            const uint32_t rows = level->held.share.rows[block];
#pragma omp for schedule(dynamic) nowait
            for (uint32_t i = 0; i < rows; i += RUN) {
                const uint32_t first = level->held.share.first_row[block] + i;
                const struct wari_row_run run = {.block = block,
                                                 .first = first,
                                                 .count = rows - i < RUN ? rows - i : RUN,
                                                 .pitch = level->held.pitch[block],
                                                 .cells = wari_level_row(level, block, first)};
                if (!wari_level_stopped(level))
                    job(level, worker, context, &run);
            }
        }
    }
}

void wari_memory_count(struct wari_level *level, uint64_t *histogram)
{
    struct wari_item_order order;

    wari_memory_each_rows(level, WARI_READS, wari_count_rows, histogram);
    wari_forget_events(&level->events, level->team);
    wari_item_order_make(&order, level, WARI_PARENTS_FULL);
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < order.items; i++) {
            const struct wari_item item = wari_item_in_order(&order, level, i);
            if (!wari_level_stopped(level))
                wari_count_full(level, worker, &item, wari_held_row, histogram);
        }
        wari_reader_release(worker->reader);
    }
}

void wari_memory_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values)
{
    const struct wari_layout *layout = &level->layout;
    int block = 0;

    while (count > 0) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint64_t place = first - layout->block_offset[block];
        const uint32_t columns = layout->columns[block];
        const uint32_t column = (uint32_t)(place % columns);
        const size_t run = columns - column < count ? columns - column : count;
        const int8_t *cells = wari_level_row(level, block, (uint32_t)(place / columns)) + column;
        level->kernel->look_up(level->codes.value, cells, run, values);
        values += run;
        first += run;
        count -= run;
    }
}
