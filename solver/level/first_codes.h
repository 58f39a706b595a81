/* The first codes of cells: their initial codes, computed from the solved lower levels. */
#ifndef SOLVER_LEVEL_FIRST_CODES_H
#define SOLVER_LEVEL_FIRST_CODES_H

#include "solver/level/item.h"

/* Computes the first codes of an item's columns in one band of its block; `band` is the number of
 * the band. Stores them as tile[strip of the band][column][WARI_STRIP], for the strips of the band
 * that the block has. Returns false if a lower level cannot be read, which makes the workers
 * stop. */
bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t band, int8_t *tile);

/* A rectangle of cells in memory: its first cell, and the number of bytes from one row to the next.
 */
struct wari_cell_area {
    int8_t *cells;
    size_t pitch;
};

/* Transposes the first codes of one strip of an item and writes the first `rows` rows of the
 * result. */
void wari_first_codes_write(const struct wari_kernel_ops *kernel, const int8_t *tile, uint32_t rows,
                            uint32_t columns, struct wari_cell_area to);

/* Computes the first codes of the cells of an item and writes them. */
void wari_first_codes_of_item(const struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item, struct wari_cell_area to);

#endif
