/* Counts placements of a level by value.
 *
 * Stored cells are counted as they stand. Positions whose opponent half is full cannot arise from a
 * move and are not stored, but published histograms count them: they get one look through their
 * moves, by the same passes that solve, with the full halves as parents.
 */
#include "solver/level/histogram.h"

#include <string.h>

#include "solver/level/captures.h"
#include "solver/level/full_captures.h"

/* Counted into in turn, so that equal neighbours do not wait. */
enum { LANES = 4 };

/* Counts by codes, or by values, as unsigned bytes. */
struct lanes {
    uint64_t count[LANES][256];
};

static void count_bytes(struct lanes *lanes, const int8_t *bytes, uint64_t count)
{
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes->count[lane][(uint8_t)bytes[i + (uint64_t)lane]]++;
    for (; i < count; i++)
        lanes->count[0][(uint8_t)bytes[i]]++;
}

/* Whatever bytes are: never beside the histogram. */
static void add(const struct lanes *lanes, int byte, int value, int seeds, uint64_t *histogram)
{
    uint64_t sum = 0;

    for (int lane = 0; lane < LANES; lane++)
        sum += lanes->count[lane][byte];
    if (sum != 0 && value >= -seeds && value <= seeds)
        __atomic_fetch_add(&histogram[value + WARI_SEEDS_MAX], sum, __ATOMIC_RELAXED);
}

void wari_count_rows(struct wari_level *level, struct wari_worker *worker, void *histogram,
                     const struct wari_row_range *rows)
{
    struct lanes codes = {0};

    (void)worker;
    for (uint32_t row = 0; row < rows->count; row++)
        count_bytes(&codes, rows->cells + (size_t)row * rows->pitch,
                    level->layout.columns[rows->block]);
    for (int code = 0; code < 256; code++)
        add(&codes, code, level->codes.value[code], level->layout.seeds, histogram);
}

/* ---- Full halves ---------------------------------------------------------------------------- */

/* `captures`: [column][place], or NULL: they are found in the levels below. Nothing more is counted
 * once one of these cannot be read. */
static void count_segment(struct wari_level *level, struct wari_worker *worker,
                          const struct wari_item *item, wari_child_row *child_row,
                          const int8_t *captures, struct lanes *values)
{
    const uint32_t segment = item->first_strip / WARI_RANGE_STRIPS;
    const uint32_t rows = wari_range_rows(item, segment);
    int8_t best[WARI_RANGE_ROWS];

    for (uint32_t column = 0; column < item->columns; column++) {
        struct wari_source sources[WARI_HALF_PITS];
        const int count = wari_item_sources(level, worker, item, column, child_row, sources);
        for (int i = 0; i < count; i++)
            sources[i].ahead = NULL;
        if (captures)
            memcpy(best, captures + (size_t)column * rows, rows);
        else if (!wari_best_captures(level, worker, item, column, segment, best))
            return;
        level->kernel->worst(sources, count, item->first_strip, item->strips, worker->tile,
                             WARI_STRIP);
        for (uint32_t i = 0; i < rows; i++) {
            const int quiet = -wari_cell_value(&level->codes, worker->tile[i]);
            if (quiet > best[i])
                best[i] = (int8_t)quiet;
        }
        count_bytes(values, best, rows);
    }
}

void wari_count_full(struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *whole, wari_child_row *child_row, uint64_t *histogram)
{
    const uint32_t end = whole->first_strip + whole->strips;
    /* in the tile, behind what one column takes of it */
    int8_t *captures = level->full_halves.whole ? worker->tile + WARI_RANGE_ROWS : NULL;
    struct wari_item item = *whole;
    struct lanes values = {0};

    for (; item.first_strip < end && !wari_level_stopped(level);
         item.first_strip += WARI_RANGE_STRIPS) {
        const uint32_t left = end - item.first_strip;
        item.strips = left < WARI_RANGE_STRIPS ? left : WARI_RANGE_STRIPS;
        if (captures && !wari_full_captures_read(level, &item, captures))
            return;
        count_segment(level, worker, &item, child_row, captures, &values);
    }
    for (int value = -level->layout.seeds; value <= level->layout.seeds; value++)
        add(&values, (uint8_t)(int8_t)value, value, level->layout.seeds, histogram);
}
