/* What every cell begins with: its first code, from the solved levels below. */
#ifndef SOLVER_ITEM_FIRST_CODES_H
#define SOLVER_ITEM_FIRST_CODES_H

#include "solver/level/item.h"

/* The first codes of one segment of an item, from the levels below: tile[strip of the
 * segment][column][WARI_STRIP], as many strips as the block has there. False if a lower level
 * cannot be read, which stops the workers. */
bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t segment, int8_t *tile);

/* Where cells go: the first of them, and bytes from row to row. */
struct wari_cell_area {
    int8_t *cells;
    size_t pitch;
};

/* Writes some rows of a patch of first codes, over whatever was there. */
void wari_first_codes_write(const struct wari_kernel_ops *kernel, const int8_t *patch,
                            uint32_t rows, uint32_t columns, struct wari_cell_area to);

/* Gives the cells of an item their first codes. */
void wari_first_codes_of_item(const struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item, struct wari_cell_area to);

#endif
