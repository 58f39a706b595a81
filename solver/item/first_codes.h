/* What every cell begins with: its first code, from the solved levels below. */
#ifndef SOLVER_ITEM_FIRST_CODES_H
#define SOLVER_ITEM_FIRST_CODES_H

#include "solver/item/sweep.h"

/* The first codes of one segment of an item, from the levels below: tile[strip of the
 * segment][column][WARI_STRIP], as many strips as the block has there. False if a lower level
 * cannot be read, which stops the team. */
bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t segment, int8_t *tile);

/* Writes the first codes of a patch, merge->worst, over whatever it held. */
void wari_first_codes_write(struct wari_level *level, const struct wari_merge *merge);

/* Gives the cells of an item, all of them held, their first codes. */
void wari_first_codes_of_item(struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item);

#endif
