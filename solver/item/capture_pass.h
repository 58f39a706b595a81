/* One pass before the sweeps, over the solved levels below: gives every cell its first code. */
#ifndef SOLVER_CAPTURE_PASS_H
#define SOLVER_CAPTURE_PASS_H

#include "solver/item/sweep.h"

/* Gives every cell its first code. Failures are the team's. */
void wari_capture_pass(struct wari_level *level);

/* The first codes of one segment of an item, from the levels below: tile[strip of the
 * segment][column][WARI_STRIP], as many strips as the block has there. False if a lower level
 * cannot be read, which stops the team. */
bool wari_first_codes(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t segment, int8_t *tile);

/* Writes the first codes of a patch, merge->worst, over whatever it held. */
void wari_write_patch(struct wari_level *level, const struct wari_merge *merge);

/* Gives the cells of an item their first codes. */
void wari_captures_of_item(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_item *item);

#endif
