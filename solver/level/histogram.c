/* Counts the placements of a level by value.
 *
 * Stored cells are counted by their codes. Positions whose opponent half is full cannot result from
 * a move and are not stored, but published histograms include them. Their moves are evaluated once,
 * by the same functions that solve the level, with the full halves as parents.
 */
#include "solver/level/histogram.h"

#include <string.h>

#include "solver/level/captures.h"
#include "solver/level/full_captures.h"

/* Several counters for each byte are used in turn, so that increments for equal adjacent bytes do
 * not wait for each other. */
enum { COUNTERS = 4 };

/* Counts bytes, which are codes or values. The number of bytes that are equal to b, as unsigned
 * bytes, is count[0][b] + count[1][b] + ... */
struct counters {
    uint64_t count[COUNTERS][256];
};

static void count_bytes(struct counters *counters, const int8_t *bytes, uint64_t count)
{
    uint64_t i = 0;

    for (; i + COUNTERS <= count; i += COUNTERS)
        for (int k = 0; k < COUNTERS; k++)
            counters->count[k][(uint8_t)bytes[i + (uint64_t)k]]++;
    for (; i < count; i++)
        counters->count[0][(uint8_t)bytes[i]]++;
}

/* Adds the number of bytes with the value `byte` to the entry of `value` in the histogram. Ignores
 * values that the level cannot have, because damaged data may contain them. */
static void add(const struct counters *counters, int byte, int value, int seeds,
                uint64_t *histogram)
{
    uint64_t sum = 0;

    for (int k = 0; k < COUNTERS; k++)
        sum += counters->count[k][byte];
    if (sum != 0 && value >= -seeds && value <= seeds)
        __atomic_fetch_add(&histogram[value + WARI_SEEDS_MAX], sum, __ATOMIC_RELAXED);
}

void wari_count_rows(struct wari_level *level, struct wari_worker *worker, void *histogram,
                     const struct wari_row_range *rows)
{
    struct counters codes = {0};

    (void)worker;
    for (uint32_t row = 0; row < rows->count; row++)
        count_bytes(&codes, rows->cells + (size_t)row * rows->pitch,
                    level->layout.columns[rows->block]);
    for (int code = 0; code < 256; code++)
        add(&codes, code, level->codes.value[code], level->layout.seeds, histogram);
}

/* ---- Full halves ---------------------------------------------------------------------------- */

/* Counts one band. `captures` is [column][row]; if it is NULL captures are looked up in the lower
 * levels. Stops counting if a lower level cannot be read. */
static void count_band(struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, wari_child_row *child_row,
                       const int8_t *captures, struct counters *values)
{
    const uint32_t band = item->first_strip / WARI_BAND_STRIPS;
    const uint32_t rows = wari_band_rows(item, band);
    int8_t best[WARI_BAND_ROWS];

    for (uint32_t column = 0; column < item->columns; column++) {
        struct wari_source sources[WARI_HALF_PITS];
        const int count = wari_item_sources(level, worker, item, column, child_row, sources);
        for (int i = 0; i < count; i++)
            sources[i].ahead = NULL;
        if (captures)
            memcpy(best, captures + (size_t)column * rows, rows);
        else if (!wari_best_captures(level, worker, item, column, band, best))
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
    /* captures are stored in the tile, after the bytes that count_band() uses for one column */
    int8_t *captures = level->full_halves.complete ? worker->tile + WARI_BAND_ROWS : NULL;
    struct wari_item item = *whole;
    struct counters values = {0};

    for (; item.first_strip < end && !wari_level_stopped(level);
         item.first_strip += WARI_BAND_STRIPS) {
        const uint32_t left = end - item.first_strip;
        item.strips = left < WARI_BAND_STRIPS ? left : WARI_BAND_STRIPS;
        if (captures && !wari_full_captures_read(level, &item, captures))
            return;
        count_band(level, worker, &item, child_row, captures, &values);
    }
    for (int value = -level->layout.seeds; value <= level->layout.seeds; value++)
        add(&values, (uint8_t)(int8_t)value, value, level->layout.seeds, histogram);
}
