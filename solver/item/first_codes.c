/* First codes: from the best captures of a segment, column by column, as its tile; and from tiles
 * into the level. */
#include "solver/item/first_codes.h"

#include "solver/item/captures.h"

void wari_first_codes_write(struct wari_level *level, const struct wari_merge *merge)
{
    const uint32_t pitch = level->held.pitch[merge->block];
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
        wari_first_codes_write(level, &merge);
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

void wari_first_codes_of_item(struct wari_level *level, struct wari_worker *worker,
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
