/* Counts all placements of a level by value.
 *
 * Stored cells are counted as they stand. Positions whose opponent half is full cannot arise from a
 * move and are not stored, but published histograms count them: they get one look through their
 * moves, by the same passes that solve, with the full halves as parents.
 */
#include "solver/level.h"

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

static void count_full_item(const struct wari_level *level, const struct wari_item *item,
                            struct counts *counts)
{
    int8_t best[WARI_GROUP][WARI_SEGMENT] = {{0}};
    int8_t worst[WARI_SEGMENT];

    for (uint32_t segment = item->first_segment; segment < item->end_segment; segment++) {
        const uint32_t left = item->rows - segment * WARI_SEGMENT;
        const uint32_t places = left < WARI_SEGMENT ? left : WARI_SEGMENT;
        wari_best_captures(level, item, segment, best);
        for (uint32_t column = 0; column < item->columns; column++) {
            struct wari_source sources[WARI_HALF_PITS];
            const int count = wari_item_sources(level, item, column, sources);
            int8_t *values = best[column];
            level->kernel->worst(sources, count, segment, worst);
            for (uint32_t place = 0; place < places; place++)
                if (-worst[place] > values[place])
                    values[place] = (int8_t)-worst[place];
            count_cells(values, places, counts);
        }
    }
}

static void count_block(const struct wari_level *level, int block, struct counts *counts)
{
    const uint32_t items = wari_item_count(level, WARI_PARENTS_FULL, block);
    const uint32_t rows = level->layout.rows[block];

#pragma omp for schedule(static) nowait
    for (uint32_t row = 0; row < rows; row++)
        count_cells(level->values + level->offset[block] +
                        (uint64_t)row * level->layout.columns[block],
                    level->layout.columns[block], counts);
#pragma omp for schedule(dynamic) nowait
    for (uint32_t i = 0; i < items; i++) {
        const struct wari_item item = wari_item_at(level, WARI_PARENTS_FULL, block, i);
        if (!wari_level_stopped(level))
            count_full_item(level, &item, counts);
    }
}

void wari_level_histogram(const struct wari_level *level,
                          uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
#pragma omp parallel num_threads(level->threads)
    {
        struct counts counts = {{{0}}};
        for (int block = 0; block <= level->layout.seeds; block++)
            count_block(level, block, &counts);
#pragma omp critical
        for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++)
            for (int lane = 0; lane < LANES; lane++)
                histogram[value + WARI_SEEDS_MAX] += counts.lane[lane][(uint8_t)(int8_t)value];
    }
}
