/* All that reads the levels below. */
#ifndef SOLVER_SCRATCH_CAPTURES_H
#define SOLVER_SCRATCH_CAPTURES_H

#include "solver/scratch/window.h"

/* Gives each cell its first code, and hands each stretch of rows to `also` (NULL: nobody) while it
 * is at hand in its piece; before the first of them, when the levels below have been read for the
 * last time, calls `begun`. */
struct wari_scratch_codes {
    void (*begun)(struct wari_level *level);
    wari_scratch_rows *also;
};
void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes);

/* Adds full opponent halves, by value: histogram[v + WARI_SEEDS_MAX]. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram);

#endif
