/* Counting placements by value. */
#ifndef SOLVER_LEVEL_HISTOGRAM_H
#define SOLVER_LEVEL_HISTOGRAM_H

#include "solver/level/sweep.h"

/* Entries of a histogram: histogram[v + WARI_SEEDS_MAX]. Any number of threads may add to a
 * histogram at once.
 */
enum { WARI_HISTOGRAM = 2 * WARI_SEEDS_MAX + 1 };

/* Counts the cells of some rows; a job for wari_backend.each_rows, whose context is the histogram.
 */
void wari_count_rows(struct wari_level *level, struct wari_worker *worker, void *histogram,
                     const struct wari_row_range *rows);

/* Counts the full opponent halves of an item of WARI_PARENTS_FULL, by evaluating their moves.
 * `child_row` finds the rows of children. */
void wari_count_full(struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *item, wari_child_row *child_row, uint64_t *histogram);

#endif
