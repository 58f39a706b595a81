/* Solving one level: the algorithm. */
#ifndef SOLVER_SOLVE_H
#define SOLVER_SOLVE_H

#include "solver/run.h"

/* Solves level `seeds` and writes its file. Where several processes solve it together it is
 * collective, and all get the same status. */
WARI_MUST_CHECK enum wari_status wari_solve(struct wari_run *run, int seeds,
                                            struct wari_error *error);

/* Grows values, or shrinks hopes, until nothing changes; writes checkpoints where they are due. */
void wari_solve_sweeps(struct wari_level *level, enum wari_sweep_kind kind);

/* Cycle rule `own`: shrinks hopes; whether any value was raised to what its owner can keep for
 * ever, so that more may grow. */
bool wari_solve_shrink(struct wari_level *level);

#endif
