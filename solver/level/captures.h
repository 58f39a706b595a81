/* The best capture or end of positions: all of their value that lies outside the level. */
#ifndef SOLVER_CAPTURES_H
#define SOLVER_CAPTURES_H

#include "solver/level/item.h"
#include "solver/rows/moves.h"

/* best[place]: the best capture or end of the parents of one segment of a column, for the strips
 * that it has; WARI_NO_CAPTURE where there is none. False if a lower level cannot be read. */
bool wari_best_captures(const struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t column, uint32_t segment,
                        int8_t best[WARI_RANGE_ROWS]);

/* The same for one position of a block: *best. */
bool wari_best_capture_at(const struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row, uint32_t column, int *best);

/* The new code of a cell that asked (cell.h), from its captures; the old one if they cannot be
 * read, which stops the sweep. */
int8_t wari_resolve_query(const struct wari_level *level, struct wari_worker *worker,
                          struct wari_coordinates place, int8_t worst, int8_t code);

#endif
