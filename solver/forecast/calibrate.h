/* How fast this machine is, for the cost model: some ten seconds of solving and measuring. */
#ifndef SOLVER_CALIBRATE_H
#define SOLVER_CALIBRATE_H

#include "solver/forecast/cost.h"
#include "solver/level/measure.h"

struct wari_calibration {
    const char *folder; /* to work in: an empty one, which is empty again afterwards */
    struct wari_variant variant;
    enum wari_kernel kernel;
    int threads;                  /* as many as the machine has processors for */
    int seeds;                    /* levels 0..seeds are solved, as far as time allows; at least
                                   * WARI_CALIBRATION_LEAST */
    double seconds;               /* for solving; as much again for the rest, at most */
    bool disk;                    /* measure the disk, too */
    const struct wari_host *host; /* NULL: the system */
    const atomic_bool *stop;      /* NULL: never */
};

enum { WARI_CALIBRATION_LEAST = 12 };

/* Fills in all speeds but the network's, which stays as it is, and the disk's unless it is asked
 * for. WARI_INTERRUPTED if stopped; otherwise fails like wari_build(). */
WARI_MUST_CHECK enum wari_status wari_calibrate(const struct wari_calibration *calibration,
                                                struct wari_speed *speed, struct wari_error *error);

/* From measured levels, of a build on so many threads: the speeds of its passes. */
void wari_speed_fit(const struct wari_level_measure *levels, int count, int threads,
                    struct wari_speed *speed);

#endif
