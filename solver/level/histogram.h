/* Counting placements by value, piece by piece. */
#ifndef SOLVER_HISTOGRAM_H
#define SOLVER_HISTOGRAM_H

#include "solver/level/sweep.h"

/* Counts of a level: histogram[v + WARI_SEEDS_MAX], to which any number of threads may add. */
enum { WARI_HISTOGRAM = 2 * WARI_SEEDS_MAX + 1 };

/* Counts the cells of some rows; a job of wari_backend.each_rows, whose context is the histogram.
 */
void wari_count_rows(struct wari_level *level, struct wari_worker *worker, void *histogram,
                     const struct wari_row_range *rows);

/* Counts the full opponent halves of an item of WARI_PARENTS_FULL, by a look through their moves:
 * where rows of children are, `child_row` says. */
void wari_count_full(struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *item, wari_child_row *child_row, uint64_t *histogram);

#endif
