/* Passes over a level in memory. Unlike sweeps, they have the same result in any order of the
 * cells. The capture pass and the count of positions whose opponent half is full read the lower
 * levels; they use the order of column_walk.h, so that each chunk is read only once or twice.
 * wari_memory_each_rows() calls a job for all rows; wari_memory_values() copies values. */
#include "solver/memory/memory.h"

#include <omp.h>

#include "solver/level/column_walk.h"
#include "solver/level/first_codes.h"
#include "solver/level/full_captures.h"
#include "solver/level/histogram.h"

/* ---- Items, in the order of columns ---------------------------------------------------------- */

typedef void item_job(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, void *context);

/* Calls a job for all items, on all threads. */
static void each_item(struct wari_level *level, enum wari_parents parents, item_job *job,
                      void *context)
{
    struct wari_column_walk walk = {.layout = &level->layout};

    for (int block = 0; block <= level->layout.seeds; block++)
        walk.items[block] = wari_items_of_block(level, parents, block).items_of_columns;
    wari_column_walk_begin(&walk);
#pragma omp parallel num_threads(level->workers->count)
    {
        struct wari_worker *worker = &level->workers->worker[omp_get_thread_num()];
        for (;;) {
            uint32_t number = 0;
            int block = 0;
            bool more;
#pragma omp critical(wari_column_walk)
            more = wari_column_walk_next(&walk, &block, &number);
            if (!more || wari_level_stopped(level))
                break;
            const struct wari_item_cut cut = wari_items_of_block(level, parents, block);
            const struct wari_item item = wari_item_at(&cut, number);
            job(level, worker, &item, context);
        }
        wari_reader_release(worker->reader);
    }
}

static void capture_item(struct wari_level *level, struct wari_worker *worker,
                         const struct wari_item *item, void *context)
{
    int8_t *cells = wari_level_row(level, item->block, item->first_strip * WARI_STRIP);

    (void)context;
    wari_first_codes_of_item(
        level, worker, item,
        (struct wari_cell_area){cells + item->first_column, level->resident.pitch[item->block]});
    wari_full_captures_write(level, worker, item);
}

/* Computes the first codes of all cells. The memory that sweeps will need for events and for the
 * copy of a block is lent to the lower-level cache meanwhile. */
void wari_memory_captures(struct wari_level *level)
{
    const bool lends = !wari_lower_cache_holds_all(level->lower_cache, level->layout.seeds - 2);
    uint8_t *first = (uint8_t *)(void *)level->events.buffer;
    const uint8_t *end = (uint8_t *)level->resident.copy + level->resident.copy_bytes;

    wari_full_captures_begin(level);
    if (lends)
        wari_lower_cache_lend(level->lower_cache, first, (uint64_t)(end - first));
    each_item(level, WARI_PARENTS_ROWS, capture_item, NULL);
    if (lends)
        wari_lower_cache_return(level->lower_cache);
    wari_full_captures_written(level);
}

static void count_item(struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, void *histogram)
{
    wari_count_full(level, worker, item, wari_resident_row, histogram);
}

void wari_memory_count(struct wari_level *level, uint64_t *histogram)
{
    wari_memory_each_rows(level, WARI_READS, wari_count_rows, histogram);
    each_item(level, WARI_PARENTS_FULL, count_item, histogram);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

void wari_memory_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                           void *context)
{
    enum { ROWS = 64 }; /* rows in each call of a job: some thousand cells, even in short rows */

    (void)access; /* all rows are in memory */
#pragma omp parallel num_threads(level->workers->count)
    {
        struct wari_worker *worker = &level->workers->worker[omp_get_thread_num()];
        for (int block = 0; block <= level->layout.seeds; block++) {
            const uint32_t rows = level->resident.partition.rows[block];
#pragma omp for schedule(dynamic) nowait
            for (uint32_t i = 0; i < rows; i += ROWS) {
                const uint32_t first = level->resident.partition.first_row[block] + i;
                const struct wari_row_range range = {.block = block,
                                                     .first = first,
                                                     .count = rows - i < ROWS ? rows - i : ROWS,
                                                     .pitch = level->resident.pitch[block],
                                                     .cells = wari_level_row(level, block, first)};
                if (!wari_level_stopped(level))
                    job(level, worker, context, &range);
            }
        }
    }
}

static const int8_t *row_of(const struct wari_level *level, int block, uint32_t row)
{
    return wari_level_row(level, block, row);
}

void wari_memory_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values)
{
    wari_level_values(level, row_of, first, count, values);
}
