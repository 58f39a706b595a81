/* Sweeps of a level, to the fixed point. */
#ifndef SOLVER_TO_FIXED_POINT_H
#define SOLVER_TO_FIXED_POINT_H

#include "solver/item/sweep.h"

/* Sweeps until nothing changes. `report`: NULL, or called after every sweep. */
void wari_sweep_to_fixed_point(struct wari_level *level, enum wari_sweep_kind kind,
                               wari_sweep_report *report, void *context);

/* How the next sweep goes, after one in which `share` of the cells changed; `lost`: events were. */
struct wari_sweep wari_next_sweep(const struct wari_level *level, const struct wari_sweep *last,
                                  double share, bool lost);

#endif
