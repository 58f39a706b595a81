/* Writes and reads the captures of full opponent halves in their file (level/full_halves.h). */
#ifndef SOLVER_LEVEL_FULL_CAPTURES_H
#define SOLVER_LEVEL_FULL_CAPTURES_H

#include "solver/level/item.h"

/* Returns where in the file the captures of one band of the item begin. The item must be of the
 * kind WARI_PARENTS_FULL. Declared for the test that no two bands overlap, in levels that are too
 * large to be solved in a test. */
uint64_t wari_full_captures_offset(const struct wari_level *level, const struct wari_item *item,
                                   uint32_t band);

/* Begins a capture pass. A level may have a second capture pass; then the captures that the first
 * one saved are discarded. */
void wari_full_captures_begin(struct wari_level *level);

/* Looks up and saves captures of full halves during a capture pass, for the columns of `item`, an
 * item of WARI_PARENTS_ROWS. If a block has several items with the same columns, each of the calls
 * for these items saves a part of the full halves, and together the calls save all of them.
 * Overwrites the worker's tile. Does nothing if no captures are saved. Any number of threads may
 * call it at once; a failure makes the workers fail. */
void wari_full_captures_write(struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item);

/* Ends a capture pass. */
void wari_full_captures_written(struct wari_level *level);

/* Must be called after all captures were read once. Checks that the bytes read equal the bytes
 * written. A failure makes the workers fail. */
void wari_full_captures_check(struct wari_level *level);

/* Reads the best captures of an item, the same values that wari_best_captures() computes. The item
 * must be made by wari_item_of_full() and have only one band. The values are stored in the order
 * captures[column][row]; the buffer must have space for WARI_BAND_ROWS * WARI_ITEM_COLUMNS of them.
 * Returns false if the workers have failed. Any number of threads may call it at once. */
bool wari_full_captures_read(struct wari_level *level, const struct wari_item *item,
                             int8_t *captures);

#endif
