/* Computes first codes from best captures, and writes them into the level. */
#include "solver/level/first_codes.h"

#include "solver/level/captures.h"

void wari_first_codes_write(const struct wari_kernel_ops *kernel, const int8_t *tile, uint32_t rows,
                            uint32_t columns, struct wari_cell_area to)
{
    int8_t transposed[WARI_ITEM_STRIP_CELLS];

    kernel->transpose(tile, transposed);
    for (uint32_t row = 0; row < rows; row++)
        wari_copy_row(to.cells + row * to.pitch, transposed + row * WARI_ITEM_COLUMNS, columns);
}

bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t band, int8_t *tile)
{
    const uint32_t strips = wari_band_strips(item, band);
    int8_t best[WARI_BAND_ROWS];

    for (uint32_t column = 0; column < item->columns; column++) {
        if (!wari_best_captures(level, worker, item, column, band, best))
            return false;
        for (uint32_t strip = 0; strip < strips; strip++)
            level->kernel->look_up(level->codes.start, best + strip * WARI_STRIP, WARI_STRIP,
                                   tile + strip * WARI_ITEM_STRIP_CELLS + column * WARI_STRIP);
    }
    return true;
}

void wari_first_codes_of_item(const struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item, struct wari_cell_area to)
{
    const uint32_t end = item->first_strip + item->strips;
    const uint32_t bands = (end + WARI_BAND_STRIPS - 1) / WARI_BAND_STRIPS;
    uint32_t strip = item->first_strip;

    for (uint32_t band = strip / WARI_BAND_STRIPS; band < bands; band++) {
        const uint32_t first = band * WARI_BAND_STRIPS;
        if (wari_level_stopped(level) || !wari_first_codes(level, worker, item, band, worker->tile))
            return;
        for (; strip < end && strip < first + WARI_BAND_STRIPS; strip++) {
            wari_first_codes_write(level->kernel,
                                   worker->tile + (strip - first) * WARI_ITEM_STRIP_CELLS,
                                   wari_strip_rows(item, strip), item->columns, to);
            to.cells += WARI_STRIP * to.pitch;
        }
    }
}
