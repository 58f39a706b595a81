/* Solving one level: the algorithm. */
#ifndef SOLVER_SOLVE_H
#define SOLVER_SOLVE_H

#include "solver/run/run.h"

/* Solves level `seeds` and writes its file. Where several processes solve it together it is
 * collective, and all get the same status. */
WARI_MUST_CHECK enum wari_status wari_solve(struct wari_run *run, int seeds,
                                            struct wari_error *error);

#endif
