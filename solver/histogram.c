/* Counts all placements of a level by value.
 *
 * Stored cells are counted as they stand. Positions whose opponent half is full cannot arise from a
 * move and are not stored, but published histograms count them: they get one look through their
 * moves, by the same passes that solve, with the full halves as parents.
 */
#include "solver/level.h"

#include <omp.h>
#include <string.h>

enum { LANES = 4 }; /* tables counted into in turn, so that equal neighbours do not wait */

struct counts {
    uint64_t lane[LANES][256]; /* by the value as an unsigned byte */
};

static void count_cells(const int8_t *cells, uint64_t count, struct counts *counts)
{
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            counts->lane[lane][(uint8_t)cells[i + (uint64_t)lane]]++;
    for (; i < count; i++)
        counts->lane[0][(uint8_t)cells[i]]++;
}

static void count_full_segment(const struct wari_level *level, struct wari_worker *worker,
                               const struct wari_item *item, uint32_t segment,
                               struct counts *counts)
{
    const uint32_t first = segment * WARI_SEGMENT_STRIPS;
    const uint32_t left = item->first_strip + item->strips - first;
    const uint32_t strips = left < WARI_SEGMENT_STRIPS ? left : WARI_SEGMENT_STRIPS;
    const uint32_t rows = item->rows - first * WARI_STRIP;
    int8_t best[WARI_SEGMENT];

    for (uint32_t column = 0; column < item->columns; column++) {
        struct wari_source sources[WARI_HALF_PITS];
        const int count = wari_item_sources(level, item, column, NULL, sources);
        if (!wari_best_captures(level, worker, item, column, segment, best))
            return;
        level->kernel->worst(sources, count, first, strips, worker->tile, WARI_STRIP);
        for (uint32_t i = 0; i < rows && i < WARI_SEGMENT; i++) {
            const int quiet = -wari_cell_value(&level->codes, worker->tile[i]);
            if (quiet > best[i])
                best[i] = (int8_t)quiet;
        }
        count_cells(best, rows < WARI_SEGMENT ? rows : WARI_SEGMENT, counts);
    }
}

static void count_full_item(const struct wari_level *level, struct wari_worker *worker,
                            const struct wari_item *item, struct counts *counts)
{
    const uint32_t end = item->first_strip + item->strips;

    for (uint32_t strip = item->first_strip; strip < end && !wari_level_stopped(level);
         strip += WARI_SEGMENT_STRIPS)
        count_full_segment(level, worker, item, strip / WARI_SEGMENT_STRIPS, counts);
}

/* The stored cells of a block, as codes. */
static void count_stored(const struct wari_level *level, int block, struct counts *counts)
{
#pragma omp for schedule(static) nowait
    for (uint32_t row = 0; row < level->layout.rows[block]; row++)
        if (!wari_level_stopped(level))
            count_cells(level->cells + level->offset[block] + (uint64_t)row * level->pitch[block],
                        level->layout.columns[block], counts);
}

static void count_full(const struct wari_level *level, struct wari_worker *worker, int block,
                       struct counts *counts)
{
    const uint32_t items = wari_item_count(level, WARI_PARENTS_FULL, block);

#pragma omp for schedule(dynamic) nowait
    for (uint32_t i = 0; i < items; i++) {
        const struct wari_item item = wari_item_at(level, WARI_PARENTS_FULL, block, i);
        count_full_item(level, worker, &item, counts);
    }
}

static uint64_t sum(const struct counts *counts, uint8_t at)
{
    uint64_t total = 0;

    for (int lane = 0; lane < LANES; lane++)
        total += counts->lane[lane][at];
    return total;
}

static void add(const struct wari_level *level, const struct counts *codes,
                const struct counts *values, uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    const int n = level->layout.seeds;

    for (int code = 0; code < 256; code++)
        if (sum(codes, (uint8_t)code) != 0)
            histogram[level->codes.value[code] + WARI_SEEDS_MAX] += sum(codes, (uint8_t)code);
    for (int value = -n; value <= n; value++)
        histogram[value + WARI_SEEDS_MAX] += sum(values, (uint8_t)(int8_t)value);
}

void wari_level_histogram(const struct wari_level *level,
                          uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        struct counts codes = {{{0}}}, values = {{{0}}};
        for (int block = 0; block <= level->layout.seeds; block++) {
            count_stored(level, block, &codes);
            count_full(level, worker, block, &values);
        }
        wari_reader_release(worker->reader);
#pragma omp critical
        add(level, &codes, &values, histogram);
    }
}
