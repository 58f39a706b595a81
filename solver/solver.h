/* Building a database. The only folder that uses OpenMP.
 *
 * It reports through a callback and stops soon (within about a second) after *stop turns true, with
 * WARI_INTERRUPTED.
 */
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "solver/level/measure.h"
#include "solver/plan/plan.h"

struct wari_progress {
    enum wari_phase phase;
    int seeds;               /* the level being worked on; or published, after later ones perhaps */
    int sweep;               /* sweeps begun in this level, from 1 */
    double changed;          /* share of the level's cells that the last whole sweep changed */
    uint64_t positions_done; /* stored positions of the levels published in this run */
    uint64_t positions_all;  /* of all levels this run is to solve */
    double seconds;          /* since the run began */
    double level_seconds;    /* for WARI_PHASE_LEVEL_DONE: that this level took */
    uint64_t level_bytes;    /* for WARI_PHASE_LEVEL_DONE: size of its file */
    const struct wari_level_measure *measure; /* for WARI_PHASE_LEVEL_DONE: what it took */
};

/* Solves every level 0..seeds that the folder lacks, one after the other. Each is written when it
 * is solved, and published, by the catalogue, at once or together with those that follow within a
 * fraction of a second; whatever ends the build, finished levels are published if that can still be
 * done. The files do not depend on threads, kernel or
 * interruptions. WARI_BUSY if another process builds in the folder, WARI_NO_MEMORY, before anything
 * is solved, if build->memory is less than plan's memory_least. */
WARI_MUST_CHECK enum wari_status wari_build(const struct wari_build *build,
                                            struct wari_error *error);

#endif
