/* The captures of full opponent halves, item by item, in their file (level/full_halves.h). */
#ifndef SOLVER_ITEM_FULL_CAPTURES_H
#define SOLVER_ITEM_FULL_CAPTURES_H

#include "solver/level/item.h"

/* Where a segment of an item of WARI_PARENTS_FULL begins in the file. */
uint64_t wari_full_captures_offset(const struct wari_level *level, const struct wari_item *item,
                                   uint32_t segment);

/* Where a capture pass begins, which may be a level's second one: what was saved before is lost. */
void wari_full_captures_begin(struct wari_level *level);

/* For the capture pass, with an item of rows: finds and saves the captures of the full halves of
 * its columns; of these, where the block's rows are cut into several items, the same partition. For
 * any number of threads at once; failures are the team's. Overwrites the worker's tile. Nothing is
 * done where none are saved. */
void wari_full_captures_write(struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item);

/* At its end. */
void wari_full_captures_written(struct wari_level *level);

/* All were read, each once: whether as they were written. Failures are the team's. */
void wari_full_captures_check(struct wari_level *level);

/* The captures of an item of full halves that has one segment: captures[column][place], room for
 * WARI_RANGE_ROWS * WARI_ITEM_COLUMNS bytes, as wari_best_captures() found them. For any number of
 * threads at once; false: the team has failed. */
bool wari_full_captures_read(struct wari_level *level, const struct wari_item *item,
                             int8_t *captures);

#endif
