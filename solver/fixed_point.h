/* Values to their fixed point, on whatever road. */
#ifndef SOLVER_FIXED_POINT_H
#define SOLVER_FIXED_POINT_H

#include "solver/level/level.h"

/* Sweeps until nothing changes; writes checkpoints where they are due. */
void wari_sweep_to_fixed_point(struct wari_level *level, enum wari_sweep_kind kind);

#endif
