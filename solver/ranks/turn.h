/* A block's turn: captures, dense sweeps, full halves for the histogram. */
#ifndef SOLVER_RANKS_TURN_H
#define SOLVER_RANKS_TURN_H

#include "solver/ranks/distributed.h"

/* What a pass does with its items: exactly one of the pointers is set, or none in the capture pass.
 */
struct wari_job {
    const struct wari_sweep *sweep;
    uint64_t *histogram; /* to be added to: the pass looks at full halves */
};

/* A block's turn. */
void wari_distributed_turn(struct wari_distributed *distributed, int block,
                           const struct wari_job *job, struct wari_tally *tally);

#endif
