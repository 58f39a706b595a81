/* Computes the best capture or end of positions: the part of their value that comes from outside
 * the level. */
#ifndef SOLVER_LEVEL_CAPTURES_H
#define SOLVER_LEVEL_CAPTURES_H

#include "solver/level/item.h"
#include "solver/rows/moves.h"

/* Computes the best capture or end of the parents in one column and one band of strips of an item:
 * best[row in the band], WARI_NO_CAPTURE if a parent has none. Returns false if a lower level
 * cannot be read. */
bool wari_best_captures(const struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t column, uint32_t band,
                        int8_t best[WARI_BAND_ROWS]);

/* Computes the best capture or end of a single position. Returns false if a lower level cannot be
 * read. */
bool wari_best_capture_at(const struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row, uint32_t column, int *best);

/* Looks up the best capture of a cell and returns the new code of the cell (cell.h). `worst` is the
 * code of its smallest child, `code` its old code. If lower levels cannot be read, the workers fail
 * and `code` is returned. */
int8_t wari_resolve_query(const struct wari_level *level, struct wari_worker *worker,
                          struct wari_coordinates place, int8_t worst, int8_t code);

#endif
