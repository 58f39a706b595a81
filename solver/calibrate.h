/* Measures the speed of this machine for the cost model, in some ten seconds of solving and
 * streaming. */
#ifndef SOLVER_CALIBRATE_H
#define SOLVER_CALIBRATE_H

#include "solver/level/statistics.h"
#include "solver/plan/cost.h"

enum { WARI_CALIBRATION_LEAST = 12 }; /* seeds of the last level that is always solved */

/* Fills in *speed, except for `network`, and except for `disk` if the argument `disk` is false.
 * Solves the levels of `build` in build->folder, which has to be empty and is empty again
 * afterwards. Stops solving after `seconds`, but not before level WARI_CALIBRATION_LEAST is solved.
 * Writing to the disk and reading from it then take at most about a fifth of `seconds` each, and
 * measuring the memory usually takes less than a second. With more threads than processors the
 * threads would slow each other down, and the measured speeds would be too low. Returns
 * WARI_INTERRUPTED if stopped; for other errors returns the same statuses as wari_build(). */
WARI_MUST_CHECK enum wari_status wari_calibrate(const struct wari_build *build, double seconds,
                                                bool disk, struct wari_speed *speed,
                                                struct wari_error *error);

/* Computes the speeds of the passes from the measured levels 0..count-1 of a build with `threads`
 * threads. Declared for tests with invented measurements. */
void wari_speed_fit(const struct wari_level_statistics *levels, int count, int threads,
                    struct wari_speed *speed);

#endif
