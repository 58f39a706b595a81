/* How fast this machine is, for the cost model: some ten seconds of solving and measuring. */
#ifndef SOLVER_CALIBRATE_H
#define SOLVER_CALIBRATE_H

#include "solver/level/measure.h"
#include "solver/plan/cost.h"

enum { WARI_CALIBRATION_LEAST = 12 };

/* Fills in all speeds but the network's, and the disk's unless `disk`: these stay as they are.
 * Solves as `build` says, in its folder, which is empty and will be again; as many of its levels
 * as there is time for in `seconds`, but at least WARI_CALIBRATION_LEAST; as much again for the
 * rest, at most. More threads than there are processors would measure each other.
 * WARI_INTERRUPTED if stopped; otherwise fails like wari_build(). */
WARI_MUST_CHECK enum wari_status wari_calibrate(const struct wari_build *build, double seconds,
                                                bool disk, struct wari_speed *speed,
                                                struct wari_error *error);

/* From measured levels, of a build on so many threads: the speeds of its passes. */
void wari_speed_fit(const struct wari_level_measure *levels, int count, int threads,
                    struct wari_speed *speed);

#endif
