/* First codes, from the levels below. */
#ifndef SOLVER_SCRATCH_CAPTURES_H
#define SOLVER_SCRATCH_CAPTURES_H

#include "solver/scratch/scratch.h"

/* Gives each cell its first code, and hands all rows to `also`, in order, while they are at hand.
 * Before the first of them, when the levels below have been read for the last time, calls `begun`.
 */
struct wari_scratch_codes {
    void (*begun)(struct wari_level *level);
    wari_rows_job *also;
};
void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes);

#endif
